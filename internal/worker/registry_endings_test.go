package worker

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkpb "go.temporal.io/api/sdk/v1"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// metadata is the text that the Web UI shows of a run.
func (h *house) metadata(r rows.Run) string {
	h.t.Helper()
	value, err := h.client.QueryWorkflow(h.ctx, r.WorkflowID, "", "__temporal_workflow_metadata")
	require.NoError(h.t, err)
	var m sdkpb.WorkflowMetadata
	require.NoError(h.t, value.Get(&m))
	return m.GetCurrentDetails()
}

// The four ways in which a harvest ends, as the registry is told, as the store keeps and
// as the Web UI shows them.
func TestTheFourEndings(t *testing.T) {
	t.Parallel()
	h, site := newHouse(t), newTollgate(t)
	later := host(t, 1, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Retry-After", fmt.Sprint(int((3 * time.Hour).Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	for id, address := range map[string]string{"good": h.source.URL + "/good", "later": later + "/later", "wrong": h.source.URL + "/gone", "told": site.site(0) + "/told"} {
		j := h.job(id)
		j["run"], j["params"] = "once", map[string]any{"url": address}
		h.service.Put(j)
	}
	require.Equal(t, 4, h.synced().Applied.Started)
	h.until("one is being fetched", func() bool { return len(site.seen()) == 1 })
	h.service.Set("told", "stop", "now")
	require.Equal(t, 1, h.synced().Applied.Stopped)
	want := map[string]outcomes.Ending{"good": outcomes.EndedOK, "later": outcomes.EndedLater, "wrong": outcomes.EndedError, "told": outcomes.EndedTerminated}
	runs := map[string]rows.Run{}
	for id := range want {
		runs[id] = h.ended(id)
	}
	h.synced()
	for id, ending := range want {
		last := h.service.Last(id)
		require.EqualValues(t, ending, last["ending"], "%s: %v", id, last)
		require.Equal(t, "waiting", last["state"], "for its time")
		require.Equal(t, ending, runs[id].Ending())
		if ending == outcomes.EndedError || ending == outcomes.EndedLater {
			require.NotEmpty(t, last["error"])
		}
		require.Contains(t, h.metadata(runs[id]), ending.Words(), "in the Web UI")
	}
}
