package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
)

// walker makes passes of one item in one run.
type walker struct {
	t  *testing.T
	s  Store
	it rows.ClaimedItem
	at time.Time
	n  int // of the pass

	whole bool // the run holds all items
}

// day is the moment of the nth run; passes of different runs have different times.
func day(n int) time.Time { return noon().AddDate(0, 0, n) }

// walk claims the item with a key in a run.
func walk(t *testing.T, s Store, run int64, key string, at time.Time) *walker {
	t.Helper()
	for _, it := range claimAt(t, s, run, 1, 1, at).Items {
		require.Equal(t, key, it.Key)
		return &walker{t: t, s: s, it: it, at: at, n: it.Pass.Number}
	}
	require.Fail(t, "nothing to claim")
	return nil
}

func (w *walker) start() rows.PassStart {
	return rows.PassStart{
		Run: w.it.Run, Ord: w.it.Ord, Epoch: w.it.Epoch, Item: units.Item{Campaign: w.it.Campaign, Entry: w.it.Entry, Key: w.it.Key},
		Lane: w.it.Lane, At: w.at, Params: "p1", Extraction: "e1",
	}
}

func (w *walker) begin() *walker {
	w.t.Helper()
	p, version, err := w.s.BeginPass(w.t.Context(), w.start())
	require.NoError(w.t, err)
	require.True(w.t, p.UnderWay())
	w.it.Checkpoint.Version, w.it.Checkpoint.Value, w.n = version, nil, p.Number
	return w
}

// page is the next page, noted under the pass.
func (w *walker) page(ids ...string) rows.Write {
	p := page(w.it, ids...)
	p.At = w.at
	p.Page.Sighting = &rows.Sighting{Pass: w.n}
	return p
}

func (w *walker) list(ids ...string) *walker {
	w.t.Helper()
	w.it, _ = commit(w.t, w.s, w.it, w.page(ids...))
	return w
}

func (w *walker) sweeping(entries ...string) rows.Sweep {
	p := w.start()
	return rows.Sweep{Run: p.Run, Ord: p.Ord, Epoch: p.Epoch, Item: p.Item, Collection: "news", Pass: w.n, At: w.at, Entries: entries, Whole: w.whole}
}

// sweep deletes to the end and returns how many that were.
func (w *walker) sweep() int {
	w.t.Helper()
	deleted, _ := w.swept()
	return deleted
}

// swept also tells what stays because other items list it.
func (w *walker) swept() (deleted int, held []rows.Kept) {
	w.t.Helper()
	for in := w.sweeping(); ; {
		out, err := w.s.Sweep(w.t.Context(), in)
		require.NoError(w.t, err)
		require.Empty(w.t, out.Void)
		require.LessOrEqual(w.t, out.Deleted, 1000)
		deleted, held = deleted+out.Deleted, rows.AddKept(held, out.Kept)
		if in.After = out.Next; out.Next.Done {
			return deleted, held
		}
	}
}

// end closes the item and its pass.
func (w *walker) end(void string) {
	w.t.Helper()
	w.endWith(rows.PassEnd{Number: w.n, Void: void})
}

func (w *walker) endHeld(held []rows.Kept) {
	w.t.Helper()
	w.endWith(rows.PassEnd{Number: w.n, Kept: held})
}

func (w *walker) endWith(e rows.PassEnd) {
	w.t.Helper()
	c := closed(write(w.it), outcomes.Done)
	c.At, c.Settle.Pass = w.at, &e
	commit(w.t, w.s, w.it, c)
}

// pass is one whole run of one item: everything listed, and swept.
func pass(t *testing.T, s Store, n int, key string, ids ...string) (deleted int) {
	t.Helper()
	run := openRun(t, s, fmt.Sprint(n), key)
	w := walk(t, s, run, key, day(n)).begin().list(ids...)
	deleted = w.sweep()
	w.end("")
	finish(t, s, run)
	return deleted
}

// live lists the ids of documents that are not deleted.
func live(t *testing.T, s Store) []string {
	t.Helper()
	no := false
	ids := []string{}
	for _, d := range all(t, s.Documents(t.Context(), rows.DocumentFilter{Deleted: &no})) {
		ids = append(ids, d.Line.ID)
	}
	return ids
}
