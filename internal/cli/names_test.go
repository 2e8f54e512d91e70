package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// TestTyposAreErrors: a name that nothing has ends with 2 and the nearest one,
// also in commands that only read, and before a run is started.
func TestTyposAreErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"documents", "list", "--campaign", "nwes"}, "campaign nwes: not known in store sqlite .vendemmia/vendemmia.db #7f3a, did you mean news?"},
		{[]string{"documents", "list", "--item", "feed-01"}, "did you mean feed-0"},
		{[]string{"documents", "list", "--entry", "fed"}, "entry fed: not known, did you mean feed?"},
		{[]string{"documents", "list", "--kind", "entri"}, "did you mean entry?"},
		{[]string{"documents", "list", "--collection", "newz"}, "collection newz: not known, did you mean news?"},
		{[]string{"documents", "count", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"documents", "count", "--kind", "entri"}, "did you mean entry?"},
		{[]string{"documents", "export", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"documents", "export", "--as", "files", "--to", "out", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"documents", "changes", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"items", "list", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"items", "list", "--entry", "fed"}, "did you mean feed?"},
		{[]string{"items", "show", "nytimes-economi"}, "did you mean nytimes-economy?"},
		{[]string{"items", "show", "feed-001", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"runs", "list", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"runs", "show", "nwes"}, "did you mean news?"},
		{[]string{"runs", "retry", "news", "--item", "nytimes-economi"}, "did you mean nytimes-economy?"},
		{[]string{"failures", "list", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"failures", "list", "--item", "ilsole24ore-norm"}, "did you mean ilsole24ore-norme?"},
		{[]string{"checkpoints", "list", "--campaign", "nwes"}, "did you mean news?"},
		{[]string{"checkpoints", "show", "feed-1"}, "did you mean feed-"},
		{[]string{"campaigns", "show", "nwes"}, "did you mean news?"},
		{[]string{"why", "nwes"}, "did you mean news?"},
		{[]string{"why", "nytimes-economi"}, "did you mean nytimes-economy?"},
		{[]string{"why", "www.nytime.com"}, "did you mean www.nytimes.com?"},
		{[]string{"why", "gu-regioni"}, "starter campaigns apply"},
		{[]string{"trigger", "--campaign", "news", "--item", "nytimes-economi"}, "did you mean nytimes-economy?"},
		{[]string{"trigger", "--campaign", "news", "--refresh"}, "no entry of news says refresh"},
		{[]string{"items", "retry", "feed-001", "--refresh"}, "no entry of news says refresh"},
	} {
		r := b.run(c.args...)
		require.Equal(t, program.ExitUsage, r.code, "%v: %s%s", c.args, r.out, r.err)
		require.Contains(t, r.err, c.says, c.args)
		require.Empty(t, r.out, c.args)
	}
	require.Empty(t, b.engine.started, "no run is started of a name that is wrong")
	require.Equal(t, program.ExitOK, b.run("documents", "count", "--kind", "act").code, "which kinds will come only the source knows")
}

// TestLabelsAreNames: commands take a label that one item has.
func TestLabelsAreNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r-8", WorkflowID: "news-8", Campaign: "news", Version: 1, StartedAt: moment()}})
	require.NoError(t, err)
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, []rows.RunItem{
		{Ord: 0, Entry: "feed", Key: "w-ge", Label: "Genova", Fetcher: "feed"},
		{Ord: 1, Entry: "feed", Key: "w-rm", Label: "Roma", Fetcher: "feed"},
		{Ord: 2, Entry: "feed", Key: "w-r2", Label: "Roma", Fetcher: "feed"},
	}))
	require.NoError(t, s.Close())
	for _, args := range [][]string{
		{"items", "show", "Genova"},
		{"items", "pause", "Genova"},
		{"items", "resume", "Genova"},
		{"documents", "list", "--item", "Genova"},
		{"failures", "list", "--item", "Genova"},
		{"runs", "skip", "news-8", "Genova"},
	} {
		require.Equal(t, program.ExitOK, b.run(args...).code, "%v %s", args, b.run(args...).err)
	}
	require.Contains(t, b.engine.told, "skip news-8 w-ge")
	b.ok("trigger", "--campaign", "news", "--item", "Genova", "-d")
	require.Equal(t, []string{"w-ge"}, b.engine.started[0].Start.Items)
	r := b.run("items", "show", "Roma")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, `"news / feed / w-r2"`)
}
