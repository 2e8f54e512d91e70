package activities

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// beatEvery is how often an activity heartbeats: at least as often as the SDK's
	// throttle lets through.
	beatEvery = 4 * time.Second
	// waitHere is the longest wait that is not worth a hand-back; sharedWait is that of
	// the first activity of a queue, which would otherwise be restarted for each retry.
	waitHere, sharedWait = 2 * time.Second, 20 * time.Second
	// linger is how long an activity that took its share waits for its running items.
	// After that it takes more, so that a slow item leaves no processor idle.
	linger = 10 * time.Second
)

// FetchItems runs one item, or what is due in the run's part of a queue, at most
// Width side by side and never more than the process has slots for. What is still
// open at the end is a hand-back; a single item with a short wait is left to
// Temporal's own retry, which the Web UI shows. One item that fails, panics or
// hangs does not hurt the others.
func (a *Activities) FetchItems(ctx context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
	k := &session{
		Activities: a, in: in, epoch: activity.GetInfo(ctx).StartedTime.UnixMicro(),
		quit: make(chan struct{}), frozen: make(chan struct{}), ended: make(chan end), at: map[string]beatItem{}, fences: map[int64]int{},
	}
	// From the first moment: reading blocks while the store is away.
	over := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() { k.beat(ctx, over) })
	defer beating.Wait()
	defer close(over)
	err := k.read(ctx)
	if errors.Is(err, rows.ErrRestored) { // the run is over
		k.Log.WarnContext(ctx, "an activity was refused", "run", in.RunID, "error", err)
		return steps.Fetched{Left: 1, Stopped: true}, nil
	}
	if err == nil {
		err = k.work(ctx)
	}
	if err != nil {
		return steps.Fetched{}, a.setback.delay(err, a.Now())
	}
	a.setback.over()
	return k.answer(ctx)
}

// read gets the run and its definition from the store.
func (k *session) read(ctx context.Context) (err error) {
	if k.run, k.campaign, err = k.campaignOf(ctx, k.in.RunOf); err != nil {
		return err
	}
	k.log = k.runLogger(k.run, k.campaign).With("attempt", activity.GetInfo(ctx).Attempt)
	k.start, err = startOf(k.run)
	return err
}

// session is one running FetchItems activity. Fields that mu does not guard belong to
// the activity's own goroutine.
type session struct {
	*Activities
	run      rows.Run
	campaign *campaigns.Campaign
	start    steps.Start
	in       steps.FetchItemsIn
	epoch    int64
	log      *slog.Logger

	call   context.Context // Temporal's: it ends when the activity shall stop
	quit   chan struct{}   // closed: start no further page and no further item
	ended  chan end        // one for each started item
	freeze sync.Once
	frozen chan struct{} // closed: a call of the store hangs, stop the heartbeat

	life context.Context // of the items; it ends when the drain is over
	keep context.Context // for the store; it never ends, so that finished work is kept

	running int
	apart   bool         // the running item is dangerous: start nothing else
	begun   int          // items started of the share
	fullAt  time.Time    // when the share was taken
	left    rows.Claimed // of the last claim
	dry     bool         // the last claim took everything that was due
	out     steps.Fetched
	none    string // why this process takes no new item
	last    error  // of the item that waits, for Temporal's own retry
	waiting string
	broken  error // an item whose end could not be written

	spent sync.Map // entry to *overBudget: one item found it, the others need not ask

	mu          sync.Mutex
	closedSoFar int
	fences      map[int64]int       // how often the checkpoint of an item moved meanwhile
	at          map[string]beatItem // running items
}

func (k *session) work(ctx context.Context) error {
	life, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	defer kill(nil)
	k.life, k.keep, k.call = life, context.WithoutCancel(ctx), ctx
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { k.watch(ctx, over, kill) })
	err := k.rounds()
	close(over)
	watching.Wait()
	return err
}

// watch closes quit when the activity must stop, and ends its items when the drain is
// over.
func (k *session) watch(ctx context.Context, over <-chan struct{}, kill context.CancelCauseFunc) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	case <-activity.GetWorkerStopChannel(ctx):
	}
	close(k.quit)
	// The last fifth of the drain is for writing the open items back.
	timer := time.NewTimer(k.Drain * 4 / 5)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
		kill(errDrained)
	}
}

// errDrained is the cause of items that were cut off.
var errDrained = errors.New("the activity had to stop, and its current page took too long")

// quitting reports whether the activity must stop, also before watch has noticed.
func (k *session) quitting() bool {
	select {
	case <-k.quit:
		return true
	case <-k.call.Done():
		return true
	case <-activity.GetWorkerStopChannel(k.call):
		return true
	default:
		return false
	}
}
