package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/runs"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// What a run listed is shown beside what became of it, so that the numbers can be
// added up.
func TestListedIsShown(t *testing.T) {
	t.Parallel()
	require.Equal(t, "12 listed: 1 new · 2 changed · 3 unchanged · 2 deleted · 4 quarantined",
		runs.DocumentsLine(harvest.Tally{Listed: 12, New: 1, Changed: 2, Same: 3, Deleted: 2, Quarantined: 4}))
	require.Equal(t, "22 listed: 0 new · 0 changed · 22 unchanged · 3 deleted (3 no longer listed)",
		runs.DocumentsLine(harvest.Tally{Listed: 22, Same: 22, Deleted: 3}), "a full pass deletes what is not listed")
	b := newBench(t)
	require.Regexp(t, `(?m)^OUTCOME +ITEMS +LISTED +NEW +CHANGED +SAME +DEL +QUAR$`, b.run("runs", "show", "news").out)
	require.Regexp(t, `(?m)^ITEM +OUTCOME +LISTED +NEW +CHANGED +(DEL +)?QUAR +TRIES +WORKER +WHY$`, b.run("runs", "show", "news", "-a").out)
	require.Regexp(t, `(?m)^ENDED .* OUTCOME +LISTED +NEW +CHANGED +DEL +QUAR +WORKER +MET$`, b.run("items", "show", "nytimes-economy").out)
	b.engine.summary = warned()
	require.Contains(t, b.run("trigger", "--campaign", "news").out, "listed   2,732: 214 new · 9 changed · 2,506 unchanged · 0 deleted · 3\n         quarantined\n")
}

// A due time without a run took no time, and had no items of which all were well.
func TestAMissedRunDidNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	due := time.Date(2026, 5, 3, 11, 0, 0, 0, time.UTC)
	for _, o := range []outcomes.Outcome{outcomes.Missed, outcomes.Skipped} {
		require.NoError(t, b.openStore().RecordRun(t.Context(), rows.Run{
			RunID: string(o), WorkflowID: "news-" + string(o), Campaign: "news", Version: 1, State: rows.RunClosed,
			DueAt: due, StartedAt: due, ClosedAt: due, Outcome: o,
		}))
		out := b.run("runs", "show", "news-"+string(o)).out
		require.Contains(t, out, ": no run was started\nwhen        due Sun 3 May 13:00 CEST, not started\n")
		for _, lie := range []string{"all of 0", "took", "0 new", "ITEMS"} {
			require.NotContains(t, out, lie)
		}
	}
}
