package activities

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/temporalx"
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
	require.Equal(t, harvest.OutcomeDone, out.Worst)
	sum := w.close(o)
	require.Equal(t, harvest.OutcomeDone, sum.Outcome)
	require.Equal(t, steps.Documents{New: 5}, sum.Documents)
	require.Equal(t, map[harvest.Outcome]int{harvest.OutcomeDone: 3}, sum.Items)
	require.Equal(t, "starter runs show news-1", sum.More)
	require.Equal(t, 5, w.documents())

	again := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, harvest.OutcomeUnchanged, again.Outcome)
	require.Equal(t, 5, w.documents(), "nothing twice")
}

func TestALastPageWithoutDocumentsClosesInOneWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.script.on("a", pages(harvest.Page{Checkpoint: []byte(`{"page":1}`), NotModified: true, Last: true}))
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, harvest.OutcomeUnchanged, sum.Outcome)
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
		outcome harvest.Outcome
		kind    harvest.Kind
		why     string
		err     string
	}{
		{name: "done", script: pages(page(1, "x")), outcome: harvest.OutcomeDone},
		{name: "nothing, and there never was", script: pages(page(1)), outcome: harvest.OutcomeUnchanged},
		{name: "blocked", script: fails(kindError(harvest.KindBlocked)), outcome: harvest.OutcomeBlocked, kind: harvest.KindBlocked, why: "not-retriable", err: "get https://a.example/x: no luck"},
		{name: "gone", script: fails(kindError(harvest.KindGone)), outcome: harvest.OutcomeGone, kind: harvest.KindGone, why: "not-retriable"},
		{name: "unreachable", script: fails(errTransport), outcome: harvest.OutcomeFailed, kind: harvest.KindInternal, why: "not-retriable", err: "connection refused"},
		{name: "partial", script: pages(partial), outcome: harvest.OutcomePartial, why: "the source's answer was not whole"},
		{name: "some rejects", script: pages(reject(2, 8)), outcome: harvest.OutcomePartial, why: "2 of 10 records could not be read"},
		{name: "too many rejects", script: pages(reject(3, 7)), change: func(e *campaigns.Entry) { e.Tolerate = harvest.Count{Share: 0.2} }, outcome: harvest.OutcomeFailed, kind: harvest.KindBadRecord, err: "3 of 10 records could not be read, 2 are tolerated"},
		{name: "fewer than expected", script: pages(page(1, "x")), change: func(e *campaigns.Entry) { e.Expect.MinDocuments = 2 }, outcome: harvest.OutcomeEmpty, why: "1 listed, at least 2 expected"},
		{name: "fewer than expected, else fail", script: pages(page(1, "x")), change: func(e *campaigns.Entry) { e.Expect = campaigns.ItemExpectation{MinDocuments: 2, Fail: true} }, outcome: harvest.OutcomeFailed, err: "1 listed, at least 2 expected"},
		{name: "bad params", script: nil, change: func(e *campaigns.Entry) { e.Params = []byte(`{"wrong":1}`) }, outcome: harvest.OutcomeMisconfigured, kind: harvest.KindMisconfigured, why: "not-retriable", err: "no such param"},
		{name: "secret that is not there", script: nil, change: func(e *campaigns.Entry) { e.Params = []byte(`{"token":"${secret:env:NONE}"}`) }, outcome: harvest.OutcomeMisconfigured, kind: harvest.KindMisconfigured, err: "${secret:env:NONE}"},
		{name: "panic", script: func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
			return func(func(harvest.Page, error) bool) { panic("ouch") }
		}, outcome: harvest.OutcomeFailed, kind: harvest.KindInternal, err: "panic: ouch"},
		{name: "panic before the first page", script: func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] { panic("early") }, outcome: harvest.OutcomeFailed, kind: harvest.KindInternal, err: "early"},
		{name: "page too big", script: pages(harvest.Page{Documents: make([]harvest.Document, harvest.MaxPageDocuments+1)}), outcome: harvest.OutcomeFailed, kind: harvest.KindInternal, err: "at most 1000"},
		{name: "page that never comes", script: func(ctx context.Context, _ harvest.Request) iter.Seq2[harvest.Page, error] {
			return func(yield func(harvest.Page, error) bool) { <-ctx.Done(); yield(harvest.Page{}, ctx.Err()) }
		}, change: func(e *campaigns.Entry) { e.Timeouts.Page = 50 * time.Millisecond }, outcome: harvest.OutcomeFailed, kind: harvest.KindTimeout, err: "no page within 50ms; timeouts.page allows more"},
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
	require.Equal(t, harvest.OutcomeDone, w.once(steps.Start{Campaign: "news"}).Outcome)
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, harvest.OutcomeEmpty, sum.Outcome)
	require.Empty(t, sum.Failed)
	require.Equal(t, []string{"a empty: nothing was listed where there always was something"}, sum.LookAt)
}

func TestFreshWithin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Expect.FreshWithin = 14 * 24 * time.Hour
	w.apply(news)
	require.Equal(t, harvest.OutcomeDone, w.once(steps.Start{Campaign: "news"}).Outcome)
	w.clock.set(time.Now().Add(20 * 24 * time.Hour))
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, harvest.OutcomeEmpty, sum.Outcome)
	require.Contains(t, sum.LookAt[0], "expected within 14d")
}

func TestRetryOfOneItemIsTemporalsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Retry = []harvest.RetryRule{{Times: 2, Wait: 20 * time.Second}}
	w.apply(news)
	w.clock.set(time.Now())
	w.script.on("a", fails(kindError(harvest.KindServerError)))
	o := w.open(steps.Start{Campaign: "news"})
	for attempt := 1; attempt <= 2; attempt++ {
		_, err := w.fetch(o)
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		require.InDelta(t, 20, app.NextRetryDelay().Seconds(), 0.01)
		require.Equal(t, "server_error", app.Type())
		require.False(t, app.NonRetryable())
		require.Contains(t, app.Message(), "no luck")
		require.NotContains(t, app.Message(), "token")
		require.Equal(t, attempt, w.items(o.Run)["a"].Attempts)
		w.clock.set(w.clock.now().Add(21 * time.Second))
	}
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	item := w.items(o.Run)["a"]
	require.Equal(t, harvest.OutcomeFailed, item.Outcome)
	require.Equal(t, string(harvest.WhyTriedTooManyTimes), item.Why)
	require.Equal(t, 3, item.Attempts)
	require.Equal(t, 3, w.script.count("a"))
}

func TestLongWaitIsHandedBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a@slow.example")
	news.Entries[0].Retry = []harvest.RetryRule{{When: []harvest.Kind{harvest.KindThrottled}, Times: 20, Wait: time.Minute, Queue: "patient"}}
	w.apply(news)
	now := time.Now().Truncate(time.Microsecond)
	w.clock.set(now)
	w.script.on("a", fails(&harvest.Error{Kind: harvest.KindThrottled, Op: "get", RetryAfter: 3 * time.Hour, Err: errors.New("HTTP status 429")}))
	o := w.open(steps.Start{Campaign: "news"})
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Left)
	require.WithinDuration(t, now.Add(3*time.Hour), out.NextAt, 0)
	require.Equal(t, "slow.example rests until "+now.Add(3*time.Hour).UTC().Format("15:04:05 UTC"), out.Why)
	require.Equal(t, "patient", out.Queue)
	item := w.items(o.Run)["a"]
	require.Equal(t, []int{0, 1}, []int{item.Attempts, item.Throttles}, "throttling burns no attempt")

	out, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Left, "asked before its time: not due, not fetched")
	require.Equal(t, 1, w.script.count("a"))
}

func TestWaitBeyondTheDeadlineIsNextTick(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*campaigns.Campaign)
	}{
		{"run", func(c *campaigns.Campaign) { c.Timeouts.Run = time.Hour }},
		{"item", func(c *campaigns.Campaign) { c.Entries[0].Timeouts.Item = time.Hour }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			news := campaign("news", "a")
			news.Entries[0].Retry = []harvest.RetryRule{{Times: harvest.Forever, Wait: 2 * time.Hour}}
			c.change(&news)
			w.apply(news)
			w.script.on("a", fails(kindError(harvest.KindThrottled)))
			o := w.open(steps.Start{Campaign: "news"})
			out, err := w.fetch(o)
			require.NoError(t, err)
			require.Equal(t, 1, out.Closed)
			item := w.items(o.Run)["a"]
			require.Equal(t, harvest.OutcomeThrottled, item.Outcome)
			require.Equal(t, string(harvest.WhyNextTick), item.Why)
		})
	}
}

func TestTheDeadlineStopsAnItemBetweenPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a", "b")
	news.Timeouts.Run = time.Hour
	w.apply(news)
	start := time.Now()
	w.clock.set(start)
	w.script.on("a", func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			w.clock.set(start.Add(2 * time.Hour))
			if yield(page(1, "x"), nil) {
				yield(page(2, "y"), nil)
			}
		}
	})
	o := w.open(steps.Start{Campaign: "news"})
	r := o.Ranges[0]
	out, err := do(w, steps.FetchItems, steps.FetchItemsIn{Run: o.Run, Lo: r.Lo, Hi: r.Hi, Width: 1})
	require.NoError(t, err)
	require.Zero(t, out.Left)
	items := w.items(o.Run)
	require.Equal(t, harvest.OutcomePartial, items["a"].Outcome)
	require.Equal(t, string(harvest.WhyNextTick), items["a"].Why)
	require.Equal(t, harvest.OutcomeFailed, items["b"].Outcome, "its turn never came")
	require.Zero(t, w.script.count("b"))
	require.Equal(t, 1, w.documents(), "the page at work was kept")
}

func TestAFetcherThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a", "b")
	news.Entries[0].Timeouts.Page = 30 * time.Millisecond
	w.apply(news)
	letGo := make(chan struct{})
	late := make(chan bool, 1)
	w.script.on("a", func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			<-letGo
			late <- yield(page(1, "too-late"), nil)
		}
	})
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	item := w.items(o.Run)["a"]
	require.Equal(t, harvest.KindInternal, item.Kind)
	require.Contains(t, item.Error, "was left behind")
	close(letGo)
	require.False(t, <-late, "what comes later is not committed")
	require.Equal(t, 1, w.documents(), "only b's")
}

func TestAWorkerThatStopsHandsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b", "c", "d", "e"))
	began, letGo := make(chan struct{}, 5), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	w.script.on("b", holds(began, nil, page(1)))
	for _, name := range []string{"c", "d"} {
		w.script.on(name, holds(began, letGo, page(1, name+"-1")))
	}
	go func() {
		for range 4 {
			<-began
		}
		close(w.stop)
		close(letGo)
	}()
	o := w.open(steps.Start{Campaign: "news"})
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 5, out.Left)
	require.Equal(t, "this worker is stopping", out.Why)
	require.Zero(t, w.script.count("e"), "nothing new was begun")
	require.Equal(t, 3, w.documents(), "the pages at work were committed, b's never came")
	for key, item := range w.items(o.Run) {
		require.Equal(t, rows.ItemOpen, item.State, key)
		require.Zero(t, item.Attempts, "a hand-back burns no attempt")
	}
	w.stop = make(chan struct{})
	w.script.on("b", nil)
	out, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 5, out.Closed)
}

func TestACancelledChunkHandsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	ctx, cancel := context.WithCancelCause(t.Context())
	began, letGo := make(chan struct{}, 1), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	go func() {
		<-began
		cancel(temporal.NewCanceledError())
		close(letGo)
	}()
	o := w.open(steps.Start{Campaign: "news"})
	out, err := doWith(w, steps.FetchItems, steps.FetchItemsIn{Run: o.Run, Lo: 0, Hi: 0, Width: 1}, func(e *testsuite.TestActivityEnvironment) {
		e.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	})
	require.NoError(t, err)
	require.Equal(t, 1, out.Left)
	require.Equal(t, "handed back: "+string(temporalx.Cancel), out.Why)
	require.Equal(t, 1, w.documents())
}

func TestARunThatIsStoppedStopsAtTheNextPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	began, letGo := make(chan struct{}, 2), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	w.script.on("b", holds(began, letGo, page(1, "b-1")))
	o := w.open(steps.Start{Campaign: "news"})
	go func() {
		<-began
		<-began
		_, err := do(w, steps.StopRun, steps.StopRunIn{Run: o.Run, By: "marta", Store: o.Store})
		if err == nil {
			close(letGo)
		}
	}()
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.True(t, out.Stopped)
	require.Equal(t, 2, out.Left)
	require.Equal(t, 2, w.documents())
	sum, err := do(w, steps.CloseRun, steps.CloseRunIn{Run: o.Run, Cause: harvest.WhyCancelled})
	require.NoError(t, err)
	require.Equal(t, harvest.OutcomeCancelled, sum.Outcome)
	require.Equal(t, map[harvest.Outcome]int{harvest.OutcomeCancelled: 2}, sum.Items)
	require.Equal(t, 2, sum.Documents.New)
}

func TestAPausedRunHandsBackAndTakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	require.NoError(t, w.store.PauseRun(t.Context(), o.Run, "by marta: firewall"))
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Left)
	require.Contains(t, out.Why, "by marta: firewall")
	require.Zero(t, w.script.count("a"))
}

func TestPausedItemsAreSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a", "b", "c")
	news.Entries[0].Split.Items[1].Paused = "feed is moving"
	w.apply(news)
	require.Equal(t, 2, w.once(steps.Start{Campaign: "news"}).Items[harvest.OutcomeDone])
	item := harvest.Item{Campaign: "news", Entry: "scripted", Key: "a"}
	require.NoError(t, w.store.PauseItem(t.Context(), item, &rows.Pause{By: "marta", Note: "until Monday", At: time.Now()}))
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	items := w.items(o.Run)
	for key, note := range map[string]string{"a": "until Monday", "b": "feed is moving"} {
		require.Equal(t, harvest.OutcomeSkipped, items[key].Outcome, key)
		require.Equal(t, string(harvest.WhyPaused), items[key].Why)
		require.Equal(t, note, items[key].Error)
	}
	require.Equal(t, 1, w.script.count("a"))
	require.Zero(t, w.script.count("b"))
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
	require.Equal(t, harvest.OutcomeDone, sum.Outcome)
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
	again := asked(steps.Start{Campaign: "news", Again: true})
	require.True(t, again.Again)
	require.JSONEq(t, `{"page":1}`, string(again.Checkpoint))

	news.Entries[0].Params = []byte(`{"max":5}`)
	w.apply(news)
	other := asked(steps.Start{Campaign: "news"})
	require.False(t, other.Again)
	require.JSONEq(t, `{"page":1}`, string(other.Checkpoint), "other params keep the checkpoint")

	news.Entries[0].Params = []byte(`{"max":5,"fields":"h1.titolo"}`)
	w.apply(news)
	require.True(t, asked(steps.Start{Campaign: "news"}).Again, "another extraction reads again")
}

func TestACheckpointSetByHandIsGoneOnFrom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Params = []byte(`{"fields":"h1.titolo"}`)
	w.apply(news)
	item := harvest.Item{Campaign: "news", Entry: news.Entries[0].Name, Key: "a"}
	require.NoError(t, w.store.SetCheckpoint(t.Context(), item, "", []byte(`{"page":1}`)))
	w.once(steps.Start{Campaign: "news"})
	w.script.mu.Lock()
	defer w.script.mu.Unlock()
	require.JSONEq(t, `{"page":1}`, string(w.script.last.Checkpoint))
	require.False(t, w.script.last.Again, "no extraction made it: nothing is read again")
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

func TestFencedPageIsDroppedAndTheItemReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	item := harvest.Item{Campaign: "news", Entry: "scripted", Key: "a"}
	var once sync.Once
	w.script.on("a", func(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			// Somebody sets the checkpoint while the first page is on its way.
			once.Do(func() { require.NoError(t, w.store.SetCheckpoint(t.Context(), item, "", []byte(`{"page":7}`))) })
			yield(page(8, fmt.Sprintf("after %s", req.Checkpoint)), nil)
		}
	})
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	require.Equal(t, 2, w.script.count("a"))
	_, err = w.store.Document(t.Context(), "news", `after {"page":7}`)
	require.NoError(t, err)
	require.Equal(t, 1, w.documents())
}

// A zombie is an attempt that was given up and lives on: its pages are fenced.
func TestZombieCommitsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	began, letGo := make(chan struct{}, 1), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "of-the-zombie")))
	done := make(chan steps.Fetched)
	go func() {
		out, err := w.fetch(o)
		if err == nil {
			done <- out
		}
		close(done)
	}()
	<-began
	w.script.on("a", pages(page(1, "of-the-living")))
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	require.Equal(t, 1, w.items(o.Run)["a"].Lost)
	close(letGo)
	zombie := <-done
	require.Zero(t, zombie.Closed)
	require.Equal(t, 1, w.documents())
	_, err = w.store.Document(t.Context(), "news", "of-the-living")
	require.NoError(t, err)
}

func TestAPoisonedItemIsGivenUpAfterThreeWorkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	o := w.open(steps.Start{Campaign: "news"})
	// The first dying worker has both, the next ones a, b and a again.
	for i := range 4 {
		c, err := w.store.Claim(t.Context(), rows.Claim{Run: o.Run, Lo: 0, Hi: 1, Epoch: int64(i + 1), Worker: "dead", Max: 5, Now: time.Now()})
		require.NoError(t, err)
		require.NotEmpty(t, c.Items)
	}
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 2, out.Closed)
	items := w.items(o.Run)
	require.Equal(t, harvest.OutcomeFailed, items["a"].Outcome)
	require.Equal(t, string(harvest.WhyWorkerLost), items["a"].Why)
	require.Zero(t, w.script.count("a"), "it was not run again")
	require.Equal(t, harvest.OutcomeDone, items["b"].Outcome, "lost twice: only one was handed out at a time after the first death")
}

func TestLostItemsRunOneAtATimeInAProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.store.Claim(t.Context(), rows.Claim{Run: o.Run, Lo: 0, Hi: 1, Epoch: 1, Worker: "dead", Max: 5, Now: time.Now()})
	require.NoError(t, err)
	began, letGo := make(chan struct{}, 2), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	w.script.on("b", holds(began, letGo, page(1, "b-1")))
	var chunks sync.WaitGroup
	for ord := range int64(2) {
		chunks.Go(func() {
			_, err := do(w, steps.FetchItems, steps.FetchItemsIn{Run: o.Run, Lo: ord, Hi: ord, Width: 1})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-began
	// The other one is told to wait its turn before it may begin.
	require.Eventually(t, func() bool {
		for _, item := range w.items(o.Run) {
			if item.State == rows.ItemOpen && !item.NotBefore.IsZero() {
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond)
	require.Empty(t, began, "not both at once")
	close(letGo)
	chunks.Wait()
	for key, item := range w.items(o.Run) {
		require.Equal(t, rows.ItemClosed, item.State, key)
	}
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
			if _, err := do(w, steps.FetchItems, steps.FetchItemsIn{Run: o.Run, Lo: lo, Hi: lo + 2, Width: 3}); err != nil {
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
	_, err := do(w, steps.FetchItems, steps.FetchItemsIn{Run: o.Run, Hi: 1, Width: 1, Store: "deadbeef"})
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.False(t, app.NonRetryable(), "the worker that has that store may be asked next")
	require.Contains(t, app.Message(), "belongs to store deadbeef")
	require.Contains(t, app.Message(), o.Store)

	_, err = do(w, steps.FetchItems, steps.FetchItemsIn{Run: 4711, Hi: 1, Width: 1, Store: o.Store})
	require.ErrorContains(t, err, "restored from a copy")
}
