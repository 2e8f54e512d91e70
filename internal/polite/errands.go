package polite

import (
	"context"
	"sync"
)

// errands are goroutines that somebody may wait for, while others begin.
type errands struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when the last one ends; nil: nobody waits
}

func (e *errands) run(fn func()) {
	e.mu.Lock()
	e.n++
	e.mu.Unlock()
	go func() {
		defer e.ended()
		fn()
	}()
}

func (e *errands) ended() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n--; e.n == 0 && e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
}

// over is closed once none is under way.
func (e *errands) over() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	idle := e.idle
	if e.n == 0 {
		close(e.idle)
		e.idle = nil
	}
	return idle
}

// wait returns when none is under way, or with ctx's error.
func (e *errands) wait(ctx context.Context) error {
	select {
	case <-e.over():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
