package planner

import (
	"context"
	"sync"
	"time"
)

// pacer spaces requests evenly. It is safe for concurrent use.
type pacer struct {
	every time.Duration
	mu    sync.Mutex
	next  time.Time
}

func newPacer(perSecond float64) *pacer {
	if perSecond <= 0 {
		return &pacer{}
	}
	return &pacer{every: time.Duration(float64(time.Second) / perSecond)}
}

// wait returns when n more requests may be made.
func (p *pacer) wait(ctx context.Context, n int) error {
	if p.every == 0 {
		return ctx.Err()
	}
	return pause(ctx, p.book(n))
}

func (p *pacer) book(n int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	at := now
	if p.next.After(now) {
		at = p.next
	}
	p.next = at.Add(time.Duration(n) * p.every)
	return at.Sub(now)
}

// pause waits, or returns early with the error of the context.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
