package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func TestDocumentsGetAt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := "https://feeds-01.example.org/feed-001/14"
	require.Contains(t, b.ok("documents", "get", id), "edition 2")
	require.Contains(t, b.ok("documents", "get", id, "--at", "2026-05-03 17:00"), "edition 1")
	require.Contains(t, b.ok("documents", "get", id, "--version", "2"), "edition 2")
	require.Equal(t, "text", b.ok("documents", "get", id, "--version", "1", "--body"))
	for _, args := range [][]string{{"--version", "3"}, {"--at", "2025-01-01"}} {
		r := b.run(append([]string{"documents", "get", id}, args...)...)
		require.Equal(t, 1, r.code)
		require.Contains(t, r.err, "no such version is kept")
	}
	require.Equal(t, 2, b.run("documents", "get", id, "--at", "2026-05-03", "--version", "1").code)
}

func TestDocumentsGetField(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := "https://feeds-01.example.org/feed-001/14"
	r := b.run("documents", "get", id, "--field", "no such field")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, `has no field "no such field"; there are: -`)
	require.Equal(t, 2, b.run("documents", "get", id, "--field", "text", "--body").code)

	d := rows.Document{Line: harvest.Line{ID: "x", Fields: map[string]any{"text": "one\ntwo", "codes": []any{"26A02924", "26A02925"}}}}
	for name, want := range map[string]string{"text": "one\ntwo\n", "codes": "26A02924\n26A02925\n"} {
		text, err := fieldOf(d, name)
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
	_, err := fieldOf(d, "title")
	require.ErrorContains(t, err, "there are: codes, text")
}

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

func TestDocumentsDiffOfOneVersion(t *testing.T) {
	t.Parallel()
	r := newBench(t).run("documents", "diff", "https://feeds-01.example.org/feed-001/0")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "version 1 is the first one")
}
