package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/documents"
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

	d := rows.Document{Line: rows.Line{ID: "x", Fields: map[string]any{"text": "one\ntwo", "codes": []any{"26A02924", "26A02925"}}}}
	for name, want := range map[string]string{"text": "one\ntwo\n", "codes": "26A02924\n26A02925\n"} {
		text, err := documents.FieldOf(d, name)
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
	_, err := documents.FieldOf(d, "title")
	require.ErrorContains(t, err, "there are: codes, text")
}

func TestDocumentsDiffOfOneVersion(t *testing.T) {
	t.Parallel()
	r := newBench(t).run("documents", "diff", "https://feeds-01.example.org/feed-001/0")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "version 1 is the first one")
}
