package activities

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// budgeted is a world whose item a asks a real server once a page, for many pages, over
// the polite client.
func budgeted(t *testing.T, budget ...campaigns.Allowance) (w *world, served *atomic.Int64) {
	t.Helper()
	served = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" { // it is no part of the budget
			w.WriteHeader(http.StatusNotFound)
			return
		}
		served.Add(1)
		io.WriteString(w, "0123456789") // test server
	}))
	t.Cleanup(s.Close)
	c := polite.New(polite.Settings{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(c.Close)
	w = newWorld(t)
	w.Client = func(v visit.Visitor) *http.Client {
		h := c.HTTP(v)
		w.script.on("a", asker(h, s.URL))
		return h
	}
	def := campaign("news", "a")
	def.Budget = budget
	w.apply(def)
	return w, served
}

// asker yields a page for each answer, of one document, twenty at most; a request that is
// refused does not end it.
func asker(h *http.Client, address string) scripted {
	return func(ctx context.Context, _ harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			for i := range 20 {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
				if err != nil {
					yield(harvest.Page{}, err)
					return
				}
				resp, err := h.Do(req)
				if err != nil {
					continue
				}
				io.Copy(io.Discard, resp.Body) // test
				resp.Body.Close()              // test
				if !yield(page(i, fmt.Sprint("d", i)), nil) {
					return
				}
			}
			yield(harvest.Page{}, ctx.Err())
		}
	}
}

// spentOf runs the campaign once and returns the item.
func spentOf(t *testing.T, w *world) rows.RunItem {
	t.Helper()
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	items := w.items(o.Run)
	w.close(o)
	return items["a"]
}

func TestABudgetEndsAnItem(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name           string
		budget         campaigns.Allowance
		served, second int64
		says           string
	}{
		{"requests of a run", campaigns.Allowance{What: "requests", N: 3, Per: "run"}, 3, 6, "the budget of news for this run is used: 3 requests; the next run goes on from here"},
		{"requests of a day", campaigns.Allowance{What: "requests", N: 3, Per: "day"}, 3, 3, "for this day is used: 3 requests; more from Mon 23 Nov 00:00 UTC"},
		{"requests of a month", campaigns.Allowance{What: "requests", N: 3, Per: "month"}, 3, 3, "for this month is used: 3 requests; more from Tue 1 Dec 00:00 UTC"},
		{"bytes of a day", campaigns.Allowance{What: "bytes", N: 25, Per: "day"}, 3, 3, "for this day is used: 25B; more from"},
		{"documents of a month", campaigns.Allowance{What: "documents", N: 4, Per: "month"}, 4, 4, "for this month is used: 4 documents; more from"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, served := budgeted(t, c.budget)
			w.clock.set(now)
			it := spentOf(t, w)
			require.Equal(t, outcomes.Throttled, it.Outcome, it.Error)
			require.Equal(t, string(outcomes.WhyBudget), it.Why)
			require.Contains(t, it.Error, c.says)
			require.Equal(t, c.served, served.Load())
			w.clock.set(now.Add(time.Hour))
			require.Equal(t, outcomes.Throttled, spentOf(t, w).Outcome, "in the next run")
			require.Equal(t, c.second, served.Load(), "in the next run")
			w.clock.set(now.AddDate(0, 1, 0))
			spentOf(t, w)
			require.Greater(t, served.Load(), c.second, "in the next period")
		})
	}
}

// What is spent is kept in the store: another process goes on counting.
func TestABudgetIsOneForAllProcesses(t *testing.T) {
	t.Parallel()
	w, _ := budgeted(t, campaigns.Allowance{What: "requests", N: 100, Per: "day"})
	w.clock.set(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	spentOf(t, w)
	spentOf(t, w)
	used, err := w.store.Spent(t.Context(), "news", rows.SpendLimit{What: "requests", From: 20261122})
	require.NoError(t, err)
	require.EqualValues(t, 40, used)
	used, err = w.store.Spent(t.Context(), "news", rows.SpendLimit{What: "bytes", Entry: "scripted", From: 20261101})
	require.NoError(t, err)
	require.EqualValues(t, 400, used)
}

// TestAskingForItemsIsCounted: the list of sets is one request of the budget, and is not
// asked for where nothing is left.
func TestAskingForItemsIsCounted(t *testing.T) {
	t.Parallel()
	password := func() string { return "s3cr&t pass" }
	s := locked(t, password)
	w := signing(t, filepath.Join(t.TempDir(), "v.db"), password)
	w.clock.set(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	c := signedIn("oaipmh", `{"url":"`+s.URL+oai.Path+`"}`, s.URL)
	c.Entries[0].Split = &campaigns.Split{Ask: "sets"}
	c.Budget = []campaigns.Allowance{{What: "requests", N: 1, Per: "day"}}
	used := func() int64 {
		n, err := w.store.Spent(t.Context(), "locked", rows.SpendLimit{What: "requests"})
		require.NoError(t, err)
		return n
	}
	require.Equal(t, outcomes.Throttled, w.harvestAsked(t, c).Outcome, "nothing is left for the sets themselves")
	require.EqualValues(t, 1, used())
	bytes, err := w.store.Spent(t.Context(), "locked", rows.SpendLimit{What: "bytes"})
	require.NoError(t, err)
	require.Positive(t, bytes)

	fresh := c
	fresh.Name, fresh.Budget = "fresh", []campaigns.Allowance{{What: "requests", N: 0, Per: "run"}}
	w.apply(fresh)
	o := w.open(steps.Start{Campaign: "fresh"})
	_, err = do(w, steps.Expand, steps.ExpandIn{RunOf: o.RunOf, Entry: c.Entries[0].Name})
	require.NoError(t, err)
	_, err = do(w, steps.SealRun, steps.SealRunIn{RunOf: o.RunOf})
	require.NoError(t, err)
	require.Contains(t, string(w.items(o.Run)["split"].Policy), `"why":"budget"`)
}
