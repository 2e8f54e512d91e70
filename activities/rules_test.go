package activities

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// What was applied before a run holds for its first request already.
func TestRulesOfHostsAreReadBeforeARunAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	reads, away := 0, errors.New("the store is away")
	w.Hosts = func(context.Context) error {
		reads++
		require.Zero(t, w.script.count("a")%2, "before anything was asked for this run")
		return away
	}
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.ErrorContains(t, err, "read the rules of hosts: the store is away")
	require.Zero(t, w.script.count("a"), "without rules nothing is asked")
	away = nil
	_, err = w.fetch(o)
	require.NoError(t, err)
	before := reads
	_, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, before, reads, "once for a run")
	require.Equal(t, outcomes.Done, w.close(o).Outcome)
}
