package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// beatEvery is how often a chunk says that it lives: no less often than the
	// throttle lets through.
	beatEvery = 4 * time.Second
	// waitHere is the longest wait that is not worth a hand-back.
	waitHere = 2 * time.Second
)

// FetchItems works off the open and due items from Lo to Hi, at most Width side
// by side and never more than the process has slots for. What is still open at
// the end is a hand-back; a chunk of one item with a short wait is left to
// Temporal's own retry, which the Web UI shows. One item that fails, panics or
// hangs does not hurt the others.
func (a *Activities) FetchItems(ctx context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
	k := &chunk{
		Activities: a, in: in, epoch: activity.GetInfo(ctx).StartedTime.UnixMicro(),
		quit: make(chan struct{}), ended: make(chan end), at: map[string]beatItem{}, fences: map[int64]int{},
	}
	// From the first moment: a store that is away may keep the chunk waiting.
	over := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() { k.beat(ctx, over) })
	defer beating.Wait()
	defer close(over)
	if err := k.read(ctx); err != nil {
		return steps.Fetched{}, err
	}
	return k.work(ctx)
}

// read gets the run and its definition from the store.
func (k *chunk) read(ctx context.Context) (err error) {
	if k.run, k.campaign, err = k.campaignOf(ctx, k.in.Run, k.in.Store); err != nil {
		return err
	}
	k.log = k.Log.With("run", k.run.WorkflowID, "campaign", k.run.Campaign, "attempt", activity.GetInfo(ctx).Attempt)
	k.start, err = startOf(k.run)
	return err
}

// chunk is one FetchItems at work. Only its own goroutine touches what is not
// behind mu.
type chunk struct {
	*Activities
	run      rows.Run
	campaign *campaigns.Campaign
	start    steps.Start
	in       steps.FetchItemsIn
	epoch    int64
	log      *slog.Logger

	call  context.Context // Temporal's: its end is a wish to stop
	quit  chan struct{}   // closed: no further page, no further item
	ended chan end        // one per item begun
	life  context.Context // of the items; ends when the drain is over
	keep  context.Context // for the store: what is done is kept whatever ends

	flying  int
	left    rows.Claimed // of the last claim
	dry     bool         // the last claim got all that was due
	out     steps.Fetched
	last    error // of the item that waits, for Temporal's own retry
	waiting string
	broken  error // an item whose end the store was not told

	mu          sync.Mutex
	closedSoFar int
	fences      map[int64]int       // how often the checkpoint of an item had moved
	at          map[string]beatItem // items in flight
}

// end says what became of one item.
type end struct {
	ord     int64
	closed  bool
	outcome harvest.Outcome
	tally   harvest.Tally
	err     error  // of an item that waits for a repeat
	waiting string // what it waits for
	queue   string
	stopped bool
	broken  error
}

func (k *chunk) work(ctx context.Context) (steps.Fetched, error) {
	life, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	defer kill(nil)
	k.life, k.keep, k.call = life, context.WithoutCancel(ctx), ctx
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { k.watch(ctx, over, kill) })
	err := k.rounds()
	close(over)
	watching.Wait()
	if err != nil {
		return k.out, err
	}
	return k.answer(ctx)
}

// watch closes quit when the chunk must stop, and ends its items when the drain
// is over.
func (k *chunk) watch(ctx context.Context, over <-chan struct{}, kill context.CancelCauseFunc) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	case <-activity.GetWorkerStopChannel(ctx):
	}
	close(k.quit)
	// What is left of the drain is for writing what stays open.
	timer := time.NewTimer(k.Drain * 4 / 5)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
		kill(errDrained)
	}
}

// errDrained is the cause of items that were cut off.
var errDrained = errors.New("the chunk had to stop, and the page in work took too long")

// quitting does not wait for the watch to notice.
func (k *chunk) quitting() bool {
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

// rounds claims and runs items until none is due, or the chunk must stop. It
// returns after every item it began has ended.
func (k *chunk) rounds() error {
	for {
		began, err := k.fill()
		if err != nil || k.stopping() {
			k.drain()
			return k.rest(err)
		}
		switch {
		case k.flying > 0:
			k.next()
		case began == 0 && !k.waitFor():
			return k.broken
		}
	}
}

// stopping: by our own, by the run's, or because the store was not told.
func (k *chunk) stopping() bool {
	return k.quitting() || k.left.Stop != "" || k.left.Paused != "" || k.out.Stopped || k.broken != nil
}

// waitFor waits in place for what is due in a moment; false: hand it back.
func (k *chunk) waitFor() bool {
	wait := k.left.NextAt.Sub(k.Now())
	if k.left.Left == 0 || wait > waitHere {
		return false
	}
	timer := time.NewTimer(max(wait, 10*time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-k.quit:
	}
	return true
}

// next waits until an item ends, another is due, or the chunk must stop.
func (k *chunk) next() {
	var due <-chan time.Time
	if k.dry && !k.left.NextAt.IsZero() && k.flying < k.width() {
		timer := time.NewTimer(max(k.left.NextAt.Sub(k.Now()), 100*time.Millisecond))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case e := <-k.ended:
		k.note(e)
	case <-due:
	case <-k.quit:
	}
}

func (k *chunk) drain() {
	for k.flying > 0 {
		k.note(<-k.ended)
	}
}

// rest looks at what is left once more: the items that were in flight are open
// again.
func (k *chunk) rest(err error) error {
	if err = cmp.Or(err, k.broken); err != nil {
		return err
	}
	stop := k.left.Stop
	if _, err := k.claim(0); err != nil {
		return err
	}
	k.left.Stop = first(k.left.Stop, stop)
	return nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (k *chunk) width() int { return max(1, k.in.Width) }

// fill takes free slots, claims as many items and starts them. It claims in
// windows, and not at all while nothing can have become due.
func (k *chunk) fill() (int, error) {
	if k.quitting() {
		return 0, nil
	}
	if k.flying > 0 && (k.width()-k.flying < (k.width()+3)/4 || k.dry && (k.left.NextAt.IsZero() || k.Now().Before(k.left.NextAt))) {
		return 0, nil
	}
	slots := k.takeSlots()
	if slots == 0 {
		return 0, nil
	}
	items, err := k.claim(slots)
	if spare := slots - len(items); spare > 0 {
		k.slots.Release(int64(spare))
	}
	k.dry = len(items) < slots
	for _, item := range items {
		k.flying++
		k.Meter.ItemsInFlight(1)
		go k.fly(item)
	}
	return len(items), err
}

// takeSlots takes up to the free width in slots; the first one is waited for
// when nothing is in flight.
func (k *chunk) takeSlots() int {
	n := 0
	if k.flying == 0 {
		if !k.firstSlot() {
			return 0
		}
		n = 1
	}
	for k.flying+n < k.width() && k.slots.TryAcquire(1) {
		n++
	}
	return n
}

func (k *chunk) firstSlot() bool {
	if k.slots.TryAcquire(1) {
		return true
	}
	ctx, cancel := context.WithCancel(k.life)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-k.quit:
			cancel()
		case <-done:
		}
	}()
	return k.slots.Acquire(ctx, 1) == nil
}

func (k *chunk) claim(n int) ([]rows.ClaimedItem, error) {
	claimed, err := k.Store.Claim(k.keep, rows.Claim{
		Run: k.run.ID, Lo: k.in.Lo, Hi: k.in.Hi, Epoch: k.epoch, Worker: k.Worker, Max: n, Now: k.Now(),
	})
	if err != nil {
		return nil, fmt.Errorf("claim items of run %s: %w", k.run.WorkflowID, err)
	}
	k.left = claimed
	return claimed.Items, nil
}

// fly runs one item and reports its end; whatever happens, it reports.
func (k *chunk) fly(item rows.ClaimedItem) {
	e := end{ord: item.Ord}
	defer func() {
		if p := recover(); p != nil {
			e.broken = harvest.Errorf(harvest.KindInternal, "run item", item.Key, "panic: %v", p)
		}
		k.slots.Release(1)
		k.Meter.ItemsInFlight(-1)
		k.ended <- e
	}()
	e = k.item(item)
	e.ord = item.Ord
}

// note adds one item's end to the answer.
func (k *chunk) note(e end) {
	k.flying--
	k.out.Tally = k.out.Tally.Add(e.tally)
	if e.closed {
		k.out.Closed++
		k.out.Worst = worse(k.out.Worst, e.outcome)
	}
	if e.err != nil {
		k.last, k.waiting = e.err, e.waiting
	}
	if !e.closed {
		k.dry = false // it is open again, and perhaps due
	}
	if e.queue != "" {
		k.out.Queue = e.queue
	}
	k.out.Stopped = k.out.Stopped || e.stopped
	k.broken = cmp.Or(k.broken, e.broken)
}

func worse(a, b harvest.Outcome) harvest.Outcome {
	all := harvest.Outcomes()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] == a || all[i] == b {
			return all[i]
		}
	}
	return b
}

// answer is what the workflow gets.
func (k *chunk) answer(ctx context.Context) (steps.Fetched, error) {
	k.out.Left, k.out.NextAt = k.left.Left, k.left.NextAt
	k.out.Stopped = k.out.Stopped || k.left.Stop != ""
	wait := k.left.NextAt.Sub(k.Now())
	alone := k.in.Lo == k.in.Hi && k.left.Left == 1 && k.out.Queue == ""
	if alone && k.last != nil && !k.out.Stopped && !k.quitting() && k.left.Paused == "" && wait <= temporalx.MaxDelay {
		return steps.Fetched{}, temporalx.Again(k.last, wait)
	}
	k.out.Why = k.why(ctx)
	if k.left.Left > 0 {
		k.log.Info("handed back", "left", k.left.Left, "next_at", k.left.NextAt, "why", k.out.Why)
	}
	return k.out, nil
}

// why says what a hand-back waits for.
func (k *chunk) why(ctx context.Context) string {
	switch {
	case k.left.Left == 0:
		return ""
	case k.out.Stopped:
		return first(k.left.Stop, "the run was told to stop")
	case k.left.Paused != "":
		return "paused: " + k.left.Paused
	case k.quitting() && ctx.Err() == nil:
		return "this worker is stopping"
	case k.quitting():
		return "handed back: " + string(temporalx.CancelCause(ctx))
	case k.waiting != "" && k.left.Left > 1:
		return fmt.Sprintf("%s · %d items", k.waiting, k.left.Left)
	case k.waiting != "":
		return k.waiting
	default:
		return fmt.Sprintf("%d items wait until %s", k.left.Left, k.left.NextAt.UTC().Format("15:04:05 UTC"))
	}
}
