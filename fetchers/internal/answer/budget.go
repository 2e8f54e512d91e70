package answer

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// The memory that the bodies of all fetches of this process may use together. Reading
// and parsing cost several times as much, so that twenty bodies of the largest size
// stay within half a GiB.
const (
	inFlight = 32 << 20
	// Bodies up to free are not counted. Most bodies are smaller.
	free = 1 << 20
	// patience is how long a body waits for memory; then its item is deferred.
	patience = 30 * time.Second
)

// bodies is the budget of the process.
var bodies = &budget{left: inFlight}

// budget grants memory in order of request. One lease at a time may exceed the rest:
// otherwise bodies that were read in part could wait for each other.
type budget struct {
	mu   sync.Mutex
	left int64
	line []*waiter
	over *lease
}

type waiter struct {
	lease *lease
	n     int64
	ready chan struct{}
}

// lease is the memory of one body.
type lease struct {
	from *budget
	n    int64
}

// take adds n bytes to the lease, once they are available.
func (l *lease) take(ctx context.Context, n int64) error {
	w, ok := l.from.ask(l, n)
	if ok {
		return nil
	}
	late, poke := time.NewTimer(patience), time.NewTicker(time.Second)
	defer late.Stop()
	defer poke.Stop()
	for {
		select {
		case <-w.ready:
			return nil
		case <-poke.C:
			runtime.GC() // unused bodies count until they are collected
		case <-ctx.Done():
			return l.from.leave(w, context.Cause(ctx))
		case <-late.C:
			return l.from.leave(w, &harvest.Error{
				Kind: harvest.KindTimeout, Op: "read", Err: errors.New("too many large responses at once in this worker"),
				Deferred: true, RetryAfter: patience / 2,
			})
		}
	}
}

func (b *budget) ask(l *lease, n int64) (w *waiter, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over == l {
		b.grant(l, n)
		return nil, true
	}
	w = &waiter{lease: l, n: n, ready: make(chan struct{})}
	b.line = append(b.line, w)
	b.serve()
	return w, false
}

// serve grants requests in order; mu is held.
func (b *budget) serve() {
	for len(b.line) > 0 {
		w := b.line[0]
		if b.left < w.n {
			if b.over != nil {
				return
			}
			b.over = w.lease
		}
		b.grant(w.lease, w.n)
		b.line = b.line[1:]
		close(w.ready)
	}
}

func (b *budget) grant(l *lease, n int64) { b.left, l.n = b.left-n, l.n+n }

// leave removes w from the queue. Memory that was granted meanwhile stays granted.
func (b *budget) leave(w *waiter, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.line, w)
	if i < 0 {
		return nil
	}
	b.line = slices.Delete(b.line, i, i+1)
	b.serve()
	return err
}

// keep returns all but n bytes.
func (l *lease) keep(n int64) {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	if l.n > n {
		l.from.left, l.n = l.from.left+l.n-n, n
	}
	if n == 0 && l.from.over == l {
		l.from.over = nil
	}
	l.from.serve()
}

// hold ends the lease when the body is collected, unless it is released earlier.
func (l *lease) hold(body []byte) {
	if l.n == 0 || cap(body) == 0 {
		l.keep(0)
		return
	}
	l.keep(max(int64(len(body)), 1))
	runtime.AddCleanup(&body[:1][0], func(l *lease) { l.keep(0) }, l)
}

// Release returns the memory of the body, when nothing made of it is needed. It may be
// called twice. Without it the memory is returned when the body is collected.
func (a *Answer) Release() {
	if a.lease != nil {
		a.lease.keep(0)
	}
}
