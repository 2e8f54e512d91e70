package planner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// twoWith puts a paused: line into campaign a.
func twoWith(paused string) string {
	return edit(twoFile, "a: { ", "a: { paused: "+paused+", ")
}

func TestWhatFilesSayOfPauses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoWith(`"ask Ilse"`))
	require.Equal(t, `"ask Ilse": apply pauses it`, w.change("a").Paused)
	w.apply()
	w.settled()
	require.True(t, w.schedule("campaign-a").State.Paused)
	require.Equal(t, "PAUSED by marta 4 May: ask Ilse", w.schedule("campaign-a").State.Note[:31])
	require.Equal(t, "ask Ilse", w.paused("a").Note)

	w.in.Author, w.in.Now = "ilse", w.in.Now.Add(24*time.Hour)
	w.files(twoWith(`"until June"`))
	require.Equal(t, MarkChanged, w.change("a").Mark)
	w.apply()
	w.settled()
	require.Equal(t, "ilse", w.paused("a").By)

	w.files(twoFile) // absent: as it is
	require.Equal(t, `since 5 May 12:00 by ilse "until June": stays paused`, func() string { w.in.Now = w.in.Now.Add(24 * time.Hour); return w.change("a").Paused }())
	w.settled()

	w.files(twoWith("false"))
	require.Equal(t, `since 5 May 12:00 by ilse "until June": apply resumes it`, w.change("a").Paused)
	w.apply()
	w.settled()
	require.Nil(t, w.paused("a"))
	require.False(t, w.schedule("campaign-a").State.Paused)
}

func TestAPauseOnTheServerIsLeftAndWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.server.byHand("campaign-a", func(s *client.Schedule) { s.State.Paused, s.State.Note = true, "maintenance tonight" })
	c := w.change("a")
	require.Equal(t, MarkDrift, c.Mark)
	require.Equal(t, "paused on the server on 30 Apr 12:00 CEST, not from these files", c.Why)
	require.Equal(t, `on the server since 30 Apr 12:00 "maintenance tonight": stays paused`, c.Paused)
	w.files(edit(twoFile, "every: 2h", "every: 4h"))
	w.apply()
	w.settled()
	require.True(t, w.schedule("campaign-a").State.Paused, "an apply must not wake what sleeps")
	require.Contains(t, w.schedule("campaign-a").State.Note, "PAUSED 30 Apr: maintenance tonight · every 4h · ")
	require.Equal(t, "maintenance tonight", w.paused("a").Note)

	w.server.byHand("campaign-a", func(s *client.Schedule) { s.State.Paused, s.State.Note = false, "Unpaused via the Web UI" })
	c = w.change("a")
	require.Equal(t, MarkDrift, c.Mark)
	require.Equal(t, "resumed on the server: stays so", c.Paused)
	w.apply()
	w.settled()
	require.Nil(t, w.paused("a"))
}

func TestTheServerAgainstTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoWith(`"ask Ilse"`))
	w.apply()
	w.server.byHand("campaign-a", func(s *client.Schedule) { s.State.Paused = false })
	c := w.change("a")
	require.Equal(t, MarkDrift, c.Mark)
	require.Equal(t, "resumed on the server on 30 Apr 12:00 CEST, not from these files", c.Why)
	w.apply()
	w.settled()
	require.True(t, w.schedule("campaign-a").State.Paused)
	w.server.byHand("campaign-a", func(s *client.Schedule) { s.State.Note = "hello" })
	require.Contains(t, w.change("a").Why, "its note was written over on the server on 30 Apr")
	w.apply()
	w.settled()
	delete(w.server.schedules, "campaign-a")
	require.Contains(t, w.change("a").Why, "is no longer on the server")
	w.apply()
	w.settled()
	require.True(t, w.schedule("campaign-a").State.Paused)
}

func TestPauseResumeDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.server.byHand("campaign-a", func(s *client.Schedule) { s.Spec.Intervals[0].Every = 9 * time.Hour })
	require.NoError(t, w.Pause(t.Context(), "a", rows.Pause{By: "ilse", At: w.in.Now, Note: "storm"}))
	s := w.schedule("campaign-a")
	require.True(t, s.State.Paused)
	require.Contains(t, s.State.Note, "PAUSED by ilse 4 May: storm · every 2h")
	require.Equal(t, 9*time.Hour, s.Spec.Intervals[0].Every, "a pause changes nothing else")
	require.Equal(t, 10, s.State.RemainingActions)
	require.NoError(t, w.Resume(t.Context(), "a", "ilse", w.in.Now))
	require.False(t, w.schedule("campaign-a").State.Paused)
	require.Nil(t, w.paused("a"))

	err := w.Pause(t.Context(), "aa", rows.Pause{})
	require.ErrorIs(t, err, rows.ErrNotFound)
	require.ErrorContains(t, err, "pause aa: no such campaign (did you mean a?)")

	require.NoError(t, w.Delete(t.Context(), "b", "ilse"))
	require.NotContains(t, w.server.schedules, "campaign-b")
	require.NoError(t, w.Delete(t.Context(), "b", "ilse"), "twice is fine")
	require.ErrorIs(t, w.Delete(t.Context(), "zzz", "ilse"), rows.ErrNotFound)
	require.ErrorIs(t, w.Resume(t.Context(), "b", "ilse", w.in.Now), rows.ErrNotFound)
	events, err := w.store.Events(t.Context(), "a", time.Time{}, 10)
	require.NoError(t, err)
	require.Len(t, events, 3)
}

func TestPausingCompletesAnInterruptedApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	old := *w.server.schedules["campaign-a"]
	w.files(edit(twoFile, "every: 2h", "every: 4h"))
	w.apply()
	w.server.schedules["campaign-a"] = &old
	require.NoError(t, w.Pause(t.Context(), "a", rows.Pause{By: "ilse", At: w.in.Now}))
	require.Equal(t, 4*time.Hour, w.schedule("campaign-a").Spec.Intervals[0].Every)
	w.settled()
}

func TestResumeAllUndoesThatPauseOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile, "c.yaml\nproject: p\ncampaigns:\n  c: { fetcher: feed, params: { url: \"https://c.example.org/rss\" } }")
	w.apply()
	require.NoError(t, w.Pause(t.Context(), "b", rows.Pause{By: "ilse", At: w.in.Now, Note: "asleep on purpose"}))
	p := rows.Pause{By: "marta", At: w.in.Now.Add(time.Hour), Note: "move", Token: "t1"}
	names, err := w.PauseAll(t.Context(), "p", p)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c"}, names)
	names, err = w.PauseAll(t.Context(), "p", p)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c"}, names, "again with the same token")
	names, err = w.PauseAll(t.Context(), "q", rows.Pause{Token: "t2"})
	require.NoError(t, err)
	require.Empty(t, names)
	_, err = w.PauseAll(t.Context(), "p", rows.Pause{})
	require.ErrorContains(t, err, "a token is needed")

	names, err = w.ResumeAll(t.Context(), "", "", "marta", w.in.Now)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c"}, names)
	require.Equal(t, "asleep on purpose", w.paused("b").Note)
	names, err = w.ResumeAll(t.Context(), "", "", "marta", w.in.Now)
	require.NoError(t, err)
	require.Empty(t, names)
	w.settled()
}
