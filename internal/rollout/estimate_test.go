package rollout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// TestTheLastRunsSayWhatARunAsks: an item may be one request, or hundreds.
func TestTheLastRunsSayWhatARunAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(gazetteFile)
	estimate := func() *Estimate {
		plan := w.plan()
		i := slices.IndexFunc(plan.Changes, func(c Change) bool { return c.Name == "gu-serie-generale" })
		require.GreaterOrEqual(t, i, 0)
		return plan.Changes[i].Estimate
	}
	require.Equal(t, 2, estimate().RequestsPerDay, "two starts a day, an item each")
	require.Contains(t, estimate().words(), "at least 2 requests/day")
	w.apply()
	w.settled()
	for i, asked := range []int{290, 0, 310} { // one was left out
		run := rows.Run{
			RunID: fmt.Sprint(i), WorkflowID: fmt.Sprint(i), Campaign: "gu-serie-generale", Version: 1, Outcome: harvest.OutcomeDone,
			DueAt: w.in.Now.Add(time.Duration(i-5) * time.Hour), Tally: harvest.Tally{Asked: asked},
		}
		require.NoError(t, w.store.RecordRun(t.Context(), run))
	}
	w.files(strings.Replace(gazetteFile, "params: { series: serie_generale }", "processors: 2, params: { series: serie_generale }", 1))
	require.True(t, estimate().Seen)
	require.Equal(t, 600, estimate().RequestsPerDay)
	require.Contains(t, estimate().words(), "about 600 requests/day")
}
