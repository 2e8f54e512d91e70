package polite

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Reservations limits the rate of requests to a host across all processes. Methods may be
// called concurrently for different hosts; for one host a process calls them one at a
// time. All times are of the implementation's clock.
type Reservations interface {
	// Reserve asks for the host's next request. wait 0 grants it, for Lease, until renewed
	// or released: no other process has it, the gap since the last response is over, and
	// no more urgent waiter exists in another process. Otherwise it only adds a queue
	// entry, and wait is when to ask again.
	Reserve(ctx context.Context, host string, gap time.Duration, priority int) (wait time.Duration, err error)
	// Renew extends a granted reservation by another Lease.
	Renew(ctx context.Context, host string, gap time.Duration) error
	// Release ends a reservation; the next one is due a gap from now. A priority above 0
	// is that of a waiter in this process and adds a queue entry as Reserve does.
	// Releasing twice is harmless.
	Release(ctx context.Context, host string, gap time.Duration, priority int) error
	// Withdraw removes the queue entry.
	Withdraw(ctx context.Context, host string) error
}

const (
	// Lease is how long a reservation lasts after its process died.
	Lease = 15 * time.Second
	// usualPriority is that of a visitor without one.
	usualPriority = 3
	// reserveTimeout limits one call, reservePause is the pause after a failed one, and
	// after reserveFailures of them the waiters get an error.
	reserveTimeout  = 10 * time.Second
	reservePause    = time.Second
	reserveFailures = 5
)

func (p *pacer) shared(rule Rule) bool { return p.reservations != nil && rule.Every > 0 }

// call runs fn with the timeout of a call.
func (p *pacer) call(fn func(context.Context) (time.Duration, error)) (wait time.Duration, err error) {
	ctx, stop := context.WithTimeout(context.Background(), reserveTimeout)
	defer stop()
	err = harvest.Safely("reserve a request to host", p.host, func() error {
		wait, err = fn(ctx)
		return err
	})
	return wait, err
}

// notify is call for a call without an answer.
func (p *pacer) notify(fn func(context.Context) error) error {
	_, err := p.call(func(ctx context.Context) (time.Duration, error) { return 0, fn(ctx) })
	return err
}
