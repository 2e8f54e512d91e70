package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

func TestStatsBudget(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	c := campaigns.Adhoc("feed", json.RawMessage(`{"url":"https://a.example.org/"}`), 1)
	c.Name = "spends"
	c.Budget = []campaigns.Allowance{{What: "requests", N: 500, Per: "run"}, {What: "bytes", N: 10 << 20, Per: "day"}}
	c.Entries[0].Budget = []campaigns.Allowance{{What: "documents", N: 1000, Per: "month"}}
	spec, err := c.Canonical()
	require.NoError(t, err)
	_, err = s.Apply(t.Context(), rows.Application{Project: "test", At: moment(), Campaigns: []rows.ApplyCampaign{{Name: c.Name, Digest: harvest.Digest(spec), Spec: spec}}})
	require.NoError(t, err)
	for i, id := range []string{"spends-1", "spends-2"} {
		g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: id, WorkflowID: id, Campaign: c.Name, Version: 1, Trigger: "schedule", StartedAt: utc(14+i, 0, 0)}})
		require.NoError(t, err)
		_, err = s.Spend(t.Context(), rows.Spend{Campaign: c.Name, Entry: "feed", Run: g.Run.ID, Day: 20260503, Requests: 1, Bytes: 3 << 20, Documents: 600})
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
	golden(t, "stats_budget", b.ok("stats", "budget", "spends"))
	golden(t, "stats_budget_json", b.ok("stats", "budget", "-o", "json"))
	r := b.run("stats", "budget", "spens")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "did you mean spends?")
}
