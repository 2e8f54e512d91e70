package wording_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/wording"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"processors", "schedule", "split", "params", "url"}
	for word, want := range map[string]string{
		"procesors": "processors", "shcedule": "schedule", "spilt": "split", "param": "params", "URL": "url",
		"uri": "url", "processors": "processors", "prosessorss": "processors", "colour": "", "": "", "u": "",
	} {
		require.Equal(t, want, wording.Nearest(word, words), "%q", word)
	}
	require.Empty(t, wording.Nearest("x", nil))
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 items", 1: "1 item", 999: "999 items", 5000: "5,000 items", -1234567: "-1,234,567 items"} {
		require.Equal(t, want, wording.Count(n, "item"))
	}
}

func TestClipKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Città", wording.Clip("Città", 6))
	require.Equal(t, "Citt…", wording.Clip("Città", 5))
	require.Equal(t, "…", wording.Clip("Città", 0))
}
