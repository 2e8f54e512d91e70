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

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/replica/gazzetta"
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
func newGazette(t *testing.T, today time.Time) (*gazzetta.Site, string) {
	t.Helper()
	site := gazzetta.New(gazzetta.Config{Seed: rand.Uint64(), Today: today, Acts: 2})
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
	site, url := newGazette(t, today)
	h := newHouse(t)
	h.work()
	h.gazette("crash", url, from)
	var want []string
	acts, issues := 0, 0
	for _, series := range gazzetta.Series() {
		held := site.Issues(series, from, time.Time{})
		want, acts, issues = append(want, gazzetta.IDs(held)...), acts+gazzetta.Acts(held), issues+len(held)
	}
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	for range kills {
		h.crashMoment((acts + issues) / (kills + 1))
		h.worker.Kill()
		h.work()
	}
	require.Equal(t, harvest.OutcomeDone, h.result(run).Outcome)
	h.requireGazette(want)
	asked := site.Asked(gazzetta.ActPage) + site.Asked(gazzetta.PDFPage)
	require.LessOrEqual(t, asked, acts+kills*len(gazzetta.Series()), "a kill repeats at most the act in work of each series")
	t.Logf("%d kills of the worker (SIGKILL): %d issues, %d acts, %d documents; %d acts asked for again", kills, issues, acts, len(want), max(0, asked-acts))
}

// gazette applies a campaign of all series.
func (h *house) gazette(name, url string, from time.Time) {
	h.t.Helper()
	var items strings.Builder
	for _, series := range gazzetta.Series() {
		fmt.Fprintf(&items, "      - { series: %s }\n", series)
	}
	h.write(name+".yaml", fmt.Sprintf("project: e2e\nhosts: { 127.0.0.1: { connections: 20 } }\ncampaigns:\n  %s:\n    fetcher: gazzetta\n    processors: 7\n    params: { url: %q, from: %q }\n    split:\n      items:\n%s",
		name, url, from.Format(time.DateOnly), items.String()))
	_, code := h.starter("campaigns", "plan", name+".yaml")
	require.Equal(h.t, 0, code, "plan")
	_, code = h.starter("campaigns", "apply", name+".yaml", "--yes")
	require.Equal(h.t, 0, code, "apply")
}

// requireGazette counts the store against what the gazette holds: everything
// once, nothing lost, nothing doubled, each item closed once.
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
	run, err := s.FindRun(h.t.Context(), "crash-1")
	require.NoError(h.t, err)
	items, err := s.RunItems(h.t.Context(), run.ID, rows.ItemFilter{})
	require.NoError(h.t, err)
	require.Len(h.t, items, len(gazzetta.Series()))
	for _, i := range items {
		require.Equal(h.t, harvest.OutcomeDone, i.Outcome, i.Key)
	}
}
