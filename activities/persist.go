package activities

import (
	"context"
	"errors"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// firstStoreWait is the wait before a write is tried again; it triples each time.
const firstStoreWait = 100 * time.Millisecond

// persist calls do until it succeeds or is refused for good, at most for StoreTime in
// all. A call that has not returned after twice that time ends the heartbeat, so that
// Temporal gives the activity's items to another worker.
func (k *session) persist(item string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(k.keep, k.StoreTime)
	defer cancel()
	defer time.AfterFunc(2*k.StoreTime, func() { k.freeze.Do(func() { close(k.frozen) }) }).Stop()
	for wait := firstStoreWait; ; wait *= 3 {
		err := do(ctx)
		if err == nil || errors.Is(err, rows.ErrFenced) || errors.Is(err, rows.ErrStopped) {
			return err
		}
		k.log.Warn("the store failed; trying again", "item", item, "wait", wait, "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}
