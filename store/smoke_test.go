package store

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func TestSmoke(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "a.db"), Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Apply(ctx, rows.Application{Project: "p", Campaigns: []rows.ApplyCampaign{{Name: "news", Digest: "d", Spec: []byte(`{}`)}}})
	require.NoError(t, err)
	g, err := s.OpenRun(ctx, rows.NewRun{Run: rows.Run{RunID: "r1", WorkflowID: "news-1", Campaign: "news", Version: 1}, Exclusive: true})
	require.NoError(t, err)
	require.NoError(t, s.AddItems(ctx, g.Run.ID, []rows.RunItem{{Ord: 0, Entry: "feed", Key: "a", Fetcher: "feed"}}))
	n, err := s.SealRun(ctx, g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	c, err := s.Claim(ctx, rows.Claim{Run: g.Run.ID, Lo: 0, Hi: 10, Epoch: 5, Max: 10, Now: time.Now()})
	require.NoError(t, err)
	require.Len(t, c.Items, 1)
	w := s.Write(ctx, rows.Write{Run: g.Run.ID, Ord: 0, Epoch: 5, At: time.Now(), Page: &rows.PageWrite{Seq: 1, Collection: "news",
		Page: harvest.Page{Documents: []harvest.Document{{ID: "1"}, {ID: "2"}}, Checkpoint: []byte(`{"a":1}`), Listed: 2}},
		Settle: &rows.Settle{State: rows.ItemClosed, Outcome: harvest.OutcomeDone}})
	require.NoError(t, w.Err)
	require.Equal(t, 2, w.Tally.New)
	require.NoError(t, s.FinishRun(ctx, rows.Finish{Run: g.Run.ID, Outcome: harvest.OutcomeDone}))
	r, err := s.FindRun(ctx, "news")
	require.NoError(t, err)
	require.Equal(t, 2, r.Tally.New)
}
