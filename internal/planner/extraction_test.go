package planner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/store"
)

// stock gives a campaign documents.
func stock(t *testing.T, s *store.Store, campaign string, n int) {
	t.Helper()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r", WorkflowID: "r", Campaign: campaign}})
	require.NoError(t, err)
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, []rows.RunItem{{Entry: "web", Key: "a", Fetcher: "web"}}))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Epoch: 1, Max: 1})
	require.NoError(t, err)
	page := &rows.PageWrite{Seq: 1, Version: got.Items[0].Checkpoint.Version, Collection: campaign}
	for i := range n {
		page.Page.Documents = append(page.Page.Documents, harvest.Document{ID: fmt.Sprint(i)})
	}
	require.NoError(t, s.Write(t.Context(), rows.Write{Run: g.Run.ID, Epoch: 1, Page: page}).Err)
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: g.Run.ID, Outcome: outcomes.Done}))
}

// TestAChangedSelectorIsTold: what is stored was taken with another one.
func TestAChangedSelectorIsTold(t *testing.T) {
	t.Parallel()
	const file = `web.yaml
project: law-monitor
campaigns:
  albo: { schedule: every 4h, fetcher: web, params: { url: "https://albo.example.org/", fields: { title: h1.titolo } } }
`
	w := newWorld(t)
	warnings := func(file string) []string {
		w.files(file)
		return w.plan().Changes[0].Warnings
	}
	require.Empty(t, warnings(file), "a new campaign has nothing yet")
	w.apply()
	w.settled()
	stock(t, w.store, "albo", 1204)
	require.Empty(t, warnings(strings.Replace(file, "every 4h", "every 5h", 1)))
	require.Empty(t, warnings(strings.Replace(file, "/\"", "/atti\"", 1)), "where it is asked for is no matter of extraction")
	require.Equal(t, []string{"1,204 documents were taken with other fields; the next run reads again what it lists"},
		warnings(strings.Replace(file, "h1.titolo", "h1.atto__titolo", 1)))
}
