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
func (k *session) rounds() error {
	for {
		began, err := k.fill()
		if err != nil || k.stopping() {
			k.drain()
			return k.rest(err)
		}
		switch {
		case k.running > 0:
			k.next()
		case began == 0 && (k.full() || k.none != "" || !k.waitFor()):
			return k.lookOnceMore()
		}
	}
}

// lookOnceMore counts what is left: of a shared queue, where a claim counts less far,
// and where this process claims nothing.
func (k *session) lookOnceMore() error {
	if k.in.Shared || k.none != "" {
		return k.rest(nil)
	}
	return k.broken
}

// full reports whether the activity has taken its share of a queue.
func (k *session) full() bool {
	switch {
	case k.in.Max <= 0 || k.begun < k.in.Max:
		return false
	case k.running > 0 && time.Since(k.fullAt) > linger:
		k.begun = 0
		return false
	default:
		return true
	}
}

// stopping reports whether to start nothing more: this activity or the run stops, or
// an end could not be written.
func (k *session) stopping() bool {
	return k.quitting() || k.left.Stop != "" || k.left.Paused != "" || k.out.Stopped || k.broken != nil
}

// waitFor waits for an item that is due soon. It returns false when the wait is long
// enough for a hand-back. Changes by others are noticed every waitHere.
func (k *session) waitFor() bool {
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

// next waits until an item ends, another one is due, the share is renewed, or the
// activity must stop.
func (k *session) next() {
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

// untilDue returns when to look again although no item has ended; 0: never.
func (k *session) untilDue() time.Duration {
	switch {
	case k.none != "":
		return waitHere
	case k.full():
		return linger - time.Since(k.fullAt) + 100*time.Millisecond
	case k.dry && !k.left.NextAt.IsZero() && k.running < k.width() && !k.apart:
		return max(k.left.NextAt.Sub(k.Now()), 100*time.Millisecond)
	default:
		return 0
	}
}

func (k *session) drain() {
	for k.running > 0 {
		k.note(<-k.ended)
	}
}

// rest counts what is left once more, after all items have ended.
func (k *session) rest(err error) error {
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

func (k *session) width() int { return max(1, k.in.Width) }

// fill takes free slots, claims as many items and starts them. It waits until a
// quarter of the width is free, and claims nothing while nothing can be due.
func (k *session) fill() (int, error) {
	if k.none = k.TakesNone(); k.none != "" || k.quitting() || k.full() || k.apart && k.running > 0 {
		return 0, nil
	}
	if k.running > 0 && (k.width()-k.running < (k.width()+3)/4 || k.dry && (k.left.NextAt.IsZero() || k.Now().Before(k.left.NextAt))) {
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
		k.running++
		k.Meter.ItemsInFlight(1)
		go k.runItem(item)
	}
	return len(items), err
}

// takeSlots takes up to the free width in slots. It waits for the first one when no
// item is running.
func (k *session) takeSlots() int {
	n := 0
	if k.running == 0 {
		if !k.firstSlot() {
			return 0
		}
		n = 1
	}
	for k.running+n < k.width() && k.slots.TryAcquire(1) {
		n++
	}
	return n
}

func (k *session) firstSlot() bool {
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

func (k *session) claim(n int) ([]rows.ClaimedItem, error) {
	claim := rows.Claim{
		Run: k.run.ID, Ord: k.in.Ord, Shared: k.in.Shared, Queue: k.in.Queue, Seat: k.in.Seat, Epoch: k.epoch, Worker: k.Worker,
		Max: n, Idle: k.running == 0, Now: k.Now(),
	}
	if !k.in.Dead.IsZero() {
		claim.Dead = k.in.Dead.UnixMicro()
	}
	claimed, err := k.seam.Claim(k.keep, claim)
	if err != nil {
		return nil, fmt.Errorf("claim items of run %s: %w", k.run.WorkflowID, err)
	}
	k.left = claimed
	return claimed.Items, nil
}

// runItem runs one item. It always reports an end, also after a panic.
func (k *session) runItem(item rows.ClaimedItem) {
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
