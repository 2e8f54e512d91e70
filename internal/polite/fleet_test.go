package polite

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// fleetOf is a fleet in memory, for some processes and one host.
type fleetOf struct {
	mu      sync.Mutex
	gap     time.Duration
	holder  int // 0: nobody
	until   time.Time
	next    time.Time
	waiting map[int]place
	down    bool
	calls   int
}

type place struct {
	priority int
	since    time.Time
	until    time.Time
}

// process is one process's way to the fleet.
type process struct {
	*fleetOf
	id int
}

func (f *fleetOf) process(id int) *turns {
	return newTurns(every(f.gap), process{f, id})
}

func (p process) Book(_ context.Context, _ string, _ time.Duration, priority int) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.down {
		return 0, errors.New("the store is away")
	}
	now := time.Now()
	mine, known := p.waiting[p.id]
	if !known || mine.until.Before(now) {
		mine.since = now
	}
	mine.priority = priority
	wait := 50 * time.Millisecond
	switch {
	case p.holder != 0 && p.until.After(now):
	case p.next.After(now):
		wait = p.next.Sub(now)
	case p.behind(mine, now):
	default:
		p.holder, p.until = p.id, now.Add(Lease)
		delete(p.waiting, p.id)
		return 0, nil
	}
	mine.until = now.Add(wait + time.Second)
	p.waiting[p.id] = mine
	return wait, nil
}

func (p process) behind(mine place, now time.Time) bool {
	for id, other := range p.waiting {
		if id != p.id && other.until.After(now) && (other.priority < mine.priority || other.priority == mine.priority && other.since.Before(mine.since)) {
			return true
		}
	}
	return false
}

func (p process) Renew(context.Context, string, time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holder == p.id {
		p.until = time.Now().Add(Lease)
	}
	return nil
}

func (p process) Release(_ context.Context, _ string, gap time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return errors.New("the store is away")
	}
	if p.holder == p.id {
		p.holder, p.next = 0, time.Now().Add(gap)
	}
	return nil
}

func (p process) Withdraw(context.Context, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, p.id)
	return nil
}

func newFleet(gap time.Duration) *fleetOf { return &fleetOf{gap: gap, waiting: map[int]place{}} }

// visit is one request that takes a second.
func visit(t *testing.T, turns *turns, priority int) (begin, end time.Time) {
	turn, err := turns.enter(t.Context(), "h", priority)
	require.NoError(t, err)
	begin = time.Now()
	time.Sleep(time.Second)
	end = time.Now()
	turn.end()
	return begin, end
}

func TestFleetKeepsOneGapForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2 * time.Second)
		var mu sync.Mutex
		var begins, ends []time.Time
		var wg sync.WaitGroup
		start := time.Now()
		for id := 1; id <= 4; id++ {
			turns := f.process(id)
			for range 5 {
				wg.Go(func() {
					begin, end := visit(t, turns, 0)
					mu.Lock()
					defer mu.Unlock()
					begins, ends = append(begins, begin), append(ends, end)
				})
			}
		}
		wg.Wait()
		for i := 1; i < len(begins); i++ {
			require.GreaterOrEqual(t, begins[i].Sub(ends[i-1]), f.gap)
		}
		require.Less(t, time.Since(start), 20*3*time.Second*105/100, "the sum of gaps and answers, and 5 %")
	})
}

// A low one that stands first in line, here or elsewhere, delays a normal one by
// at most one request.
func TestFleetTheMoreUrgentGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		processes := []*turns{f.process(1), f.process(2), f.process(3)}
		for _, turns := range processes {
			for range 2 {
				wg.Go(func() {
					for ctx.Err() == nil {
						turn, err := turns.enter(ctx, "h", 4)
						if err != nil {
							return
						}
						time.Sleep(time.Second)
						turn.end()
					}
				})
			}
		}
		time.Sleep(20 * time.Second)
		for _, turns := range processes {
			start := time.Now()
			visit(t, turns, 3)
			require.LessOrEqual(t, time.Since(start), (1+1+1+1)*time.Second+200*time.Millisecond, "one request and its gap, then its own")
		}
		stop()
		wg.Wait()
	})
}

func TestFleetADeadProcessHoldsForItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		wait, err := process{f, 9}.Book(t.Context(), "h", f.gap, 3) // and never again
		require.NoError(t, err)
		require.Zero(t, wait)
		start := time.Now()
		begin, _ := visit(t, f.process(1), 0)
		require.InDelta(t, Lease.Seconds(), begin.Sub(start).Seconds(), 0.1)
		time.Sleep(time.Minute)
	})
}

func TestFleetALongAnswerKeepsItsDeparture(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		turn, err := f.process(1).enter(t.Context(), "h", 0)
		require.NoError(t, err)
		go func() {
			time.Sleep(4 * Lease)
			turn.end()
		}()
		start := time.Now()
		begin, _ := visit(t, f.process(2), 0)
		require.GreaterOrEqual(t, begin.Sub(start), 4*Lease+time.Second)
		time.Sleep(time.Minute)
	})
}

func TestFleetThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		turns := f.process(1)
		f.down = true
		_, err := turns.enter(t.Context(), "h", 0)
		var r *refusal
		require.ErrorAs(t, err, &r)
		require.Contains(t, r.text, "the store is away")
		require.Positive(t, r.rest)
		f.down = false
		visit(t, turns, 0)
		time.Sleep(time.Minute)
	})
}

func TestFleetNobodyWaitsAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Hour)
		turns := f.process(1)
		visit(t, turns, 0)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		_, err := turns.enter(ctx, "h", 0)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		require.Empty(t, f.waiting)
		require.Nil(t, turns.pacers["h"].booking)
		require.Zero(t, turns.pacers["h"].flying)
	})
}

// A host without a gap costs the fleet nothing.
func TestFleetIsNotAskedWithoutAGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(0)
		visit(t, f.process(1), 0)
		require.Zero(t, f.calls)
	})
}
