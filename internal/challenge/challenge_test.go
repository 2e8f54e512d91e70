package challenge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/challenge"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]bool{
		"<title>Just a moment...</title>":                        true,
		"<TITLE>Request Rejected</TITLE>":                        true,
		"<title>Access Denied</title>":                           true,
		"please solve this CAPTCHA":                              true,
		"please solve this captcha" + strings.Repeat(" ", 20000): false,
		strings.Repeat(" ", 20000) + "px-captcha":                true,
		"<title>Gazzetta Ufficiale</title>":                      false,
		"":                                                       false,
	} {
		require.Equal(t, want, challenge.Is([]byte(page)), "%.60q", page)
	}
}
