package storetest

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// noise cannot be compressed, so that an index feels its whole length.
func noise(n int) string {
	b, x := make([]byte, n), uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = 'a' + byte(x>>24)%26
	}
	return string(b)
}

// One record that no index takes is set aside; its neighbours are stored.
func pagesOdd(t *testing.T, s Store) {
	good := doc("good", "x")
	for name, c := range map[string]struct {
		odd    harvest.Document
		reason string
	}{
		"a long id":                {harvest.Document{ID: noise(3000)}, "1,024"},
		"an id just too long":      {harvest.Document{ID: noise(rows.MaxID + 1)}, "1,024"},
		"a long id is deleted":     {harvest.Document{ID: noise(3001), Deleted: true}, "1,024"},
		"broken bytes are longer":  {harvest.Document{ID: strings.Repeat("\xff\x00", rows.MaxID/4)}, "1,024"},
		"no id":                    {harvest.Document{Title: "t"}, "no id"},
		"a number that is none":    {harvest.Document{ID: "nan", Fields: map[string]any{"n": math.NaN()}}, "JSON"},
		"a value that is not JSON": {harvest.Document{ID: "chan", Fields: map[string]any{"n": make(chan int)}}, "JSON"},
	} {
		run := openRun(t, s, name, name)
		it := one(t, s, run, 1)
		w := page(it)
		w.Page.Page.Documents, w.Page.Page.Listed = []harvest.Document{doc(name+" 1", "x"), c.odd, doc(name+" 2", "x")}, 3
		_, tally := commit(t, s, it, closed(w, outcomes.Partial))
		require.Equal(t, 2, tally.New, name)
		require.Equal(t, 1, tally.Quarantined, name)
		require.Equal(t, 3, tally.Listed, name)
		finish(t, s, run)
		kept, err := s.Failures(t.Context(), rows.FailureFilter{Run: run})
		require.NoError(t, err)
		require.Len(t, kept, 1, name)
		require.Contains(t, kept[0].Reason, c.reason, name)
	}
	run := openRun(t, s, "sighted", "p")
	w := walk(t, s, run, "p", day(1)).begin()
	p := w.page("good")
	p.Page.Page.Rejects = []harvest.Reject{{ID: noise(3000), Reason: "torn"}}
	w.it, _ = commit(t, s, w.it, p)
	require.Zero(t, w.sweep())
	require.NotEmpty(t, good.ID)
}

// What only looks odd is stored, and read as it was or without what nobody can
// read.
func pagesOddKept(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it)
	w.Page.Page.Documents = []harvest.Document{
		{ID: noise(rows.MaxID), Title: noise(100_000), URL: "https://example.org/" + noise(100_000), Kind: noise(5000), Parent: noise(5000), MediaType: noise(5000)},
		{ID: "text", Title: "a\x00b\xffc", URL: "https://example.org/\x00", Kind: "\xff", Fields: map[string]any{"f\x00": "a\x00\xff"}},
		{ID: "late", Published: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "early", Published: time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "big", Fields: map[string]any{"n": json.Number("1e400"), "i": json.Number(strings.Repeat("9", 400)), "m": math.MaxFloat64}},
	}
	_, tally := commit(t, s, it, closed(w, outcomes.Done))
	require.Equal(t, 5, tally.New)
	finish(t, s, run)
	for _, d := range all(t, s.Documents(t.Context(), rows.DocumentFilter{Bodies: true})) {
		_, err := json.Marshal(d.Line)
		require.NoError(t, err, d.Line.ID)
	}
	again := openRun(t, s, "2", "a")
	it = one(t, s, again, 1)
	w.Run, w.Ord, w.Epoch, w.Page.Seq, w.Page.Version = it.Run, it.Ord, it.Epoch, it.Seq+1, it.Checkpoint.Version
	_, tally = commit(t, s, it, w)
	require.Equal(t, 5, tally.Same)
}
