package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func departureTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"one at a time":               departOne,
		"the gap counts from the end": departGap,
		"the more urgent goes first":  departUrgent,
		"who came first goes first":   departFirst,
		"a place is not kept forever": departPlace,
		"giving back takes a place":   departLined,
		"the dead hold for a lease":   departDead,
		"renewing holds it":           departRenewed,
		"no gap is ever too short":    departMany,
	}
}

const brief = 30 * time.Millisecond

func booking(holder string, priority int) rows.Booking {
	return rows.Booking{Host: "h.example", Holder: holder, Gap: brief, Priority: priority, Lease: time.Minute, Place: 10 * brief}
}

// patient is a booking whose place in line outlasts any test.
func patient(holder string, priority int) rows.Booking {
	b := booking(holder, priority)
	b.Place = time.Hour
	return b
}

// back is a departure that is given back; nobody waits any more.
func back(holder string, gap time.Duration) rows.Booking {
	return rows.Booking{Host: "h.example", Holder: holder, Gap: gap}
}

// books asks once.
func books(t *testing.T, s Store, b rows.Booking) (bool, time.Duration) {
	t.Helper()
	booked, wait, err := s.BookHost(t.Context(), b)
	require.NoError(t, err)
	require.True(t, wait >= 0 && (!booked || wait == 0))
	return booked, wait
}

// eventually asks until the departure is had, as a worker does.
func eventually(ctx context.Context, s Store, b rows.Booking) error {
	for {
		booked, wait, err := s.BookHost(ctx, b)
		if booked || err != nil {
			return err
		}
		select {
		case <-time.After(max(wait, time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func departOne(t *testing.T, s Store) {
	booked, _ := books(t, s, booking("a", 3))
	require.True(t, booked)
	booked, _ = books(t, s, booking("b", 1))
	require.False(t, booked, "somebody has it")
	other := booking("b", 3)
	other.Host = "other.example"
	booked, _ = books(t, s, other)
	require.True(t, booked, "hosts do not wait for each other")
	require.NoError(t, s.ReleaseHost(t.Context(), back("b", time.Hour)), "not b's to give back")
	require.NoError(t, s.ReleaseHost(t.Context(), back("a", 0)))
	booked, _ = books(t, s, booking("b", 1))
	require.True(t, booked)
}

func departGap(t *testing.T, s Store) {
	b := booking("a", 3)
	b.Gap = time.Hour
	booked, _ := books(t, s, b)
	require.True(t, booked)
	require.NoError(t, s.ReleaseHost(t.Context(), back("a", time.Hour)))
	booked, wait := books(t, s, b)
	require.False(t, booked)
	require.InDelta(t, time.Hour, wait, float64(time.Minute))
	require.NoError(t, s.ReleaseHost(t.Context(), back("a", 0)), "twice is harmless")
	booked, _ = books(t, s, b)
	require.False(t, booked, "it was not held any more")
}

func departUrgent(t *testing.T, s Store) {
	ctx := t.Context()
	require.NoError(t, eventually(ctx, s, booking("a", 4)))
	for holder, priority := range map[string]int{"low": 4, "normal": 3} {
		booked, _ := books(t, s, patient(holder, priority))
		require.False(t, booked)
	}
	require.NoError(t, s.ReleaseHost(ctx, back("a", 0)))
	booked, _ := books(t, s, patient("low", 4))
	require.False(t, booked, "a more urgent one waits")
	booked, _ = books(t, s, patient("a", 4))
	require.False(t, booked)
	require.NoError(t, eventually(ctx, s, patient("normal", 3)))
	require.NoError(t, s.ReleaseHost(ctx, back("normal", 0)))
	require.NoError(t, eventually(ctx, s, patient("low", 4)))
}

func departFirst(t *testing.T, s Store) {
	ctx := t.Context()
	require.NoError(t, eventually(ctx, s, booking("a", 3)))
	for _, holder := range []string{"first", "second"} {
		booked, _ := books(t, s, patient(holder, 3))
		require.False(t, booked)
		time.Sleep(2 * time.Millisecond) // the clock's own step
	}
	require.NoError(t, s.ReleaseHost(ctx, back("a", 0)))
	booked, _ := books(t, s, patient("second", 3))
	require.False(t, booked, "first came first")
	require.NoError(t, s.WithdrawHost(ctx, "h.example", "first"))
	booked, _ = books(t, s, patient("second", 3))
	require.True(t, booked, "first waits no more")
}

// However long the gap is, the dead hold others up for as long as a place is kept:
// it ends so long after the moment at which they should have asked again.
func departPlace(t *testing.T, s Store) {
	ctx := t.Context()
	require.NoError(t, eventually(ctx, s, booking("a", 3)))
	dead := booking("dead", 1)
	dead.Gap = time.Hour
	start := time.Now()
	booked, _ := books(t, s, dead) // and never asks again
	require.False(t, booked)
	require.NoError(t, s.ReleaseHost(ctx, back("a", 0)))
	require.NoError(t, eventually(ctx, s, booking("b", 3)))
	require.Greater(t, time.Since(start), dead.Place)
}

func departLined(t *testing.T, s Store) {
	ctx := t.Context()
	require.NoError(t, eventually(ctx, s, booking("a", 3)))
	again := patient("a", 3)
	again.Gap = 0
	require.NoError(t, s.ReleaseHost(ctx, again))
	time.Sleep(2 * time.Millisecond) // the clock's own step
	b := patient("b", 3)
	b.Gap = time.Hour
	booked, wait := books(t, s, b)
	require.False(t, booked, "a came first")
	require.GreaterOrEqual(t, wait, time.Hour, "one goes first")
	require.NoError(t, eventually(ctx, s, booking("urgent", 1)))
	require.NoError(t, s.ReleaseHost(ctx, back("urgent", 0)))
	require.NoError(t, s.WithdrawHost(ctx, "h.example", "a"))
	require.NoError(t, eventually(ctx, s, patient("b", 3)))
}

func departDead(t *testing.T, s Store) {
	b := booking("dead", 3)
	b.Lease = 300 * time.Millisecond
	start := time.Now()
	booked, _ := books(t, s, b)
	require.True(t, booked)
	require.NoError(t, eventually(t.Context(), s, booking("b", 3)))
	require.Greater(t, time.Since(start), 200*time.Millisecond)
	require.NoError(t, s.ReleaseHost(t.Context(), back("dead", 0)), "what it says afterwards does not count")
	booked, _ = books(t, s, booking("c", 3))
	require.False(t, booked)
}

func departRenewed(t *testing.T, s Store) {
	b := booking("a", 3)
	b.Lease, b.Gap = 0, 0 // both over at once
	booked, _ := books(t, s, b)
	require.True(t, booked)
	b.Lease = time.Hour
	require.NoError(t, s.RenewHost(t.Context(), b))
	booked, _ = books(t, s, booking("b", 3))
	require.False(t, booked)
	require.NoError(t, s.RenewHost(t.Context(), booking("b", 3)), "not b's to hold")
	require.NoError(t, s.ReleaseHost(t.Context(), back("a", 0)))
	require.NoError(t, eventually(t.Context(), s, booking("b", 3)))
}

// Processes on stores of their own take turns; each says when it departed and
// when its answer was there, before it says so to the store.
func departMany(t *testing.T, s Store) {
	const processes, turns = 4, 5
	var mu sync.Mutex
	var begins, ends []time.Time
	var wg sync.WaitGroup
	for i := range processes {
		own, name := s.Again(t), fmt.Sprint("process-", i)
		wg.Go(func() {
			for range turns {
				if !depart(t, own, name, &mu, &begins, &ends) {
					return
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, begins, processes*turns)
	for i := 1; i < len(begins); i++ {
		require.GreaterOrEqual(t, begins[i].Sub(ends[i-1]), brief, "departure %d", i)
	}
}

func depart(t *testing.T, s Store, name string, mu *sync.Mutex, begins, ends *[]time.Time) bool {
	if err := eventually(t.Context(), s, booking(name, 3)); err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	begin := time.Now()
	time.Sleep(time.Millisecond) // the answer
	mu.Lock()
	*begins, *ends = append(*begins, begin), append(*ends, time.Now())
	mu.Unlock()
	if err := s.ReleaseHost(t.Context(), back(name, brief)); err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	return true
}
