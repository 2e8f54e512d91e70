package polite

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Fleet books departures to a host for all processes that ask it. Its methods
// may be called at once for different hosts; for one host a process calls them
// one after the other. "Now" is the fleet's own clock.
type Fleet interface {
	// Book asks for the host's next departure. It is had when wait is 0: no other
	// process has one, the gap after the last answer is over, and nobody more
	// urgent waits elsewhere. It is held for Lease, until renewed or released. Else
	// nothing is booked but a place in the queue, and wait is when to ask again.
	Book(ctx context.Context, host string, gap time.Duration, priority int) (wait time.Duration, err error)
	// Renew holds the departure for another Lease.
	Renew(ctx context.Context, host string, gap time.Duration) error
	// Release gives it back; the next one is due a gap from now. Where somebody waits
	// here, with a priority above 0, a place in the queue is taken as Book does. Twice
	// is harmless.
	Release(ctx context.Context, host string, gap time.Duration, priority int) error
	// Withdraw gives up the place in the queue.
	Withdraw(ctx context.Context, host string) error
}

const (
	// Lease is how long a departure is held by a process that has died.
	Lease = 15 * time.Second
	// usualPriority is that of a visitor who names none.
	usualPriority = 3
	// fleetTimeout bounds one call; fleetPause is between calls that failed, and
	// fleetFailures how many of them end the wait.
	fleetTimeout  = 10 * time.Second
	fleetPause    = time.Second
	fleetFailures = 5
)

func (p *pacer) shared(rule Rule) bool { return p.fleet != nil && rule.Every > 0 }

// call asks the fleet.
func (p *pacer) call(fn func(context.Context) (time.Duration, error)) (wait time.Duration, err error) {
	ctx, stop := context.WithTimeout(context.Background(), fleetTimeout)
	defer stop()
	err = harvest.Safely("book the turn of host", p.host, func() error {
		wait, err = fn(ctx)
		return err
	})
	return wait, err
}

// tell tells it something.
func (p *pacer) tell(fn func(context.Context) error) error {
	_, err := p.call(func(ctx context.Context) (time.Duration, error) { return 0, fn(ctx) })
	return err
}
