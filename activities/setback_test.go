package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// fullStore hands out nothing: its disk is full.
type fullStore struct{ seam }

func (fullStore) Claim(context.Context, rows.Claim) (rows.Claimed, error) {
	return rows.Claimed{}, harvest.Errorf(harvest.KindInternal, "claim items of run", "1", "the disk is full")
}

// A store that cannot be written is asked ever more seldom, whichever chunk asks,
// and the log of the SDK has no line for each attempt.
func TestAttemptsAgainstABrokenStoreComeEverMoreSeldom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	start := time.Now()
	w.clock.set(start)
	whole := w.store
	w.seam = fullStore{whole}
	for _, c := range []struct{ after, wait time.Duration }{
		{0, time.Second}, {time.Second, time.Second}, {8 * time.Second, 8 * time.Second}, {30 * time.Second, 30 * time.Second}, {7 * time.Minute, time.Minute},
	} {
		w.clock.set(start.Add(c.after))
		_, err := w.fetch(o)
		require.ErrorContains(t, err, "the disk is full")
		app, ok := errors.AsType[*temporal.ApplicationError](err)
		require.True(t, ok)
		require.Equal(t, c.wait, app.NextRetryDelay(), "after %s", c.after)
		require.Equal(t, temporal.ApplicationErrorCategoryBenign, app.Category())
	}
	w.seam = w.store
	_, err := w.fetch(o)
	require.NoError(t, err)
	w.seam = fullStore{whole}
	_, err = w.fetch(o)
	app, _ := errors.AsType[*temporal.ApplicationError](err)
	require.Equal(t, time.Second, app.NextRetryDelay(), "another trouble begins anew")
}
