package polite

import (
	"context"
	"sync"
)

// background runs goroutines. Others may start while somebody waits for them to end.
type background struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when the last one ends; nil: no waiter
}

func (e *background) run(fn func()) {
	e.mu.Lock()
	e.n++
	e.mu.Unlock()
	go func() {
		defer e.ended()
		fn()
	}()
}

func (e *background) ended() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n--; e.n == 0 && e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
}

// over returns a channel that is closed once none runs.
func (e *background) over() <-chan struct{} {
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

// wait returns when none runs, or with ctx's error.
func (e *background) wait(ctx context.Context) error {
	select {
	case <-e.over():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
