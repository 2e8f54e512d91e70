package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func readingTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"the ledger, filtered":         readLedger,
		"checkpoints, filtered":        readCheckpoints,
		"counts of one campaign":       readCounts,
		"sequences end when told to":   readBreak,
		"an ended context is an error": readCancelled,
	}
}

func readLedger(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	for k, it := range claim(t, s, run, 1, 2).Items {
		w := write(it)
		for i := range 700 {
			w.Ledger = append(w.Ledger, visit.Exchange{At: noon().Add(time.Duration(i) * time.Minute), Method: "GET", URL: fmt.Sprintf("https://h%d.example.org/%d", k, i), Host: fmt.Sprintf("h%d.example.org", k), Status: 200})
		}
		commit(t, s, it, closed(w, outcomes.Done))
	}
	n := func(f rows.LedgerFilter) int { return len(all(t, s.Ledger(t.Context(), f))) }
	ord := int64(1)
	require.Equal(t, 1400, n(rows.LedgerFilter{}))
	require.Equal(t, 700, n(rows.LedgerFilter{Run: run, Ord: &ord}))
	require.Equal(t, 700, n(rows.LedgerFilter{Host: "h0.example.org"}))
	require.Equal(t, 10, n(rows.LedgerFilter{Campaign: "news", Limit: 10}))
	require.Equal(t, 1001, n(rows.LedgerFilter{Limit: 1001}))
	require.Equal(t, 20, n(rows.LedgerFilter{Since: noon().Add(690 * time.Minute)}))
	require.Zero(t, n(rows.LedgerFilter{Since: noon().AddDate(1, 0, 0)}))
	require.Zero(t, n(rows.LedgerFilter{Campaign: "other"}))
	lines := all(t, s.Ledger(t.Context(), rows.LedgerFilter{Run: run, Ord: &ord}))
	for i, l := range lines {
		require.Equal(t, noon().Add(time.Duration(i)*time.Minute), l.At, "in the order they were made")
	}
}

func readCheckpoints(t *testing.T, s Store) {
	for _, key := range []string{"b", "a"} {
		for _, lane := range []string{"", "back"} {
			require.NoError(t, s.SetCheckpoint(t.Context(), units.Item{Campaign: "news", Entry: "feed", Key: key}, lane, []byte(`"`+key+lane+`"`)))
		}
	}
	require.NoError(t, s.SetCheckpoint(t.Context(), units.Item{Campaign: "weather", Entry: "w", Key: "a"}, "", []byte(`1`)))
	list, err := s.Checkpoints(t.Context(), rows.CheckpointFilter{})
	require.NoError(t, err)
	require.Len(t, list, 5)
	require.Equal(t, "a", list[0].Key)
	require.Equal(t, "back", list[1].Lane)
	lane := "back"
	n, err := s.ResetCheckpoints(t.Context(), rows.CheckpointFilter{Campaign: "news", Lane: &lane})
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Empty(t, checkpoint(t, s, "a", "back").Value)
	require.JSONEq(t, `"a"`, string(checkpoint(t, s, "a", "").Value))
	n, err = s.ResetCheckpoints(t.Context(), rows.CheckpointFilter{Campaign: "nothing"})
	require.NoError(t, err)
	require.Zero(t, n)
}

func readCounts(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "one"), harvest.Document{ID: "d2", Deleted: true})
	harvestOnce(t, s, "2", doc("d1", "two"))
	want := rows.Counts{Documents: 1, Deleted: 1, Versions: 1, Changes: 3, Pages: 2}
	for _, campaign := range []string{"", "news"} {
		c, err := s.Counts(t.Context(), campaign)
		require.NoError(t, err)
		require.Equal(t, want, c)
	}
	c, err := s.Counts(t.Context(), "other")
	require.NoError(t, err)
	require.Zero(t, c)
}

func readBreak(t *testing.T, s Store) {
	docs := make([]harvest.Document, 20)
	for i, key := range keys(20) {
		docs[i] = doc(key, "x")
	}
	harvestOnce(t, s, "1", docs...)
	for range s.Documents(t.Context(), rows.DocumentFilter{}) {
		break
	}
	for range s.Changes(t.Context(), rows.ChangeFilter{}) {
		break
	}
	harvestOnce(t, s, "2", doc("later", "x"))
}

func readCancelled(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "x"))
	ctx, cancel := contextOf(t)
	cancel()
	seen := 0
	for _, err := range s.Documents(ctx, rows.DocumentFilter{}) {
		require.ErrorIs(t, err, ctx.Err())
		seen++
	}
	require.Equal(t, 1, seen)
	_, err := s.Runs(ctx, rows.RunFilter{})
	require.ErrorIs(t, err, ctx.Err())
	require.ErrorIs(t, s.Record(ctx, rows.Event{}), ctx.Err())
}
