package worker

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/store"
)

// A worker asks again for a reservation that another one has after a share of the gap,
// between askLeast and askMost to spare the store. A waiter that has not asked for
// placeKept is considered dead.
const (
	askShare = 20
	askLeast = 5 * time.Millisecond
	askMost  = 250 * time.Millisecond

	placeKept = 2 * time.Second
)

// reservations implements polite.Reservations in the store, which all workers share.
type reservations struct {
	store  *store.Store
	holder string // this process and no other, whatever it is called
}

func newReservations(s *store.Store) reservations { return reservations{store: s, holder: rand.Text()} }

func (f reservations) Reserve(ctx context.Context, host string, gap time.Duration, priority int) (time.Duration, error) {
	booked, wait, err := f.store.BookHost(ctx, rows.Booking{Host: host, Holder: f.holder, Gap: gap, Priority: priority, Lease: polite.Lease, Place: placeKept})
	if err != nil || booked {
		return 0, err
	}
	return max(wait, min(max(gap/askShare, askLeast), askMost)), nil
}

func (f reservations) Renew(ctx context.Context, host string, gap time.Duration) error {
	return f.store.RenewHost(ctx, rows.Booking{Host: host, Holder: f.holder, Gap: gap, Lease: polite.Lease})
}

func (f reservations) Release(ctx context.Context, host string, gap time.Duration, priority int) error {
	return f.store.ReleaseHost(ctx, rows.Booking{Host: host, Holder: f.holder, Gap: gap, Priority: priority, Place: placeKept})
}

func (f reservations) Withdraw(ctx context.Context, host string) error {
	return f.store.WithdrawHost(ctx, host, f.holder)
}
