package activities

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// rounds claims and runs items until none is due, the share is taken, or the
// activity must stop. It returns after every item it began has ended.
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
		case began == 0 && (k.full() || !k.waitFor()):
			return k.lookLast()
		}
	}
}

// lookLast looks at a shared queue once more, further than a claim does.
func (k *chunk) lookLast() error {
	if k.in.Shared {
		return k.rest(nil)
	}
	return k.broken
}

// full reports whether the activity has taken its share of a queue.
func (k *chunk) full() bool {
	switch {
	case k.in.Max <= 0 || k.begun < k.in.Max:
		return false
	case k.flying > 0 && time.Since(k.fullAt) > linger:
		k.begun = 0
		return false
	default:
		return true
	}
}

// stopping: by our own, by the run's, or because the store was not told.
func (k *chunk) stopping() bool {
	return k.quitting() || k.left.Stop != "" || k.left.Paused != "" || k.out.Stopped || k.broken != nil
}

// waitFor waits in place for what is due in a moment; false: hand it back. What
// somebody else does to the queue is seen every waitHere.
func (k *chunk) waitFor() bool {
	wait, most := k.left.NextAt.Sub(k.Now()), waitHere
	if k.in.Shared && k.in.Seat == 0 {
		most = sharedWait
	}
	if k.left.Left == 0 || wait > most || k.out.Queue != "" && !k.in.Shared {
		return false
	}
	timer := time.NewTimer(min(max(wait, 10*time.Millisecond), waitHere))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-k.quit:
	}
	return true
}

// next waits until an item ends, another is due, the share is renewed, or the
// activity must stop.
func (k *chunk) next() {
	var due <-chan time.Time
	if wait := k.untilDue(); wait > 0 {
		timer := time.NewTimer(wait)
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

// untilDue is how long nothing but the end of an item can matter; 0: for ever.
func (k *chunk) untilDue() time.Duration {
	switch {
	case k.full():
		return linger - time.Since(k.fullAt) + 100*time.Millisecond
	case k.dry && !k.left.NextAt.IsZero() && k.flying < k.width() && !k.apart:
		return max(k.left.NextAt.Sub(k.Now()), 100*time.Millisecond)
	default:
		return 0
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
	k.left.Stop = cmp.Or(k.left.Stop, stop)
	return nil
}

func (k *chunk) width() int { return max(1, k.in.Width) }

// fill takes free slots, claims as many items and starts them. It claims in
// windows, and not at all while nothing can have become due.
func (k *chunk) fill() (int, error) {
	if k.quitting() || k.full() || k.apart && k.flying > 0 {
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
	k.apart = len(items) > 0 && items[0].Lost >= dangerous
	if k.begun += len(items); k.begun >= k.in.Max {
		k.fullAt = time.Now()
	}
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
	claim := rows.Claim{
		Run: k.run.ID, Ord: k.in.Ord, Shared: k.in.Shared, Queue: k.in.Queue, Seat: k.in.Seat, Epoch: k.epoch, Worker: k.Worker,
		Max: n, Idle: k.flying == 0, Now: k.Now(),
	}
	if !k.in.Dead.IsZero() {
		claim.Dead = k.in.Dead.UnixMicro()
	}
	claimed, err := k.Store.Claim(k.keep, claim)
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
