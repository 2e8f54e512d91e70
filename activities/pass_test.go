package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// repository is a source that lists everything from an empty checkpoint and
// nothing after its end: it does not tell what left.
type repository struct {
	mu     sync.Mutex
	ids    []string
	size   int // of a page
	last   bool
	change func(page int, p *harvest.Page) error // of a page, before it is yielded
	begun  int                                   // lists from the beginning
}

func (r *repository) holds(ids ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = ids
}

func (r *repository) fails(change func(page int, p *harvest.Page) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.change = change
}

func (r *repository) lists() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun
}

func (r *repository) fetch(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		var at struct {
			Page int
			Done bool
		}
		if len(req.Checkpoint) > 0 && json.Unmarshal(req.Checkpoint, &at) != nil {
			return
		}
		if at.Done {
			yield(harvest.Page{Checkpoint: req.Checkpoint, NotModified: true, Last: r.last}, nil)
			return
		}
		r.mu.Lock()
		ids, change := r.ids, r.change
		if at.Page == 0 {
			r.begun++
		}
		r.mu.Unlock()
		for n := at.Page; n == 0 || n*r.size < len(ids); n++ {
			p := page(n+1, ids[min(n*r.size, len(ids)):min((n+1)*r.size, len(ids))]...)
			if (n+1)*r.size >= len(ids) {
				p.Checkpoint, p.Last = []byte(`{"done":true}`), r.last
			}
			var err error
			if change != nil {
				err = change(n+1, &p)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// passWorld has a campaign with a pass a day, and a repository of five records in
// pages of two, which was harvested at noon of the first of May.
func passWorld(t *testing.T, change func(*campaigns.Campaign)) (*world, *repository) {
	t.Helper()
	w := newWorld(t)
	c := campaign("news", "a")
	c.Entries[0].Refresh = 24 * time.Hour
	if change != nil {
		change(&c)
	}
	w.apply(c)
	r := &repository{ids: []string{"1", "2", "3", "4", "5"}, size: 2}
	w.script.on("a", r.fetch)
	w.clock.set(passStart())
	require.Equal(t, outcomes.Done, w.once(steps.Start{Campaign: "news"}).Outcome)
	return w, r
}

func passStart() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// on is a whole run so long after the first one.
func (w *world) on(after time.Duration) (steps.Summary, rows.RunItem) {
	w.t.Helper()
	return w.starting(after, steps.Start{Campaign: "news"})
}

func (w *world) starting(after time.Duration, s steps.Start) (steps.Summary, rows.RunItem) {
	w.t.Helper()
	w.clock.set(passStart().Add(after))
	o := w.open(s)
	_, err := w.fetch(o)
	require.NoError(w.t, err)
	return w.close(o), w.items(o.Run)["a"]
}

func (w *world) state() rows.Pass {
	w.t.Helper()
	list, err := w.store.Items(w.t.Context(), rows.ItemsFilter{Campaign: "news", Key: "a"})
	require.NoError(w.t, err)
	require.Len(w.t, list, 1)
	return list[0].Pass
}

func (w *world) living() []string {
	w.t.Helper()
	no := false
	ids := []string{}
	for d, err := range w.store.Documents(w.t.Context(), rows.DocumentFilter{Deleted: &no}) {
		require.NoError(w.t, err)
		ids = append(ids, d.Line.ID)
	}
	return ids
}

func TestAPassFindsWhatLeftSilently(t *testing.T) {
	t.Parallel()
	for _, last := range []bool{false, true} {
		t.Run(fmt.Sprintf("last page says so: %v", last), func(t *testing.T) {
			t.Parallel()
			w, r := passWorld(t, nil)
			r.last = last
			require.Equal(t, 1, w.state().Number, "the first harvest is a pass")
			require.False(t, w.state().UnderWay())
			r.holds("1", "3", "5")

			sum, _ := w.on(12 * time.Hour)
			require.Equal(t, outcomes.Unchanged, sum.Outcome)
			require.Len(t, w.living(), 5, "not due")
			require.Equal(t, 1, r.lists())

			sum, item := w.on(25 * time.Hour)
			require.Equal(t, outcomes.Done, sum.Outcome)
			require.Equal(t, steps.Documents{Listed: 3, Same: 3, Deleted: 2}, sum.Documents)
			require.Equal(t, "full pass 2: 2 no longer listed", item.Why)
			require.ElementsMatch(t, []string{"1", "3", "5"}, w.living())
			require.Equal(t, 2, w.state().Number)
			require.Equal(t, passStart().Add(25*time.Hour), w.state().DoneAt)

			r.holds("1", "2", "3", "5")
			sum, _ = w.on(48 * time.Hour)
			require.Equal(t, outcomes.Unchanged, sum.Outcome, "a day after the last one, not after the first")
			sum, item = w.on(50 * time.Hour)
			require.Equal(t, steps.Documents{Listed: 4, Changed: 1, Same: 3}, sum.Documents, "it came back")
			require.Equal(t, "full pass 3: 0 no longer listed", item.Why)
			require.Len(t, w.living(), 4)
		})
	}
}

func TestAPassGoesOnInTheNextRun(t *testing.T) {
	t.Parallel()
	w, r := passWorld(t, nil)
	r.holds("1", "2", "3", "4")
	r.fails(func(page int, _ *harvest.Page) error {
		if page == 2 {
			return kindError(harvest.KindTimeout)
		}
		return nil
	})
	_, item := w.on(25 * time.Hour)
	require.Equal(t, outcomes.Failed, item.Outcome)
	require.True(t, w.state().UnderWay())
	require.Len(t, w.living(), 5)
	_, item = w.on(26 * time.Hour)
	require.Equal(t, outcomes.Failed, item.Outcome)
	r.fails(nil)
	_, item = w.on(27 * time.Hour)
	require.Equal(t, outcomes.Done, item.Outcome)
	require.Equal(t, "full pass 2: 1 no longer listed", item.Why)
	require.Equal(t, 2, r.lists(), "once at first, once for the pass")
	require.ElementsMatch(t, []string{"1", "2", "3", "4"}, w.living())
}

func TestAPassByHand(t *testing.T) {
	t.Parallel()
	w, r := passWorld(t, func(c *campaigns.Campaign) {
		c.Entries[0].Retry = []retry.Rule{{Times: 3, Wait: time.Minute}}
	})
	r.holds("1", "2", "3")
	failed := false
	r.fails(func(page int, _ *harvest.Page) error {
		if page == 2 && !failed {
			failed = true
			return kindError(harvest.KindTimeout)
		}
		return nil
	})
	w.clock.set(passStart().Add(time.Hour))
	o := w.open(steps.Start{Campaign: "news", Refresh: true})
	_, err := w.fetch(o)
	require.ErrorContains(t, err, "no luck", "left to Temporal's own retry")
	w.clock.set(passStart().Add(2 * time.Hour))
	_, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, "full pass 2: 2 no longer listed", w.items(o.Run)["a"].Why)
	w.close(o)
	require.Equal(t, 2, r.lists(), "a retry goes on")
	require.Len(t, w.living(), 3)
}

// A table of lists after which nothing is deleted.
func TestAPassThatCannotBeTrustedDeletesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		ids     []string
		entry   func(*campaigns.Entry)
		change  func(*harvest.Page)
		outcome outcomes.Outcome
		why     string
		note    string
	}{
		{
			name: "nothing is listed", ids: []string{}, outcome: outcomes.Empty,
			why:  "nothing was listed where there always was something",
			note: "nothing was listed where there always was something",
		},
		{
			name: "nothing new, says the source", ids: []string{}, change: func(p *harvest.Page) { p.NotModified = true }, outcome: outcomes.Empty,
			why:  "full pass 2: nothing was listed where there always was something; nothing was deleted",
			note: "nothing was listed where there always was something",
		},
		{
			name: "not whole", ids: []string{"1"}, change: func(p *harvest.Page) { p.Partial = true }, outcome: outcomes.Partial,
			why: "the source's answer was not whole", note: "the source's answer was not whole",
		},
		{
			name: "a record without a name", ids: []string{"1"}, change: func(p *harvest.Page) { p.Rejects = []harvest.Reject{{Reason: "torn"}} },
			entry:   func(e *campaigns.Entry) { e.Tolerate = campaigns.Count{N: 5} },
			outcome: outcomes.Partial, why: "full pass 2: a record without an id could not be read; nothing was deleted", note: "a record without an id could not be read",
		},
		{
			name: "too many that cannot be read", ids: []string{"1"}, change: func(p *harvest.Page) {
				p.Rejects = []harvest.Reject{{ID: "2", Reason: "torn"}, {ID: "3", Reason: "torn"}}
			},
			entry:   func(e *campaigns.Entry) { e.Tolerate = campaigns.Count{N: 1} },
			outcome: outcomes.Failed, why: "not-retriable", note: "2 of 3 records could not be read, 1 are tolerated",
		},
		{
			name: "less than expected", ids: []string{"1", "2", "3"}, entry: func(e *campaigns.Entry) { e.Expect.MinDocuments = 4 },
			outcome: outcomes.Empty, why: "3 listed, at least 4 expected", note: "3 listed, at least 4 expected",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, r := passWorld(t, func(news *campaigns.Campaign) {
				if c.entry != nil {
					c.entry(&news.Entries[0])
				}
			})
			r.holds(c.ids...)
			if c.change != nil {
				r.fails(func(_ int, p *harvest.Page) error { c.change(p); return nil })
			}
			_, item := w.on(25 * time.Hour)
			require.Equal(t, c.outcome, item.Outcome)
			require.Equal(t, c.why, item.Why)
			require.Len(t, w.living(), 5)
			p := w.state()
			require.False(t, p.UnderWay(), "its checkpoint is no longer that of a list from the beginning")
			require.Equal(t, c.note, p.Note)
			require.Equal(t, passStart(), p.DoneAt)

			r.fails(nil)
			r.holds("1", "2", "3", "4")
			w.on(26 * time.Hour)
			require.Equal(t, 2, r.lists(), "not at every run")
			_, item = w.on(28 * time.Hour)
			require.Equal(t, "full pass 3: 1 no longer listed", item.Why, "but soon")
			require.Zero(t, w.state().TriedAt)
		})
	}
}

func TestARecordThatCannotBeReadIsThere(t *testing.T) {
	t.Parallel()
	w, r := passWorld(t, func(c *campaigns.Campaign) { c.Entries[0].Tolerate = campaigns.Count{N: 1} })
	r.holds("1", "2")
	r.fails(func(_ int, p *harvest.Page) error {
		p.Rejects = []harvest.Reject{{ID: "3", Reason: "torn"}}
		return nil
	})
	_, item := w.on(25 * time.Hour)
	require.Equal(t, outcomes.Partial, item.Outcome)
	require.Equal(t, 2, item.Tally.Deleted)
	require.ElementsMatch(t, []string{"1", "2", "3"}, w.living(), "one bad record does not keep what left for ever")
	require.False(t, w.state().UnderWay())
}

// What lists a part is no part of a pass, and does not begin one.
func TestAPartIsNoPass(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]steps.Start{
		"trial":  {Campaign: "news", Limit: 3},
		"window": {Campaign: "news", Window: harvest.Window{From: passStart()}},
		"params": {Campaign: "news", Params: []byte(`{"max":3}`)},
		"lane":   {Campaign: "news", Lane: "backfill"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r := passWorld(t, nil)
			r.holds("1")
			w.starting(25*time.Hour, s)
			require.Len(t, w.living(), 5)
			require.Equal(t, 1, w.state().Number)
			_, item := w.on(26 * time.Hour)
			require.Equal(t, "full pass 2: 4 no longer listed", item.Why)
			require.Equal(t, []string{"1"}, w.living())
		})
	}
}

// A checkpoint that was moved by something else would leave a hole in the list.
func TestAPassIsBegunAnew(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(*world){
		"set by hand": func(w *world) {
			require.NoError(t, w.store.SetCheckpoint(t.Context(), units.Item{Campaign: "news", Entry: "scripted", Key: "a"}, "", []byte(`{"done":true}`)))
		},
		"a run with other params": func(w *world) {
			w.script.on("a", pages(harvest.Page{Checkpoint: []byte(`{"done":true}`)}))
			w.starting(26*time.Hour, steps.Start{Campaign: "news", Params: []byte(`{"max":3}`)})
		},
		"other params in the file": func(w *world) {
			c := campaign("news", "a")
			c.Entries[0].Refresh, c.Entries[0].Params = 24*time.Hour, []byte(`{"max":7}`)
			w.apply(c)
		},
		"by hand once more": func(w *world) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r := passWorld(t, nil)
			r.holds("1", "2", "3", "4")
			r.fails(func(page int, _ *harvest.Page) error {
				if page == 2 {
					return kindError(harvest.KindTimeout)
				}
				return nil
			})
			w.on(25 * time.Hour)
			require.Equal(t, 2, w.state().Number)
			move(w)
			w.script.on("a", r.fetch)
			r.fails(nil)
			_, item := w.starting(27*time.Hour, steps.Start{Campaign: "news", Refresh: name == "by hand once more"})
			require.Equal(t, "full pass 3: 1 no longer listed", item.Why)
			require.Len(t, w.living(), 4)
			require.Equal(t, 3, r.lists())
		})
	}
}

func TestDocumentsFromBeforeRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a", "b")
	w.apply(news)
	a, b := &repository{ids: []string{"1", "2", "3"}, size: 2}, &repository{ids: []string{"6", "7"}, size: 2}
	w.script.on("a", a.fetch)
	w.script.on("b", b.fetch)
	w.clock.set(passStart())
	w.once(steps.Start{Campaign: "news"})
	require.Zero(t, w.state().Number)
	news.Entries[0].Refresh = 24 * time.Hour
	w.apply(news)
	a.holds("1", "2")
	b.holds("3", "7") // one moved there

	since := time.Since(passStart()) // when the store first saw them
	w.on(since + 12*time.Hour)
	require.Zero(t, w.state().Number, "not due: counted from when it was first seen")
	w.on(since + 25*time.Hour)
	require.ElementsMatch(t, []string{"1", "2", "3", "7"}, w.living())
	changes := 0
	for c, err := range w.store.Changes(t.Context(), rows.ChangeFilter{}) {
		require.NoError(t, err)
		if c.Document.Line.ID == "3" {
			changes++
		}
	}
	require.Equal(t, 1, changes, "never deleted and made again")
}

// sweeper stops its worker after the first batch of a sweep.
type sweeper struct {
	seam
	stop func()
}

func (s sweeper) Sweep(ctx context.Context, w rows.Sweep) (rows.Swept, error) {
	defer s.stop()
	return s.seam.Sweep(ctx, w)
}

func TestASweepIsHandedBackBetweenTwoBatches(t *testing.T) {
	t.Parallel()
	w, r := passWorld(t, nil)
	r.size = 500
	var ids []string
	for i := range 2500 {
		ids = append(ids, fmt.Sprint("x", i))
	}
	r.holds(ids...)
	w.on(25 * time.Hour)
	require.Len(t, w.living(), 2500)
	r.holds("x7")

	w.clock.set(passStart().Add(50 * time.Hour))
	o := w.open(steps.Start{Campaign: "news"})
	w.seam = sweeper{seam: w.Store, stop: sync.OnceFunc(func() { close(w.stop) })}
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Left)
	require.Len(t, w.living(), 1500)
	require.True(t, w.state().Listed)

	w.seam, w.stop = w.store, make(chan struct{})
	_, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, w.items(o.Run)["a"].Outcome)
	require.Equal(t, 2499, w.close(o).Documents.Deleted)
	require.Equal(t, []string{"x7"}, w.living())
}

func TestNoRefreshWithoutPasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start   steps.Start
		refresh time.Duration
		why     string
	}{
		"no refresh":  {steps.Start{}, 0, "no entry of campaign news says refresh"},
		"with limit":  {steps.Start{Limit: 1}, time.Hour, "does not go with limit"},
		"with params": {steps.Start{Params: []byte(`{"max":1}`)}, time.Hour, "does not go with limit, params"},
		"with window": {steps.Start{Window: harvest.Window{From: passStart()}}, time.Hour, "does not go with"},
		"with lane":   {steps.Start{Lane: "x"}, time.Hour, "does not go with"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			news := campaign("news", "a")
			news.Entries[0].Refresh = c.refresh
			w.apply(news)
			c.start.Campaign, c.start.Refresh = "news", true
			out, err := do(w, steps.OpenRun, w.in(c.start))
			require.NoError(t, err)
			require.Equal(t, outcomes.Misconfigured, out.Refused)
			require.Contains(t, out.Why, c.why)
		})
	}
}
