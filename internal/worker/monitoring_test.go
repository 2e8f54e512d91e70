package worker

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
)

// exported is the names of all that a worker exports.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "v.db"), store.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	someItems(t, s, "library")
	m := newMetrics(process.Env{})
	newQueueMetrics(&service{}, s, m, slog.New(slog.DiscardHandler))
	m.ItemClosed("feed", outcomes.Done)
	m.Page("feed", harvest.Tally{New: 1})
	m.Exchange(visit.Exchange{Status: 200, Took: time.Second})
	m.Notified("sent")
	h := sdkHandler{m.sdk, prometheus.Labels{"task_queue": "q"}}
	h.Timer("temporal_activity_schedule_to_start_latency").Record(time.Second)
	h.Gauge("temporal_worker_task_slots_available").Update(1)
	families, err := m.registry.Gather()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, f := range families {
		names[f.GetName()] = true
	}
	return names
}

// TestMonitoringAsksForWhatThereIs: a dashboard or an alert over a metric that nobody
// exports is silent for ever.
func TestMonitoringAsksForWhatThereIs(t *testing.T) {
	t.Parallel()
	there := exported(t)
	metric := regexp.MustCompile(`\b(?:vendemmia|temporal|process)_[a-z_]+`)
	for _, file := range []string{"alerts.yaml", "alerts_test.yaml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join("../../deployments/monitoring", file))
		require.NoError(t, err)
		found := metric.FindAllString(string(text), -1)
		require.NotEmpty(t, found, file)
		for _, name := range found {
			require.True(t, there[strings.TrimSuffix(name, "_bucket")], "%s asks for %s", file, name)
		}
	}
}

// TestAlertsNameOutcomesThatThereAre: a word that is no outcome never fits.
func TestAlertsNameOutcomesThatThereAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deployments/monitoring/alerts.yaml")
	require.NoError(t, err)
	lists := regexp.MustCompile(`outcome=~"([^"]+)"`).FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, lists)
	for _, list := range lists {
		for word := range strings.SplitSeq(list[1], "|") {
			require.True(t, outcomes.Outcome(word).Valid(), word)
		}
	}
}

// TestDashboardIsWhole: every panel has a query, a place of its own and a title.
func TestDashboardIsWhole(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deployments/monitoring/dashboard.json")
	require.NoError(t, err)
	var d struct {
		Title  string
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &d))
	require.NotEmpty(t, d.Title)
	places, ids := map[[2]int]bool{}, map[int]bool{}
	for _, p := range d.Panels {
		require.NotEmpty(t, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		at := [2]int{p.GridPos.X, p.GridPos.Y}
		require.False(t, places[at] || ids[p.ID], p.Title)
		places[at], ids[p.ID] = true, true
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
	}
}
