package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
)

// noon is the moment that tests begin at; stored times keep microseconds.
func noon() time.Time { return time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC) }

// openRun opens a run of campaign "news" that is ready to be worked on, with
// one item per key.
func openRun(t *testing.T, s Store, id string, keys ...string) int64 {
	t.Helper()
	return openLane(t, s, id, "", keys...)
}

func openLane(t *testing.T, s Store, id, lane string, keys ...string) int64 {
	t.Helper()
	gate, err := s.OpenRun(t.Context(), newRun(id, lane))
	require.NoError(t, err)
	require.Nil(t, gate.Holder)
	require.NoError(t, s.AddItems(t.Context(), gate.Run.ID, runItems(keys...)))
	n, err := s.SealRun(t.Context(), gate.Run.ID, 10, time.Time{})
	require.NoError(t, err)
	require.Equal(t, len(keys), n)
	return gate.Run.ID
}

func newRun(id, lane string) rows.NewRun {
	return rows.NewRun{Exclusive: true, Run: rows.Run{
		RunID: "run-" + id, WorkflowID: "news-" + id, Campaign: "news", Lane: lane, Version: 1, Trigger: "hand", StartedAt: noon(),
	}}
}

func runItems(keys ...string) []rows.RunItem {
	items := make([]rows.RunItem, len(keys))
	for i, key := range keys {
		items[i] = rows.RunItem{Ord: int64(i), Entry: "feed", Key: key, Label: "feed " + key, Fetcher: "feed", Host: "example.org", Params: json.RawMessage(`{"url":"https://example.org/` + key + `"}`)}
	}
	return items
}

func keys(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("k%05d", i)
	}
	return list
}

// claim asks for everything that is due at noon.
func claim(t *testing.T, s Store, run, epoch int64, max int) rows.Claimed {
	t.Helper()
	return claimAt(t, s, run, epoch, max, noon())
}

func claimAt(t *testing.T, s Store, run, epoch int64, max int, now time.Time) rows.Claimed {
	t.Helper()
	got, err := s.Claim(t.Context(), rows.Claim{Run: run, Shared: true, Idle: true, Epoch: epoch, Worker: fmt.Sprint("w", epoch), Max: max, Now: now})
	require.NoError(t, err)
	return got
}

// claimBeside is claim for an attempt that runs something already.
func claimBeside(t *testing.T, s Store, run, epoch int64, max int) rows.Claimed {
	t.Helper()
	got, err := s.Claim(t.Context(), rows.Claim{Run: run, Shared: true, Epoch: epoch, Worker: fmt.Sprint("w", epoch), Max: max, Now: noon()})
	require.NoError(t, err)
	return got
}

// one claims the only item of a run.
func one(t *testing.T, s Store, run, epoch int64) rows.ClaimedItem {
	t.Helper()
	got := claim(t, s, run, epoch, 1)
	require.Len(t, got.Items, 1)
	return got.Items[0]
}

// write begins a write of a claimed item.
func write(it rows.ClaimedItem) rows.Write {
	return rows.Write{
		Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, Lane: it.Lane, Fetcher: it.Fetcher, At: noon(), Attempt: it.Attempts + 1, Worker: it.Worker,
		Item: units.Item{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key},
	}
}

// page is the next page of a claimed item, with documents of these ids.
func page(it rows.ClaimedItem, ids ...string) rows.Write {
	w := write(it)
	w.Page = &rows.PageWrite{Seq: it.Seq + 1, Collection: "news", Version: it.Checkpoint.Version, Params: "p1", Extraction: "e1", Page: harvest.Page{
		Checkpoint: json.RawMessage(fmt.Sprintf(`{"seq":%d}`, it.Seq+1)), Listed: len(ids),
	}}
	for _, id := range ids {
		w.Page.Page.Documents = append(w.Page.Page.Documents, doc(id, "body of "+id))
	}
	return w
}

func doc(id, body string) harvest.Document {
	return harvest.Document{ID: id, URL: "https://example.org/" + id, Kind: "entry", Title: "Title " + id, Published: noon(), MediaType: "text/plain", Body: []byte(body)}
}

// closed makes a write also close its item.
func closed(w rows.Write, o outcomes.Outcome) rows.Write {
	w.Settle = &rows.Settle{State: rows.ItemClosed, Outcome: o, Attempts: 1}
	return w
}

// reopened makes a write give its item back until a moment.
func reopened(w rows.Write, until time.Time) rows.Write {
	w.Settle = &rows.Settle{State: rows.ItemOpen, NotBefore: until, Attempts: 1, Kind: harvest.KindTimeout, Error: "get https://example.org/: timeout"}
	return w
}

// commit writes and expects success; it returns the item as it goes on.
func commit(t *testing.T, s Store, it rows.ClaimedItem, w rows.Write) (rows.ClaimedItem, harvest.Tally) {
	t.Helper()
	got := s.Write(t.Context(), w)
	require.NoError(t, got.Err)
	if w.Page != nil {
		it.Seq++
		it.Checkpoint.Version++
	}
	return it, got.Tally
}

// harvestOnce opens a run with one item, stores one page of documents, closes
// item and run, and returns the page's tally.
func harvestOnce(t *testing.T, s Store, id string, documents ...harvest.Document) harvest.Tally {
	t.Helper()
	run := openRun(t, s, id, "a")
	w := page(one(t, s, run, 1))
	w.Page.Page.Documents, w.Page.Page.Listed = documents, len(documents)
	got := s.Write(t.Context(), closed(w, outcomes.Done))
	require.NoError(t, got.Err)
	finish(t, s, run)
	return got.Tally
}

func finish(t *testing.T, s Store, run int64) {
	t.Helper()
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: run, Outcome: outcomes.Done, At: noon().Add(time.Minute)}))
}

// item returns a run's item by key.
func item(t *testing.T, s Store, run int64, key string) rows.RunItem {
	t.Helper()
	list, err := s.RunItems(t.Context(), run, rows.ItemFilter{Keys: []string{key}})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// health returns an item across runs.
func health(t *testing.T, s Store, key string) rows.Item {
	t.Helper()
	list, err := s.Items(t.Context(), rows.ItemsFilter{Campaign: "news", Key: key})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// checkpoint returns the checkpoint of an item in a lane.
func checkpoint(t *testing.T, s Store, key, lane string) rows.Checkpoint {
	t.Helper()
	list, err := s.Checkpoints(t.Context(), rows.CheckpointFilter{Campaign: "news", Key: key, Lane: &lane})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// all reads a sequence to its end.
func all[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var list []T
	for one, err := range seq {
		require.NoError(t, err)
		list = append(list, one)
	}
	return list
}

func counts(t *testing.T, s Store) rows.Counts {
	t.Helper()
	c, err := s.Counts(t.Context(), "")
	require.NoError(t, err)
	return c
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
