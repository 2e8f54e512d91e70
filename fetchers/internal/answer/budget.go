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

// What the bodies of all fetches of this process may have of its memory together.
// Reading and parsing cost several times as much, so that twenty bodies of the
// largest size at once stay within half a GiB.
const (
	inFlight = 32 << 20
	// free bodies are not counted: most are no longer.
	free = 1 << 20
	// patience is how long a body waits for the others; then its item comes back
	// later.
	patience = 30 * time.Second
)

// bodies is the one budget of the process: its memory is one.
var bodies = &budget{left: inFlight}

// budget hands out memory first come, first served. One lease at a time may have
// more than is left: without that, bodies read in part could wait for each other.
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

// lease is what one body has.
type lease struct {
	from *budget
	n    int64
}

// take adds n bytes to the lease, when they are there.
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
			runtime.GC() // bodies that nobody uses any more are still counted
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

// serve grants what can be granted; mu is held.
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

// leave takes w out of the line; what it was granted in that moment is its own.
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

// keep gives back all but n bytes.
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

// hold binds the lease to the body: it ends with it where nobody releases it
// earlier.
func (l *lease) hold(body []byte) {
	if l.n == 0 || cap(body) == 0 {
		l.keep(0)
		return
	}
	l.keep(max(int64(len(body)), 1))
	runtime.AddCleanup(&body[:1][0], func(l *lease) { l.keep(0) }, l)
}

// Release says that nothing made of the body is needed any more: others may have
// its memory. It may be called twice, and left out: then the body's end counts.
func (a *Answer) Release() {
	if a.lease != nil {
		a.lease.keep(0)
	}
}
