package activities

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestRunFetchesStoresAndCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b", "c"))
	w.script.on("b", pages(page(1, "b-1", "b-2"), page(2, "b-3")))
	o := w.open(steps.Start{Campaign: "news"})
	require.Equal(t, 3, o.Items)
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 3, out.Closed)
	require.Zero(t, out.Left)
	require.Equal(t, map[outcomes.Outcome]steps.Seen{outcomes.Done: {Items: 3, New: 5}}, out.Outcomes)
	sum := w.close(o)
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Equal(t, steps.Documents{Listed: 5, New: 5}, sum.Documents)
	require.Equal(t, map[outcomes.Outcome]int{outcomes.Done: 3}, sum.Items)
	require.Equal(t, "starter runs show news-1", sum.More)
	require.Equal(t, 5, w.documents())

	again := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, outcomes.Unchanged, again.Outcome)
	require.Equal(t, 5, w.documents(), "nothing twice")
}

func TestALastPageWithoutDocumentsClosesInOneWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.script.on("a", pages(harvest.Page{Checkpoint: []byte(`{"page":1}`), NotModified: true, Last: true}))
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, outcomes.Unchanged, sum.Outcome)
	run, err := w.store.FindRun(t.Context(), "news")
	require.NoError(t, err)
	item := w.items(run.ID)["a"]
	require.Equal(t, rows.ItemClosed, item.State)
	require.Equal(t, 1, item.Seq)
}

// A table of how single items end.
func TestItemEnds(t *testing.T) {
	t.Parallel()
	reject := func(n, ok int) harvest.Page {
		p := page(1)
		for i := range n {
			p.Rejects = append(p.Rejects, harvest.Reject{ID: fmt.Sprint(i), Reason: "torn", Bytes: []byte("<")})
		}
		for i := range ok {
			p.Documents = append(p.Documents, harvest.Document{ID: fmt.Sprint("ok-", i)})
		}
		p.Listed = n + ok
		return p
	}
	partial := page(1, "x")
	partial.Partial = true
	for _, c := range []struct {
		name    string
		script  scripted
		change  func(*campaigns.Entry)
		outcome outcomes.Outcome
		kind    harvest.Kind
		why     string
		err     string
	}{
		{name: "done", script: pages(page(1, "x")), outcome: outcomes.Done},
		{name: "nothing, and there never was", script: pages(page(1)), outcome: outcomes.Unchanged},
		{name: "blocked", script: fails(kindError(harvest.KindBlocked)), outcome: outcomes.Blocked, kind: harvest.KindBlocked, why: "not-retriable", err: "get https://a.example/x: no luck"},
		{name: "gone", script: fails(kindError(harvest.KindGone)), outcome: outcomes.Gone, kind: harvest.KindGone, why: "not-retriable"},
		{name: "unreachable", script: fails(errTransport), outcome: outcomes.Failed, kind: harvest.KindInternal, why: "not-retriable", err: "connection refused"},
		{name: "partial", script: pages(partial), outcome: outcomes.Partial, why: "the source's answer was not whole"},
		{name: "some rejects", script: pages(reject(2, 8)), outcome: outcomes.Partial, why: "2 records unread since "},
		{name: "too many rejects", script: pages(reject(3, 7)), change: func(e *campaigns.Entry) { e.Tolerate = campaigns.Count{Share: 0.2} }, outcome: outcomes.Failed, kind: harvest.KindBadRecord, err: "3 of 10 records could not be read, 2 are tolerated"},
		{name: "fewer than expected", script: pages(page(1, "x")), change: func(e *campaigns.Entry) { e.Expect.MinDocuments = 2 }, outcome: outcomes.Empty, why: "1 listed, at least 2 expected"},
		{name: "fewer than expected, else fail", script: pages(page(1, "x")), change: func(e *campaigns.Entry) { e.Expect = campaigns.ItemExpectation{MinDocuments: 2, Fail: true} }, outcome: outcomes.Failed, err: "1 listed, at least 2 expected"},
		{name: "bad params", script: nil, change: func(e *campaigns.Entry) { e.Params = []byte(`{"wrong":1}`) }, outcome: outcomes.Misconfigured, kind: harvest.KindMisconfigured, why: "not-retriable", err: "no such param"},
		{name: "secret that is not there", script: nil, change: func(e *campaigns.Entry) { e.Params = []byte(`{"token":"${secret:env:NONE}"}`) }, outcome: outcomes.Misconfigured, kind: harvest.KindMisconfigured, err: "${secret:env:NONE}"},
		{name: "panic", script: func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
			return func(func(harvest.Page, error) bool) { panic("ouch") }
		}, outcome: outcomes.Failed, kind: harvest.KindInternal, err: "panic: ouch"},
		{name: "panic before the first page", script: func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] { panic("early") }, outcome: outcomes.Failed, kind: harvest.KindInternal, err: "early"},
		{name: "page too big", script: pages(harvest.Page{Documents: make([]harvest.Document, harvest.MaxPageDocuments+1)}), outcome: outcomes.Failed, kind: harvest.KindInternal, err: "at most 1000"},
		{name: "page that never comes", script: func(ctx context.Context, _ harvest.Request) iter.Seq2[harvest.Page, error] {
			return func(yield func(harvest.Page, error) bool) { <-ctx.Done(); yield(harvest.Page{}, ctx.Err()) }
		}, change: func(e *campaigns.Entry) { e.Timeouts.Page = 50 * time.Millisecond }, outcome: outcomes.Failed, kind: harvest.KindTimeout, err: "no page within 50ms; timeouts.page allows more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			news := campaign("news", "a", "bystander")
			if c.change != nil {
				c.change(&news.Entries[0])
			}
			w.apply(news)
			if c.script != nil {
				w.script.on("a", c.script)
			}
			o := w.open(steps.Start{Campaign: "news"})
			_, err := w.fetch(o)
			require.NoError(t, err)
			item := w.items(o.Run)["a"]
			require.Equal(t, rows.ItemClosed, item.State)
			require.Equal(t, c.outcome, item.Outcome, item.Error)
			require.Equal(t, c.kind, item.Kind)
			require.Contains(t, item.Why, c.why)
			require.Contains(t, item.Error, c.err)
			require.NotContains(t, item.Error, "token=1")
			require.Equal(t, rows.ItemClosed, w.items(o.Run)["bystander"].State, "one item's failure hurts no other")
		})
	}
}

func TestEmptyWhereThereAlwaysWasSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.script.on("a", func(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			if len(req.Checkpoint) == 0 {
				yield(page(1, "x"), nil)
			} else {
				yield(page(2), nil)
			}
		}
	})
	require.Equal(t, outcomes.Done, w.once(steps.Start{Campaign: "news"}).Outcome)
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, outcomes.Empty, sum.Outcome)
	require.Empty(t, sum.Failed)
	require.Equal(t, []string{"a empty: nothing was listed where there always was something"}, sum.LookAt)
}

func TestFreshWithin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Expect.FreshWithin = 14 * 24 * time.Hour
	w.apply(news)
	require.Equal(t, outcomes.Done, w.once(steps.Start{Campaign: "news"}).Outcome)
	w.clock.set(time.Now().Add(20 * 24 * time.Hour))
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, outcomes.Empty, sum.Outcome)
	require.Contains(t, sum.LookAt[0], "expected within 14d")
}

func TestATrialStoresNothingAndMovesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.script.on("a", pages(page(1, "1", "2", "3"), page(2, "4", "5", "6"), page(3, "7")))
	o := w.open(steps.Start{Campaign: "news", Limit: 4})
	_, err := w.fetch(o)
	require.NoError(t, err)
	sum := w.close(o)
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Zero(t, w.documents())
	checkpoints, err := w.store.Checkpoints(t.Context(), rows.CheckpointFilter{})
	require.NoError(t, err)
	require.Empty(t, checkpoints)
	require.Contains(t, w.items(o.Run)["a"].Why, "4 documents seen, nothing stored")
}

func TestAgainAndFingerprints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	w.apply(news)
	asked := func(s steps.Start) harvest.Request {
		w.once(s)
		w.script.mu.Lock()
		defer w.script.mu.Unlock()
		return w.script.last
	}
	require.Empty(t, asked(steps.Start{Campaign: "news"}).Checkpoint)
	again := asked(steps.Start{Campaign: "news", ForceRefresh: true})
	require.True(t, again.ForceRefresh)
	require.JSONEq(t, `{"page":1}`, string(again.Checkpoint))

	news.Entries[0].Params = []byte(`{"max":5}`)
	w.apply(news)
	other := asked(steps.Start{Campaign: "news"})
	require.False(t, other.ForceRefresh)
	require.JSONEq(t, `{"page":1}`, string(other.Checkpoint), "other params keep the checkpoint")

	news.Entries[0].Params = []byte(`{"max":5,"fields":"h1.titolo"}`)
	w.apply(news)
	require.True(t, asked(steps.Start{Campaign: "news"}).ForceRefresh, "another extraction reads again")
}

func TestACheckpointSetByHandIsGoneOnFrom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Params = []byte(`{"fields":"h1.titolo"}`)
	w.apply(news)
	item := units.Item{Campaign: "news", Entry: news.Entries[0].Name, Key: "a"}
	require.NoError(t, w.store.SetCheckpoint(t.Context(), item, "", []byte(`{"page":1}`)))
	w.once(steps.Start{Campaign: "news"})
	w.script.mu.Lock()
	defer w.script.mu.Unlock()
	require.JSONEq(t, `{"page":1}`, string(w.script.last.Checkpoint))
	require.False(t, w.script.last.ForceRefresh, "no extraction made it: nothing is read again")
}

func TestConstantFieldsAndCollection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Add = map[string]any{"collection": "theses", "language": "it"}
	w.apply(news)
	w.once(steps.Start{Campaign: "news"})
	d, err := w.store.Document(t.Context(), "theses", "a-1")
	require.NoError(t, err)
	require.Equal(t, map[string]any{"language": "it"}, d.Line.Fields)
}

func TestSecretsReachTheFetcherAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Params = []byte(`{"token":"${secret:env:TOKEN}"}`)
	w.apply(news)
	w.script.on("a", func(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
		p, err := harvest.DecodeParams[scriptParams](req.Params)
		return func(yield func(harvest.Page, error) bool) {
			if err == nil {
				err = harvest.Errorf(harvest.KindBlocked, "log in", "", "token %q was refused", p.Token)
			}
			yield(harvest.Page{}, err)
		}
	})
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	item := w.items(o.Run)["a"]
	require.Contains(t, item.Error, `token "***" was refused`)
	require.Contains(t, string(item.Params), "${secret:env:TOKEN}")
}

func TestProcessWideItemSlots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	small := w.Deps
	small.ItemSlots = 2
	w.Activities = New(small)
	w.apply(campaign("news", "a", "b", "c", "d", "e", "f"))
	var mu sync.Mutex
	flying, most := 0, 0
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		w.script.on(name, func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
			return func(yield func(harvest.Page, error) bool) {
				mu.Lock()
				flying++
				most = max(most, flying)
				mu.Unlock()
				yield(page(1, name), nil)
				mu.Lock()
				flying--
				mu.Unlock()
			}
		})
	}
	o := w.open(steps.Start{Campaign: "news"})
	var chunks sync.WaitGroup
	for _, lo := range []int64{0, 3} {
		chunks.Go(func() {
			if _, err := do(w, steps.FetchItems, steps.FetchItemsIn{RunOf: steps.RunOf{Run: o.Run}, Shared: true, Queue: o.Ranges[0].Queue, Seat: lo, Width: 3}); err != nil {
				t.Error(err)
			}
		})
	}
	chunks.Wait()
	require.LessOrEqual(t, most, 2)
	require.Equal(t, 6, w.documents())
}

func TestAnotherStoreIsRefusedByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	_, err := do(w, steps.FetchItems, steps.FetchItemsIn{RunOf: steps.RunOf{Run: o.Run, Store: "deadbeef"}, Width: 1})
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.False(t, app.NonRetryable(), "the worker that has that store may be asked next")
	require.Contains(t, app.Message(), "belongs to store deadbeef")
	require.Contains(t, app.Message(), o.Store)

	out, err := do(w, steps.FetchItems, steps.FetchItemsIn{RunOf: steps.RunOf{Run: 4711, Store: o.Store}, Width: 1})
	require.NoError(t, err)
	require.Equal(t, steps.Fetched{Left: 1, Stopped: true}, out, "an older copy of the store was put back: the run is over")
}
