package activities

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

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
	k.left.Stop = cmp.Or(k.left.Stop, stop)
	return nil
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
