package gazzetta_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/gazzetta"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
)

// cutter ends a fetch at random: by a context cancelled ahead of a request, or
// by a reader who has had enough pages.
type cutter struct {
	rng    *rand.Rand
	cancel context.CancelFunc
	left   int
	cuts   int
}

func (c *cutter) before() {
	if c.left--; c.left == 0 {
		c.cancel()
	}
}

// TestYear harvests a year of each series over hundreds of cuts and counts what
// came against what the gazette holds.
func TestYear(t *testing.T) {
	t.Parallel()
	for n, series := range replica.Series() {
		t.Run(series, func(t *testing.T) {
			t.Parallel()
			site := replica.New(replica.Config{Seed: uint64(n), Acts: 2})
			s := newShelf()
			c := &cutter{rng: rand.New(rand.NewPCG(7, uint64(n)))}
			for !c.fetch(t, site, s, series) {
				require.Less(t, c.cuts, 5000, "it never comes to its end")
			}
			truth := site.Issues(series, time.Time{}, time.Time{})
			ids := replica.IDs(truth)
			slices.Sort(ids)
			require.Equal(t, ids, s.ids(), "lost, or never published")
			for id, times := range s.times {
				require.Equal(t, 1, times, "%s was yielded %d times", id, times)
			}
			asked := site.Asked(replica.ActPage)
			require.LessOrEqual(t, asked, replica.Acts(truth)+c.cuts, "a cut repeats at most one act")
			t.Logf("%d issues, %d acts, %d documents over %d cuts and %d requests: lost 0, doubled 0; %d acts asked again",
				len(truth), replica.Acts(truth), len(ids), c.cuts, len(site.Requests()), max(0, asked-replica.Acts(truth)))
		})
	}
}

// fetch goes on for a while; true: it came to its end.
func (c *cutter) fetch(t *testing.T, site *replica.Site, s *shelf, series string) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.cancel, c.left = cancel, 4+c.rng.IntN(160)
	pages := c.rng.IntN(50)
	enough := errors.New("enough")
	_, err := harvest.Pump(ctx, gazzetta.New(&http.Client{Transport: wire{handler: site, before: c.before}}), harvest.Request{
		Params: params(series, `,"from":"2026-01-01"`), Checkpoint: s.checkpoint, Attempt: 1,
	}, harvest.CommitFunc(func(ctx context.Context, p harvest.Page) (harvest.Tally, error) {
		if pages--; pages == 0 {
			return harvest.Tally{}, enough // it was yielded, and never committed
		}
		return s.Commit(ctx, p)
	}))
	if err == nil {
		return true
	}
	require.True(t, errors.Is(err, context.Canceled) || errors.Is(err, enough), "%v", err)
	c.cuts++
	return false
}

// TestYearByHand reads the year without cuts: no request is made twice.
func TestYearByHand(t *testing.T) {
	t.Parallel()
	site := replica.New(replica.Config{Acts: 1})
	s := newShelf()
	r := fetch(t, site, s, harvest.Request{Params: params("regioni", `,"from":"2026-01-01"`)})
	require.NoError(t, r.err)
	seen := map[string]int{}
	for _, q := range site.Requests() {
		seen[q.URI]++
		require.Equal(t, 1, seen[q.URI], q.URI)
	}
	last := s.pages[len(s.pages)-1]
	require.True(t, last.Last)
	require.EqualValues(t, len(site.Issues("regioni", time.Time{}, time.Time{})), last.Done, fmt.Sprint(last))
}
