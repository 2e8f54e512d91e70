package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func pageLostAnswer(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1", "d2")
	w.Ledger = []visit.Exchange{{At: noon(), Method: "GET", Host: "example.org", Status: 200, Bytes: 10}}
	next, tally := commit(t, s, it, w)
	for range 3 {
		got := s.Write(t.Context(), w)
		require.NoError(t, got.Err, "the same page again")
		require.Equal(t, tally, got.Tally, "answered as it was then")
	}
	w = closed(page(next, "d2", "d3"), outcomes.Done)
	_, tally = commit(t, s, next, w)
	got := s.Write(t.Context(), w)
	require.NoError(t, got.Err)
	require.Equal(t, tally, got.Tally)
	require.Equal(t, rows.Counts{Documents: 3, Changes: 3, Pages: 2, Exchanges: 1}, counts(t, s))
	require.EqualValues(t, 3, health(t, s, "a").Documents)
}

func pageLostSettle(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := reopened(write(it), noon())
	commit(t, s, it, w)
	commit(t, s, it, w)
	require.Equal(t, 1, item(t, s, run, "a").Attempts, "counted once")
	it = one(t, s, run, 1)
	w = closed(write(it), outcomes.Unchanged)
	commit(t, s, it, w)
	commit(t, s, it, w)
	require.Equal(t, 1, health(t, s, "a").Streak)
	require.ErrorIs(t, s.Write(t.Context(), closed(write(it), outcomes.Failed)).Err, rows.ErrFenced, "another end")
}

func pageGap(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1")
	w.Page.Seq = 3
	got := s.Write(t.Context(), w)
	require.Error(t, got.Err)
	require.Equal(t, harvest.KindInternal, harvest.KindOf(got.Err))
	require.Zero(t, counts(t, s))
	commit(t, s, it, page(it, "d1"))
}

func pageAfterClose(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	it := one(t, s, run, 1)
	n, err := s.CloseOpenItems(t.Context(), run, outcomes.Cancelled, string(outcomes.WhyTerminated))
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced)
	finish(t, s, run)

	run = openRun(t, s, "2", "a")
	it = one(t, s, run, 1)
	finish(t, s, run)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced, "closed without its items")
	require.Empty(t, claim(t, s, run, 9, 5).Items)
	require.Zero(t, counts(t, s).Documents)
}

func pageReset(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "x"))
	run := openRun(t, s, "2", "a")
	it := one(t, s, run, 1)
	n, err := s.ResetCheckpoints(t.Context(), rows.CheckpointFilter{Campaign: "news"})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d2")).Err, rows.ErrFenced)
	cp := checkpoint(t, s, "a", "")
	require.Empty(t, cp.Value)
	require.Empty(t, cp.Params)
	require.EqualValues(t, 2, cp.Version)
	commit(t, s, it, reopened(write(it), noon()))
	it = one(t, s, run, 1)
	require.EqualValues(t, 2, it.Checkpoint.Version)
	require.Empty(t, it.Checkpoint.Value)
	commit(t, s, it, page(it, "d2"))
}

func pageFirstReset(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	_, err := s.ResetCheckpoints(t.Context(), rows.CheckpointFilter{Campaign: "news", Entry: "feed", Key: "a"})
	require.NoError(t, err)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced)
	require.Zero(t, counts(t, s).Documents)
}

func pageSet(t *testing.T, s Store) {
	name := units.Item{Campaign: "news", Entry: "feed", Key: "a"}
	require.NoError(t, s.SetCheckpoint(t.Context(), name, "", []byte(`{"from":"2026-05-01"}`)), "before the first run")
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	require.JSONEq(t, `{"from":"2026-05-01"}`, string(it.Checkpoint.Value))
	require.EqualValues(t, 1, it.Checkpoint.Version)
	require.NoError(t, s.SetCheckpoint(t.Context(), name, "", []byte(`{"from":"2026-04-01"}`)))
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced)
	require.Error(t, s.SetCheckpoint(t.Context(), name, "", []byte(`{`)))
	require.JSONEq(t, `{"from":"2026-04-01"}`, string(checkpoint(t, s, "a", "").Value))
}

func pageStopped(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	got := claim(t, s, run, 1, 2)
	require.NoError(t, s.StopRun(t.Context(), run, "cancelled"))
	it := got.Items[0]
	w := page(it, "d1")
	answer := s.Write(t.Context(), w)
	require.ErrorIs(t, answer.Err, rows.ErrStopped)
	require.Equal(t, 1, answer.Tally.New, "the page was committed")
	answer = s.Write(t.Context(), w)
	require.ErrorIs(t, answer.Err, rows.ErrStopped, "and once only")
	require.Equal(t, 1, answer.Tally.New)
	require.NoError(t, s.Write(t.Context(), reopened(write(it), noon())).Err, "handing back is not a page")
	require.NoError(t, s.Write(t.Context(), closed(page(got.Items[1], "d2"), outcomes.Done)).Err, "nothing follows a last page")
	require.EqualValues(t, 2, counts(t, s).Documents)
}

func pageCancelled(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	ctx, cancel := contextOf(t)
	cancel()
	require.ErrorIs(t, s.Write(ctx, page(it, "d1")).Err, ctx.Err())
	require.Zero(t, counts(t, s).Documents)
}
