package storetest

import (
	"encoding/json"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func definitionTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"versions by digest":              defineVersions,
		"all or nothing":                  defineAtomic,
		"a campaign renamed":              defineRename,
		"an entry renamed":                defineRenameEntry,
		"an item renamed":                 defineRenameItem,
		"an item renamed too late":        defineRenameItemLate,
		"a rename that would mix two":     defineRenameRefused,
		"a rename after a first bad run":  defineRenameLate,
		"removed and back":                defineRemove,
		"paused stays paused":             definePause,
		"one truth per host":              defineHosts,
		"a host rests":                    defineRest,
		"a host is slowed":                defineSlow,
		"a host asks for a gap":           defineDelay,
		"what changed about hosts":        defineHostChanges,
		"lists by digest":                 defineLists,
		"who did what":                    defineEvents,
		"the store's own name, and check": defineIdentity,
	}
}

func apply(t *testing.T, s Store, campaigns ...rows.ApplyCampaign) []rows.Applied {
	t.Helper()
	got, err := s.Apply(t.Context(), rows.Application{Project: "law", Author: "marta", At: noon(), Campaigns: campaigns})
	require.NoError(t, err)
	return got
}

func campaign(name, digest string) rows.ApplyCampaign {
	return rows.ApplyCampaign{Name: name, Digest: digest, Spec: json.RawMessage(`{"name":"` + name + `"}`), File: "main.yaml", Line: 20, Commit: "4c19"}
}

func defineVersions(t *testing.T, s Store) {
	require.Equal(t, []rows.Applied{{Name: "news", Version: 1, Changed: true}, {Name: "weather", Version: 1, Changed: true}}, apply(t, s, campaign("news", "a"), campaign("weather", "w")))
	require.Equal(t, []rows.Applied{{Name: "news", Version: 1}}, apply(t, s, campaign("news", "a")))
	require.Equal(t, []rows.Applied{{Name: "news", Version: 2, Changed: true}}, apply(t, s, campaign("news", "b")))
	require.Equal(t, 3, apply(t, s, campaign("news", "a"))[0].Version, "an old digest is a new version again")

	c, err := s.Campaign(t.Context(), "news")
	require.NoError(t, err)
	want := rows.Definition{Campaign: "news", Version: 3, Digest: "a", Spec: json.RawMessage(`{"name":"news"}`), Author: "marta", File: "main.yaml", Line: 20, Commit: "4c19", AppliedAt: noon()}
	require.Equal(t, rows.Campaign{Name: "news", Project: "law", Definition: want}, c)
	d, err := s.Definition(t.Context(), "news", 0)
	require.NoError(t, err)
	require.Equal(t, want, d)
	d, err = s.Definition(t.Context(), "news", 2)
	require.NoError(t, err)
	require.Equal(t, "b", d.Digest)
	list, err := s.Definitions(t.Context(), "news")
	require.NoError(t, err)
	require.Equal(t, []int{3, 2, 1}, []int{list[0].Version, list[1].Version, list[2].Version})
	_, err = s.Definition(t.Context(), "news", 9)
	require.ErrorIs(t, err, rows.ErrNotFound)
	_, err = s.Definition(t.Context(), "nothing", 0)
	require.ErrorIs(t, err, rows.ErrNotFound)
	_, err = s.Campaign(t.Context(), "nothing")
	require.ErrorIs(t, err, rows.ErrNotFound)
	all, err := s.Campaigns(t.Context(), "law", false)
	require.NoError(t, err)
	require.Len(t, all, 2)
}

func defineAtomic(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"))
	_, err := s.Apply(t.Context(), rows.Application{Project: "other", Hosts: []rows.Host{{Name: "example.org", Every: time.Second}}})
	require.NoError(t, err)
	_, err = s.Apply(t.Context(), rows.Application{Project: "law", Campaigns: []rows.ApplyCampaign{campaign("news", "b"), campaign("more", "m")}, Hosts: []rows.Host{{Name: "example.org", Every: time.Minute}}})
	require.Error(t, err)
	list, err := s.Campaigns(t.Context(), "", true)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, 1, list[0].Definition.Version)
}

func defineRemove(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"), campaign("weather", "w"))
	require.ErrorIs(t, s.RemoveCampaigns(t.Context(), []string{"weather", "nothing"}, "marta"), rows.ErrNotFound)
	require.NoError(t, s.RemoveCampaigns(t.Context(), []string{"weather"}, "marta"))
	list, err := s.Campaigns(t.Context(), "", false)
	require.NoError(t, err)
	require.Len(t, list, 1)
	list, err = s.Campaigns(t.Context(), "law", true)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.False(t, list[1].Removed.IsZero())
	events, err := s.Events(t.Context(), "weather", time.Time{}, 0)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, "marta", events[0].By)
	require.Equal(t, 1, apply(t, s, campaign("weather", "w"))[0].Version)
	c, err := s.Campaign(t.Context(), "weather")
	require.NoError(t, err)
	require.True(t, c.Removed.IsZero())
}

func definePause(t *testing.T, s Store) {
	apply(t, s, campaign("news", "a"))
	pause := rows.Pause{By: "marta", At: noon(), Until: day(2), Note: "under repair", Token: "t1"}
	there := pause
	there.At, there.Until = noon().In(time.FixedZone("CEST", 7200)), day(2).In(time.FixedZone("CEST", 7200))
	require.NoError(t, s.PauseCampaign(t.Context(), "news", &there))
	apply(t, s, campaign("news", "b"))
	c, err := s.Campaign(t.Context(), "news")
	require.NoError(t, err)
	require.Equal(t, &pause, c.Paused, "an apply wakes nobody")
	require.NoError(t, s.PauseCampaign(t.Context(), "news", nil))
	c, err = s.Campaign(t.Context(), "news")
	require.NoError(t, err)
	require.Nil(t, c.Paused)
	require.ErrorIs(t, s.PauseCampaign(t.Context(), "nothing", nil), rows.ErrNotFound)
}

func defineLists(t *testing.T, s Store) {
	const n = 30_000
	list := func(yield func(rows.ListRow) bool) {
		for i := range n {
			if !yield(rows.ListRow(fmt.Sprintf(`{"key": "k%d", "params": {"url": "https://example.org/%d/<&>"}}`, i, i))) {
				return
			}
		}
	}
	digest := harvest.Digest([]byte("list"))
	has, err := s.HasList(t.Context(), digest)
	require.NoError(t, err)
	require.False(t, has)
	require.NoError(t, s.SaveList(t.Context(), digest, list))
	var untouched iter.Seq[rows.ListRow] = func(func(rows.ListRow) bool) { t.Error("a known list is not read again") }
	require.NoError(t, s.SaveList(t.Context(), digest, untouched))
	got := all(t, s.List(t.Context(), digest))
	require.Len(t, got, n)
	require.JSONEq(t, `{"key":"k29999","params":{"url":"https://example.org/29999/<&>"}}`, string(got[n-1]))
	for _, err := range s.List(t.Context(), "sha256:unknown") {
		require.ErrorIs(t, err, rows.ErrNotFound)
	}
	bad := func(yield func(rows.ListRow) bool) { yield(rows.ListRow(`{`)) }
	require.Error(t, s.SaveList(t.Context(), "bad", bad))
	has, err = s.HasList(t.Context(), "bad")
	require.NoError(t, err)
	require.False(t, has)
}

func defineEvents(t *testing.T, s Store) {
	for i, on := range []string{"news", "weather", "news"} {
		require.NoError(t, s.Record(t.Context(), rows.Event{At: noon().Add(time.Duration(i) * time.Minute), By: "marta", Verb: "apply", On: on, Note: fmt.Sprint(i)}))
	}
	list, err := s.Events(t.Context(), "news", time.Time{}, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"2", "0"}, []string{list[0].Note, list[1].Note})
	list, err = s.Events(t.Context(), "", noon().Add(time.Minute), 1)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func defineIdentity(t *testing.T, s Store) {
	again := s.Again(t)
	require.Len(t, s.ID(), 8)
	require.Equal(t, s.ID(), again.ID())
	epochIs(t, s, 1)
	require.Equal(t, s.Address(), again.Address())
	require.NoError(t, s.Check(t.Context()))
	epoch, ended, err := s.Restored(t.Context(), "marta")
	require.NoError(t, err)
	require.EqualValues(t, 2, epoch)
	require.Zero(t, ended)
	epochIs(t, s, 2)
	epochIs(t, again, 2)
	require.NoError(t, again.Close())
	require.NoError(t, again.Close(), "twice is harmless")
	require.Error(t, again.Check(t.Context()))
	require.Error(t, again.Write(t.Context(), rows.Write{}).Err)
}

func epochIs(t *testing.T, s Store, want int64) {
	t.Helper()
	got, err := s.Epoch(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}
