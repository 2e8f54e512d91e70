package worker

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A worker without control fetches for its queues and leaves the steps of runs to
// another one.
func TestWorkerWithoutControl(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w, rss, "a")
	}))
	t.Cleanup(site.Close)
	health, _ := v.start("fetches", nil, "--control=false")
	resp, err := http.Get("http://" + health + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), `vendemmia_queue_items{queue="vendemmia-fetch",state="due"} 0`)
	v.start("controls", nil, "--queues", "other")
	run := v.run("one", site.URL)
	var sum steps.Summary
	require.NoError(t, run.Get(v.ctx, &sum))
	require.Equal(t, outcomes.Done, sum.Outcome)

	history := v.client.GetWorkflowHistory(v.ctx, run.GetID(), run.GetRunID(), false, 0)
	for history.HasNext() {
		e, err := history.Next()
		require.NoError(t, err)
		if by := e.GetWorkflowTaskCompletedEventAttributes().GetIdentity(); by != "" {
			require.Equal(t, "worker-controls", by)
		}
	}
	s, err := store.Open(v.ctx, v.store, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	lines := 0
	for line, err := range s.Ledger(v.ctx, rows.LedgerFilter{}) {
		require.NoError(t, err)
		require.Equal(t, "worker-fetches", line.Worker)
		lines++
	}
	require.Equal(t, 1, lines)
}
