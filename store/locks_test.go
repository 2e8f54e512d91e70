package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// slowed holds its next transaction open, once it is armed, until it is released.
type slowed struct {
	engine
	armed  atomic.Bool
	inside chan struct{}
	resume chan struct{}
}

func slow(s *Store) *slowed {
	e := &slowed{engine: s.engine, inside: make(chan struct{}), resume: make(chan struct{})}
	s.engine = e
	return e
}

func (e *slowed) transact(ctx context.Context, l lock, fn func(*tx) error) error {
	return e.engine.transact(ctx, l, func(t *tx) error {
		err := fn(t)
		if err == nil {
			_, err = t.exec(`SELECT 1`) // sends what waits for the COMMIT
		}
		if e.armed.CompareAndSwap(true, false) {
			close(e.inside)
			<-e.resume
		}
		return err
	})
}

// begin arms it, starts the write, and returns once that is inside its transaction.
// end lets it commit.
func (e *slowed) begin(t *testing.T, write func() error) (end func()) {
	t.Helper()
	e.inside, e.resume = make(chan struct{}), make(chan struct{})
	e.armed.Store(true)
	done := make(chan error, 1)
	go func() { done <- write() }()
	select {
	case <-e.inside:
	case err := <-done:
		require.NoError(t, err)
		require.Fail(t, "it made no transaction")
	}
	end = sync.OnceFunc(func() {
		close(e.resume)
		require.NoError(t, <-done)
	})
	t.Cleanup(end)
	return end
}

// openedRun opens a run with items that are claimed.
func openedRun(t *testing.T, s *Store, campaign, id string, items ...string) []rows.ClaimedItem {
	t.Helper()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: id, WorkflowID: id, Campaign: campaign}})
	require.NoError(t, err)
	var list []rows.RunItem
	for i, key := range items {
		list = append(list, rows.RunItem{Ord: int64(i), Entry: "feed", Key: key, Fetcher: "feed"})
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, list))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Shared: true, Epoch: 1, Max: len(items)})
	require.NoError(t, err)
	require.Len(t, got.Items, len(items))
	return got.Items
}

// ordinary are the writes that have nothing to do with pages of another campaign.
func ordinary(t *testing.T, s *Store, campaign string) map[string]func() error {
	items := openedRun(t, s, campaign, campaign+"-1", "a", "b", "c")
	run := items[0].Run
	w := onePageOf(items[0], 0, "")
	w.Page.Page.Rejects = []harvest.Reject{{ID: "r", Reason: "bad"}}
	require.NoError(t, s.Write(t.Context(), w).Err)
	failures, err := s.Failures(t.Context(), rows.FailureFilter{Campaign: campaign})
	require.NoError(t, err)
	require.Len(t, failures, 1)
	ctx, item := context.Background(), units.Item{Campaign: campaign, Entry: "feed", Key: "a"}
	another := rows.Run{RunID: campaign + "-2", WorkflowID: campaign + "-2", Campaign: campaign, Lane: "backfill"}
	return map[string]func() error{
		"OpenRun":        func() error { _, err := s.OpenRun(ctx, rows.NewRun{Exclusive: true, Run: another}); return err },
		"AddItems":       func() error { return s.AddItems(ctx, run, []rows.RunItem{{Entry: "feed", Key: "a"}}) },
		"SealRun":        func() error { _, err := s.SealRun(ctx, run, 1, time.Time{}); return err },
		"StopRun":        func() error { return s.StopRun(ctx, run, "enough") },
		"SkipItem":       func() error { return s.SkipItem(ctx, run, "b", "not now") },
		"CloseOpenItems": func() error { _, err := s.CloseOpenItems(ctx, run, outcomes.Cancelled, ""); return err },
		"FinishRun":      func() error { return s.FinishRun(ctx, rows.Finish{Run: run, Outcome: outcomes.Done}) },
		"RecordRun":      func() error { return s.RecordRun(ctx, another) },
		"SaveList": func() error {
			return s.SaveList(ctx, harvest.Digest([]byte(campaign)), slices.Values([]rows.ListRow{rows.ListRow(`{}`)}))
		},
		"AcceptFailures": func() error { return s.AcceptFailures(ctx, failures[0].ID) },
		"Record":         func() error { return s.Record(ctx, rows.Event{Verb: "x"}) },
		"Log": func() error {
			return s.Log(ctx, rows.Asking{Run: run, Item: item, Lines: []visit.Exchange{{At: time.Now()}}})
		},
		"SetCheckpoint": func() error { return s.SetCheckpoint(ctx, item, "", []byte(`1`)) },
		"PauseItem":     func() error { return s.PauseItem(ctx, item, nil) },
		"Apply": func() error {
			_, err := s.Apply(ctx, rows.Application{Project: "p", Campaigns: []rows.ApplyCampaign{{Name: campaign, Digest: "d", Spec: []byte(`{}`)}}})
			return err
		},
		"SetServer": func() error { return s.SetServer(ctx, rows.Server{Address: "x"}) },
	}
}

// A slow page of one campaign and the ordinary writes about another one do not wait
// for each other: each goes through while the other holds its transaction open.
func TestCampaignsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{nap: "10min"}) // or the server would end what is held
	pages := slow(s)
	it := openedRun(t, s, "news", "news-1", "a")[0]
	other, err := Open(t.Context(), address, Options{nap: "10min"})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	writes := slow(other)
	page := func() error {
		w := onePageOf(it, 1, "x")
		it.Seq, it.Checkpoint.Version = it.Seq+1, it.Checkpoint.Version+1
		return s.Write(context.Background(), w).Err
	}
	for name := range ordinary(t, other, "names") {
		t.Run(name, func(t *testing.T) {
			end := pages.begin(t, page)
			finishes(t, ordinary(t, other, "behind-"+name)[name])
			end()
			end = writes.begin(t, ordinary(t, other, "before-"+name)[name])
			finishes(t, page)
			end()
		})
	}
}

// finishes requires that a write ends while another one holds its transaction: it
// would wait for ever.
func finishes(t *testing.T, write func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- write() }()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		require.Fail(t, "it waits for a transaction that has nothing to do with it")
	}
}

// rivals are two processes with one store.
func rivals(t *testing.T) [2]*Store {
	t.Helper()
	s, address := newServed(t, Options{})
	other, err := Open(t.Context(), address, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	return [2]*Store{s, other}
}

// A page that is committed is in the run's sum, one that comes after its end is
// refused: there is no third.
func TestFinishRunAndPagesDecideWhoWasFirst(t *testing.T) {
	t.Parallel()
	two := rivals(t)
	for n := range 20 {
		items := openedRun(t, two[0], "news", fmt.Sprint("news-", n), "a", "b", "c", "d", "e", "f")
		var stored atomic.Int32
		var wg sync.WaitGroup
		for i, it := range items {
			wg.Go(func() {
				if err := two[i%2].Write(context.Background(), onePageOf(it, 0, "")).Err; err == nil {
					stored.Add(1)
				} else if !errors.Is(err, rows.ErrFenced) {
					t.Error(err)
				}
			})
		}
		require.NoError(t, two[1].FinishRun(t.Context(), rows.Finish{Run: items[0].Run, Outcome: outcomes.Done}))
		wg.Wait()
		run, err := two[0].RunByID(t.Context(), items[0].Run)
		require.NoError(t, err)
		require.EqualValues(t, stored.Load(), run.Tally.Pages)
	}
}

// An item that its worker closes while it is skipped has one end.
func TestSkippedAndClosedIsOneOfThem(t *testing.T) {
	t.Parallel()
	two := rivals(t)
	for n := range 20 {
		it := openedRun(t, two[0], "news", fmt.Sprint("news-", n), "a")[0]
		var written rows.Written
		var wg sync.WaitGroup
		wg.Go(func() {
			w := onePageOf(it, 1, fmt.Sprint(n))
			w.Settle = &rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Done}
			written = two[0].Write(context.Background(), w)
		})
		if n%2 == 0 {
			require.NoError(t, two[1].SkipItem(t.Context(), it.Run, "a", ""))
		} else {
			_, err := two[1].CloseOpenItems(t.Context(), it.Run, outcomes.Skipped, "")
			require.NoError(t, err)
		}
		wg.Wait()
		list, err := two[0].RunItems(t.Context(), it.Run, rows.ItemFilter{})
		require.NoError(t, err)
		want := outcomes.Done
		if written.Err != nil {
			require.ErrorIs(t, written.Err, rows.ErrFenced)
			want = outcomes.Skipped
		}
		require.Equal(t, want, list[0].Outcome)
		require.NoError(t, two[0].FinishRun(t.Context(), rows.Finish{Run: it.Run, Outcome: outcomes.Done}))
	}
}

// What is quarantined is counted right when it is accepted while more is rejected.
func TestAcceptFailuresAndPagesCountTogether(t *testing.T) {
	t.Parallel()
	two := rivals(t)
	it := openedRun(t, two[0], "news", "news-1", "a")[0]
	reject := func(s *Store, seq int) error {
		w := onePageOf(it, 0, "")
		w.Page.Seq, w.Page.Version = seq, int64(seq-1)
		w.Page.Page.Rejects = []harvest.Reject{{ID: fmt.Sprint(seq), Reason: "bad"}}
		return s.Write(context.Background(), w).Err
	}
	require.NoError(t, reject(two[0], 1))
	for seq := 2; seq < 20; seq++ {
		failures, err := two[0].Failures(t.Context(), rows.FailureFilter{})
		require.NoError(t, err)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := reject(two[0], seq); err != nil {
				t.Error(err)
			}
		})
		require.NoError(t, two[1].AcceptFailures(t.Context(), failures[0].ID))
		wg.Wait()
		var open, counted int64
		require.NoError(t, scanOne(two[0].reader(t.Context()), []any{&open, &counted}, `SELECT (SELECT count(*) FROM quarantine WHERE `+isOpen+`), (SELECT quarantined FROM items)`))
		require.Equal(t, open, counted)
	}
}
