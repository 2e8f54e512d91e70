package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// start is when every test begins.
var start = time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)

// world is a test environment whose steps are fakes: what a test does not say
// goes well.
type world struct {
	t   *testing.T
	env *testsuite.TestWorkflowEnvironment

	open   func(steps.OpenRunIn) (steps.Opened, error)
	expand func(steps.ExpandIn) (steps.Expanded, error)
	seal   func(steps.SealRunIn) (steps.Sealed, error)
	fetch  func(steps.FetchItemsIn) (steps.Fetched, error)
	stop   func(steps.StopRunIn) error
	close  func(steps.CloseRunIn) (steps.Summary, error)
	notify func(steps.NotifyIn) error
	skip   func(steps.SkipItemIn) (steps.Skipped, error)
	timers []time.Duration

	mu     sync.Mutex
	calls  []string
	tokens map[int64][]byte // of what runs, by item or seat
	infos  map[int64]activity.Info
	flying int
	most   int // items that ran at once
}

// environment bounds nothing by what a quick machine takes: not a whole test, and
// not a turn of the workflow, which is a deadlock after a second by default.
func environment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute})
	return env
}

func newWorld(t *testing.T, items int) *world {
	t.Helper()
	w := &world{t: t, env: environment(), tokens: map[int64][]byte{}, infos: map[int64]activity.Info{}}
	w.env.SetStartTime(start)
	Register(w.env)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return opened(items), nil }
	w.expand = func(steps.ExpandIn) (steps.Expanded, error) { return steps.Expanded{}, nil }
	w.seal = func(steps.SealRunIn) (steps.Sealed, error) {
		return steps.Sealed{Items: items, Ranges: opened(items).Ranges}, nil
	}
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) { return done(in), nil }
	w.stop = func(steps.StopRunIn) error { return nil }
	w.close = func(in steps.CloseRunIn) (steps.Summary, error) {
		sum := steps.Summary{Outcome: outcomes.Done, More: "starter runs show news"}
		if in.Cause == outcomes.WhyCancelled {
			sum.Outcome = outcomes.Cancelled
		}
		return sum, nil
	}
	w.notify = func(steps.NotifyIn) error { return nil }
	w.skip = func(steps.SkipItemIn) (steps.Skipped, error) { return steps.Skipped{}, nil }
	w.register()
	w.env.SetOnTimerScheduledListener(func(_ string, d time.Duration) { w.timers = append(w.timers, d) })
	return w
}

func opened(items int) steps.Opened {
	return steps.Opened{
		RunOf: steps.RunOf{Run: 7, Store: "7f3a"}, Campaign: "news", Items: items, Processors: 4, Definition: "news@7",
		Ranges: []steps.Range{{Entry: "feed", Queue: "vendemmia-fetch", Lo: 1, Hi: int64(items)}},
	}
}

// many is a run whose items share a queue.
func many(items, processors, chunk int) steps.Opened {
	o := opened(items)
	o.Processors = processors
	o.Ranges = []steps.Range{{Queue: "vendemmia-fetch", Shared: true, Chunk: steps.ChunkSize(chunk, items), Left: items}}
	return o
}

// done closes the item.
func done(steps.FetchItemsIn) steps.Fetched {
	return steps.Fetched{Closed: 1, Outcomes: map[outcomes.Outcome]steps.Seen{outcomes.Done: {Items: 1, New: 1}}, Tally: harvest.Tally{Pages: 1, New: 1}}
}

func (w *world) register() {
	steps.OpenRun.Register(w.env, func(_ context.Context, in steps.OpenRunIn) (steps.Opened, error) {
		w.note("open")
		return w.open(in)
	})
	steps.Expand.Register(w.env, func(_ context.Context, in steps.ExpandIn) (steps.Expanded, error) {
		w.note("expand %s", in.Entry)
		return w.expand(in)
	})
	steps.SealRun.Register(w.env, func(_ context.Context, in steps.SealRunIn) (steps.Sealed, error) {
		w.note("seal")
		return w.seal(in)
	})
	steps.FetchItems.Register(w.env, w.fetchItems)
	steps.StopRun.Register(w.env, func(_ context.Context, in steps.StopRunIn) (steps.Nothing, error) {
		w.note("stop %s", in.Why)
		return steps.Nothing{}, w.stop(in)
	})
	steps.CloseRun.Register(w.env, func(_ context.Context, in steps.CloseRunIn) (steps.Summary, error) {
		w.note("close %s", in.Cause)
		return w.close(in)
	})
	steps.Notify.Register(w.env, func(_ context.Context, in steps.NotifyIn) (steps.Nothing, error) {
		w.note("notify")
		return steps.Nothing{}, w.notify(in)
	})
	steps.SkipItem.Register(w.env, func(_ context.Context, in steps.SkipItemIn) (steps.Skipped, error) {
		w.note("skip %s", in.Key)
		return w.skip(in)
	})
}

func (w *world) fetchItems(ctx context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
	if in.Shared {
		w.note("fetch %s/%d x%d", in.Queue, in.Seat, in.Width)
	} else {
		w.note("fetch %d", in.Ord)
	}
	w.mu.Lock()
	w.tokens[in.Ord+in.Seat], w.infos[in.Ord+in.Seat] = activity.GetInfo(ctx).TaskToken, activity.GetInfo(ctx)
	w.flying += in.Width
	w.most = max(w.most, w.flying)
	w.mu.Unlock()
	out, err := w.fetch(in)
	if err != activity.ErrResultPending {
		w.landed(in.Width)
	}
	return out, err
}

func (w *world) landed(width int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flying -= width
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// hold keeps every activity running until comeBack.
func hold(steps.FetchItemsIn) (steps.Fetched, error) {
	return steps.Fetched{}, activity.ErrResultPending
}

// comeBack ends the activity of an item, or of a seat.
func (w *world) comeBack(lo int64, out steps.Fetched, err error) {
	w.mu.Lock()
	token := w.tokens[lo]
	w.mu.Unlock()
	require.NotNil(w.t, token, "nothing runs at %d", lo)
	require.NoError(w.t, w.env.CompleteActivity(token, out, err))
}

// after calls f when the workflow's clock has moved on so far.
func (w *world) after(d time.Duration, f func()) { w.env.RegisterDelayedCallback(f, d) }

// count counts the calls that begin so.
func (w *world) count(prefix string) int {
	return len(w.called(prefix))
}

func (w *world) called(prefix string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.calls), func(c string) bool { return !strings.HasPrefix(c, prefix) })
}

func (w *world) run(in steps.Start) (steps.Summary, error) {
	w.t.Helper()
	w.env.ExecuteWorkflow(steps.CampaignWorkflow, in)
	require.True(w.t, w.env.IsWorkflowCompleted())
	var sum steps.Summary
	err := w.env.GetWorkflowError()
	if err == nil {
		require.NoError(w.t, w.env.GetWorkflowResult(&sum))
	}
	return sum, err
}

// news runs {"campaign":"news"}.
func (w *world) news() (steps.Summary, error) {
	w.t.Helper()
	return w.run(steps.Start{Campaign: "news"})
}

func (w *world) progress() steps.ProgressOut {
	w.t.Helper()
	value, err := w.env.QueryWorkflow(steps.Progress.Name, steps.Nothing{})
	require.NoError(w.t, err)
	var out steps.ProgressOut
	require.NoError(w.t, value.Get(&out))
	return out
}

// answer is what became of an update.
type answer struct {
	rejected, failed error
	completed        bool
}

func (a *answer) Reject(err error) { a.rejected = err }
func (a *answer) Accept()          {}
func (a *answer) Complete(_ any, err error) {
	a.completed, a.failed = err == nil, err
}

func (w *world) update(name string, in any) *answer {
	a := &answer{}
	w.env.UpdateWorkflow(name, "", a, in)
	return a
}

// failure is the application error a workflow ended with, and its summary.
func failure(t *testing.T, err error) (*temporal.ApplicationError, steps.Summary) {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	var sum steps.Summary
	if app.HasDetails() {
		require.NoError(t, app.Details(&sum))
	}
	return app, sum
}

// ended is the summary in the details of a canceled workflow.
func ended(t *testing.T, err error) steps.Summary {
	t.Helper()
	var c *temporal.CanceledError
	require.ErrorAs(t, err, &c)
	var sum steps.Summary
	require.NoError(t, c.Details(&sum))
	return sum
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
