package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocumentsOfOneKind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, b.ok("documents", "count"), b.ok("documents", "count", "--kind", "entry"))
	require.Equal(t, "0\n", b.ok("documents", "count", "--kind", "act"))
	require.Contains(t, b.ok("documents", "list", "--kind", "entry", "--limit", "1"), "entry")
	require.Contains(t, b.ok("documents", "list", "--kind", "act"), "No documents match.")
}
