package titles_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/titles"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "",
		"  riapre\n\til ponte ":  "riapre il ponte",
		strings.Repeat("è", 80):  strings.Repeat("è", 80),
		strings.Repeat("è ", 81): strings.Repeat("è ", 39) + "è…",
	} {
		require.Equal(t, want, titles.Of(text))
	}
}
