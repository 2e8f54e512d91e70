package app

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/store"
)

// How soon a worker asks again for a departure that somebody else has: a share of
// the gap, so that little is lost, and no oftener than the store likes. Who has not
// asked for placeKept has died.
const (
	askShare = 20
	askLeast = 5 * time.Millisecond
	askMost  = 250 * time.Millisecond

	placeKept = 2 * time.Second
)

// fleet books departures in the store, where all workers meet.
type fleet struct {
	store  *store.Store
	holder string // this process and no other, whatever it is called
}

func newFleet(s *store.Store) fleet { return fleet{store: s, holder: rand.Text()} }

func (f fleet) Book(ctx context.Context, host string, gap time.Duration, priority int) (time.Duration, error) {
	booked, wait, err := f.store.BookHost(ctx, rows.Booking{Host: host, Holder: f.holder, Gap: gap, Priority: priority, Lease: polite.Lease, Place: placeKept})
	if err != nil || booked {
		return 0, err
	}
	return max(wait, min(max(gap/askShare, askLeast), askMost)), nil
}

func (f fleet) Renew(ctx context.Context, host string, gap time.Duration) error {
	return f.store.RenewHost(ctx, rows.Booking{Host: host, Holder: f.holder, Gap: gap, Lease: polite.Lease})
}

func (f fleet) Release(ctx context.Context, host string, gap time.Duration, priority int) error {
	return f.store.ReleaseHost(ctx, rows.Booking{Host: host, Holder: f.holder, Gap: gap, Priority: priority, Place: placeKept})
}

func (f fleet) Withdraw(ctx context.Context, host string) error {
	return f.store.WithdrawHost(ctx, host, f.holder)
}
