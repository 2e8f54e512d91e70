package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// The gazette under kills: a month of all series in `make test`, a year in
// `make soak`.

func TestGazetteMonth(t *testing.T) {
	t.Parallel()
	killGazette(t, 3, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC))
}

func TestSoakGazetteYear(t *testing.T) {
	soak(t)
	killGazette(t, 20, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))
}

// newGazette serves the replica, each answer a little late, so that kills find
// work in flight.
func newGazette(t *testing.T, chance *rand.Rand, today time.Time) (*gazzetta.Site, string) {
	t.Helper()
	site := gazzetta.New(gazzetta.Config{Seed: chance.Uint64(), Today: today, Acts: 2})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(5 * time.Millisecond): // the source thinks
			site.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	return site, server.URL
}

func killGazette(t *testing.T, kills int, from, today time.Time) {
	h := newHouse(t)
	site, url := newGazette(t, h.chance, today)
	h.work()
	h.gazette("crash", url, from)
	var want []string
	acts, issues := 0, 0
	for _, series := range gazzetta.Series() {
		held := site.Issues(series, from, time.Time{})
		want, acts, issues = append(want, gazzetta.IDs(held)...), acts+gazzetta.Acts(held), issues+len(held)
	}
	killed, runs := 0, 0
	for done := false; !done; {
		runs++
		id := fmt.Sprintf("crash-%d", runs)
		h.start(id, steps.Start{Campaign: "crash"})
		for killed < kills && h.gazetteMoment(id, (acts+issues)/(kills+1)) {
			h.worker.Kill()
			h.work()
			killed++
		}
		done = h.gazetteRun(id)
		require.LessOrEqual(t, runs, kills, "no run comes to its end")
	}
	h.requireGazette(want)
	asked := site.Asked(gazzetta.ActPage) + site.Asked(gazzetta.PDFPage)
	require.LessOrEqual(t, asked, acts+kills*len(gazzetta.Series()), "a kill repeats at most the act in work of each series")
	t.Logf("%d kills of the worker (SIGKILL) in %d runs: %d issues, %d acts, %d documents; %d acts asked for again", killed, runs, issues, acts, len(want), max(0, asked-acts))
}

// gazetteMoment waits for a random moment of a run; false: it has ended.
func (h *house) gazetteMoment(id string, most int) bool {
	h.t.Helper()
	before, err := h.open().Counts(h.t.Context(), "crash")
	require.NoError(h.t, err)
	more := 1 + h.chance.Int64N(int64(max(1, most)))
	h.eventually("the run goes on after a kill", 2*time.Minute, func() bool {
		now, err := h.open().Counts(h.t.Context(), "crash")
		return h.closed(id) || err == nil && now.Pages >= before.Pages+more
	})
	return !h.closed(id)
}

// gazetteRun waits for the end of a run; false where items were given up because
// they had lost too many workers: the next run goes on with them.
func (h *house) gazetteRun(id string) bool {
	h.t.Helper()
	h.eventually("run "+id+" ends", 5*time.Minute, func() bool { return h.closed(id) })
	run, err := h.open().FindRun(h.t.Context(), id)
	require.NoError(h.t, err)
	items, err := h.open().RunItems(h.t.Context(), run.ID, rows.ItemFilter{})
	require.NoError(h.t, err)
	require.Len(h.t, items, len(gazzetta.Series()))
	done := true
	for _, i := range items {
		if i.Outcome == outcomes.Done || i.Outcome == outcomes.Unchanged {
			continue
		}
		require.EqualValues(h.t, outcomes.WhyWorkerLost, i.Why, "%s: %s %s", i.Key, i.Outcome, i.Error)
		done = false
	}
	return done
}

// gazette applies a campaign of all series.
func (h *house) gazette(name, url string, from time.Time) {
	h.t.Helper()
	var items strings.Builder
	for _, series := range gazzetta.Series() {
		fmt.Fprintf(&items, "      - { series: %s }\n", series)
	}
	h.write(name+".yaml", fmt.Sprintf("project: e2e\nhosts: { 127.0.0.1: { connections: 20 } }\ncampaigns:\n  %s:\n    fetcher: gazzetta\n    processors: 7\n    params: { url: %q, from: %q, revisit: 0 }\n    split:\n      items:\n%s",
		name, url, from.Format(time.DateOnly), items.String()))
	_, code := h.starter("campaigns", "plan", name+".yaml")
	require.Equal(h.t, 0, code, "plan")
	_, code = h.starter("campaigns", "apply", name+".yaml", "--yes")
	require.Equal(h.t, 0, code, "apply")
}

// requireGazette counts the store against what the gazette holds: everything
// once, nothing lost, nothing doubled.
func (h *house) requireGazette(want []string) {
	h.t.Helper()
	s := h.open()
	seen, changes := map[string]int{}, map[string]int{}
	for d, err := range s.Documents(h.t.Context(), rows.DocumentFilter{Campaign: "crash"}) {
		require.NoError(h.t, err)
		seen[d.Line.ID]++
		if d.Line.MediaType == "application/pdf" {
			require.NotEmpty(h.t, d.Line.BodyRef, "%s: a PDF goes to the bucket", d.Line.ID)
		}
	}
	for c, err := range s.Changes(h.t.Context(), rows.ChangeFilter{Campaign: "crash"}) {
		require.NoError(h.t, err)
		changes[c.Document.Line.ID]++
	}
	lost, doubled := 0, 0
	for _, id := range want {
		if seen[id] == 0 {
			lost++
		}
		if seen[id] > 1 || changes[id] > 1 {
			doubled++
		}
	}
	h.t.Logf("%d documents stored, %d lost, %d doubled", len(seen), lost, doubled)
	require.Zero(h.t, lost, "documents lost")
	require.Zero(h.t, doubled, "documents doubled")
	require.Len(h.t, seen, len(want), "documents that the gazette does not hold")
}
