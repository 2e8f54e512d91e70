package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func defineRename(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"))
	apply(t, s, campaign("news", "b"))
	harvestOnce(t, s, "1", doc("d1", "one"))
	c := campaign("notizie", "c")
	c.Was = []string{"news"}
	require.Equal(t, []rows.Applied{{Name: "notizie", Version: 3, Changed: true, Moved: 1}}, apply(t, s, c))
	require.Equal(t, []rows.Applied{{Name: "notizie", Version: 3}}, apply(t, s, c), "a second time nothing moves")

	_, err := s.Campaign(t.Context(), "news")
	require.ErrorIs(t, err, rows.ErrNotFound)
	cps, err := s.Checkpoints(t.Context(), rows.CheckpointFilter{Campaign: "notizie"})
	require.NoError(t, err)
	require.Len(t, cps, 1)
	r, err := s.FindRun(t.Context(), "notizie")
	require.NoError(t, err)
	require.Equal(t, "news-1", r.WorkflowID)
	d, err := s.Document(t.Context(), "notizie", "d1")
	require.NoError(t, err)
	require.Equal(t, "notizie", d.Campaign)
	require.Len(t, all(t, s.Changes(t.Context(), rows.ChangeFilter{Collection: "notizie"})), 1)
	items, err := s.Items(t.Context(), rows.ItemsFilter{Campaign: "notizie"})
	require.NoError(t, err)
	require.EqualValues(t, 1, items[0].Documents)
	defs, err := s.Definitions(t.Context(), "notizie")
	require.NoError(t, err)
	require.Len(t, defs, 3)
}

func defineRenameEntry(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"))
	harvestOnce(t, s, "1", doc("d1", "one"))
	c := campaign("news", "b")
	c.WasEntry = map[string]string{"feeds": "feed"}
	require.Equal(t, 1, apply(t, s, c)[0].Moved)
	list, err := s.Checkpoints(t.Context(), rows.CheckpointFilter{Campaign: "news", Entry: "feeds"})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "a", list[0].Key)
}

func wasItem(digest, key, was string) rows.ApplyCampaign {
	c := campaign("news", digest)
	c.WasItem = map[string]map[string]string{"feed": {key: was}}
	return c
}

func defineRenameItem(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"))
	harvestOnce(t, s, "1", doc("d1", "one"))
	pause := rows.Pause{By: "marta", At: noon(), Note: "moved"}
	require.NoError(t, s.PauseItem(t.Context(), units.Item{Campaign: "news", Entry: "feed", Key: "z"}, &pause))
	require.Equal(t, 1, apply(t, s, wasItem("b", "z", "a"))[0].Moved)
	require.Zero(t, apply(t, s, wasItem("b", "z", "a"))[0].Moved, "a second time nothing moves")
	list, err := s.Checkpoints(t.Context(), rows.CheckpointFilter{Campaign: "news", Key: "z"})
	require.NoError(t, err)
	require.Len(t, list, 1)
	items, err := s.Items(t.Context(), rows.ItemsFilter{Campaign: "news"})
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Equal(t, "z", items[0].Key)
	require.EqualValues(t, 1, items[0].Documents)
	require.Equal(t, &pause, items[0].Paused, "what was paused under the new key stays paused")
	require.NotEmpty(t, items[0].Outcome, "its history is there")
}

func defineRenameItemLate(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"))
	harvestOnce(t, s, "1", doc("d1", "one"))
	require.NoError(t, s.SetCheckpoint(t.Context(), units.Item{Campaign: "news", Entry: "feed", Key: "z"}, "", []byte(`1`)))
	_, err := s.Apply(t.Context(), rows.Application{Project: "law", Campaigns: []rows.ApplyCampaign{wasItem("b", "z", "a")}})
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.ErrorContains(t, err, "news / feed / z has a checkpoint of its own already")
}

func defineRenameRefused(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"), campaign("notizie", "n"))
	harvestOnce(t, s, "1", doc("d1", "one"))
	require.NoError(t, s.SetCheckpoint(t.Context(), units.Item{Campaign: "notizie", Entry: "feed", Key: "a"}, "", []byte(`1`)))
	c := campaign("notizie", "n2")
	c.Was = []string{"news"}
	_, err := s.Apply(t.Context(), rows.Application{Project: "law", Campaigns: []rows.ApplyCampaign{c}})
	require.Error(t, err)
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.Contains(t, err.Error(), "notizie / feed / a")
	got, err := s.Campaign(t.Context(), "notizie")
	require.NoError(t, err)
	require.Equal(t, 1, got.Definition.Version, "nothing was changed")
}

func defineRenameLate(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"))
	harvestOnce(t, s, "1", doc("d1", "one"))
	apply(t, s, campaign("notizie", "n"))
	n := newRun("2", "")
	n.Campaign = "notizie"
	run := ask(t, s, n).Run.ID
	require.NoError(t, s.AddItems(t.Context(), run, runItems("a", "b")))
	_, err := s.SealRun(t.Context(), run, 1, time.Time{})
	require.NoError(t, err)
	it := claim(t, s, run, 1, 1).Items[0]
	w := closed(write(it), outcomes.Failed)
	w.Ledger = []visit.Exchange{{At: noon(), Method: "GET", Host: "example.org"}}
	commit(t, s, it, w)
	pause := rows.Pause{By: "marta", At: noon(), Note: "moved"}
	require.NoError(t, s.PauseItem(t.Context(), units.Item{Campaign: "notizie", Entry: "feed", Key: "a"}, &pause))
	c := campaign("notizie", "n2")
	c.Was = []string{"news"}
	require.Equal(t, []rows.Applied{{Name: "notizie", Version: 3, Changed: true, Moved: 1}}, apply(t, s, c))
	require.Len(t, all(t, s.Ledger(t.Context(), rows.LedgerFilter{Campaign: "notizie"})), 1)
	r, err := s.RunByID(t.Context(), run)
	require.NoError(t, err)
	d, err := s.Definition(t.Context(), "notizie", r.Version)
	require.NoError(t, err)
	require.Equal(t, "n", d.Digest, "a run still names the definition it used")
	got, err := s.Claim(t.Context(), rows.Claim{Run: run, Shared: true, Epoch: 2, Max: 9, Now: noon()})
	require.NoError(t, err)
	require.Len(t, got.Items, 1, "and goes on")
	items, err := s.Items(t.Context(), rows.ItemsFilter{Campaign: "notizie", Key: "a"})
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Equal(t, &pause, items[0].Paused, "what was paused under the new name stays paused")
}
