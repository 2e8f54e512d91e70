package documents

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fields come from JSON: numbers are whole, lists are read by people, and what is
// too long says how to get the rest.
func TestFieldText(t *testing.T) {
	t.Parallel()
	for text, v := range map[string]any{
		"": nil, "a\nb": "a\nb", "20261234": float64(20261234), "0.5": 0.5, "true": true,
		"a, 2": []any{"a", float64(2)}, "number 38 type ordinary": map[string]any{"type": "ordinary", "number": float64(38)},
	} {
		require.Equal(t, text, fieldText(v))
	}
	require.Equal(t, []string{"a", "b"}, fieldLines([]any{"a", "b"}))
	require.Equal(t, "one\n  two words", paragraphs("one\ntwo words\n", 2))
	require.Equal(t, "short", cutLong("short", "text"))
	require.Contains(t, cutLong(strings.Repeat("è", 601), "text"), "è…\n--field text writes all of it")
}
