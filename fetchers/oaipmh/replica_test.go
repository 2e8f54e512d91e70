package oaipmh_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
)

// attempts harvests as a runner does, two attempts at most.
func attempts(t *testing.T, client *http.Client, req harvest.Request) (*result, int) {
	t.Helper()
	f, all := oaipmh.New(client), &result{}
	for n := 1; ; n++ {
		r := &result{}
		req.Attempt, req.LastAttempt = n, n == 2
		r.tally, r.err = harvest.Pump(t.Context(), f, req, r)
		all.pages, all.rejects, all.tally, all.err = append(all.pages, r.pages...), append(all.rejects, r.rejects...), all.tally.Add(r.tally), r.err
		if c := r.checkpoint(); c != nil {
			req.Checkpoint = c
		}
		retried := []harvest.Kind{harvest.KindServerError, harvest.KindTimeout, harvest.KindUnreachable, harvest.KindThrottled}
		if r.err == nil || n == 2 || !slices.Contains(retried, harvest.KindOf(r.err)) {
			return all, n
		}
	}
}

// TestEveryFaultOfTheReplica: however a repository fails, a harvest that ends
// well has everything, or says that it has not.
func TestEveryFaultOfTheReplica(t *testing.T) {
	t.Parallel()
	faults := oai.Faults()
	lines := make([]string, len(faults))
	t.Run("all", func(t *testing.T) {
		for i, f := range faults {
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				lines[i] = tryFault(t, f)
			})
		}
	})
	golden.Compare(t, "testdata/faults.golden", []byte(strings.Join(lines, "\n")+"\n"))
}

func tryFault(t *testing.T, f oai.Fault) string {
	t.Helper()
	patience := 20 * time.Second
	switch f.Name { // less of it shows the same, sooner
	case "hang":
		patience = 500 * time.Millisecond
	case "drip":
		f = f.Of(5)
	case "slow-pages", "growing-delay":
		f = f.Of(20)
	case "deep-nesting":
		f = f.Of(5000)
	}
	repo, err := oai.Start(oai.Config{Records: 120, Page: 15, DeletedEvery: 10, Fault: f})
	require.NoError(t, err)
	t.Cleanup(repo.Close)
	r, _ := attempts(t, politely(t, patience), harvest.Request{Params: []byte(`{"url":"` + repo.URL() + `"}`)})
	whole := append(repo.Living(""), repo.Deleted("")...)
	missing := 0
	ids := r.ids()
	for _, id := range whole {
		if _, found := slices.BinarySearch(ids, id); !found {
			missing++
		}
	}
	said := r.err != nil || r.tally.Partial || len(r.rejects) > 0
	require.True(t, said || missing == 0, "%d records are missing, and nobody said so", missing)
	if r.err != nil {
		require.NotEqual(t, harvest.KindInternal, harvest.KindOf(r.err), "%v", r.err)
	}
	came := "all"
	if missing > 0 {
		came = "some"
	}
	if len(ids) == 0 {
		came = "none"
	}
	return fmt.Sprintf("%-28s %-14s %-5s %s", f.Name, r.outcome(), came, f.Does)
}

// TestALifeOfARepository: day after day what changed comes, and nothing else.
func TestALifeOfARepository(t *testing.T) {
	t.Parallel()
	repo, err := oai.Start(oai.Config{Records: 300, Page: 40})
	require.NoError(t, err)
	t.Cleanup(repo.Close)
	req := harvest.Request{Params: []byte(`{"url":"` + repo.URL() + `"}`)}
	client, sums := politely(t, 20*time.Second), map[string]string{}
	for n := range 6 {
		var want []string
		if n > 0 {
			repo.Advance(48 * time.Hour)
			want = slices.Concat(repo.Add(3), repo.Change(5), repo.Delete(2))
		} else {
			want = repo.Living("")
		}
		r, _ := attempts(t, client, req)
		require.NoError(t, r.err)
		req.Checkpoint = r.checkpoint()
		var changed []string
		for _, d := range r.documents() {
			if sums[d.ID] != d.Sum() {
				changed = append(changed, d.ID)
			}
			sums[d.ID] = d.Sum()
		}
		slices.Sort(want)
		require.Equal(t, slices.Compact(want), sorted(changed), "run %d", n)
		repo.Advance(48 * time.Hour)
	}
}
