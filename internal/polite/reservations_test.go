package polite

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
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
	waiting map[int]position
	down    bool
	calls   int
	tells   time.Duration // how long it takes to give a departure back
}

type position struct {
	priority int
	since    time.Time
	until    time.Time
}

// seen is what a test may read while processes go on.
func (f *fleetOf) seen() (s struct {
	holder, calls int
	waiting       map[int]position
},
) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.holder, s.calls, s.waiting = f.holder, f.calls, maps.Clone(f.waiting)
	return s
}

// process is one process's way to the fleet.
type process struct {
	*fleetOf
	id int
}

func (f *fleetOf) process(id int) *limiter {
	return newLimiter(every(f.gap), process{f, id})
}

func (p process) Reserve(_ context.Context, _ string, _ time.Duration, priority int) (time.Duration, error) {
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

func (p process) behind(mine position, now time.Time) bool {
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

func (p process) Release(_ context.Context, _ string, gap time.Duration, priority int) error {
	time.Sleep(p.tells)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return errors.New("the store is away")
	}
	if p.holder == p.id {
		p.holder, p.next = 0, time.Now().Add(gap)
	}
	if priority > 0 {
		p.waiting[p.id] = position{priority, time.Now(), time.Now().Add(gap + time.Second)}
	}
	return nil
}

func (p process) Withdraw(context.Context, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, p.id)
	return nil
}

func (f *fleetOf) setDown(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func newFleet(gap time.Duration) *fleetOf { return &fleetOf{gap: gap, waiting: map[int]position{}} }

// ask is one request that takes a second.
func ask(t *testing.T, limiter *limiter, priority int) (begin, end time.Time) {
	permit, err := limiter.enter(t.Context(), "h", terms{priority: priority})
	require.NoError(t, err)
	begin = time.Now()
	time.Sleep(time.Second)
	end = time.Now()
	permit.end()
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
			limiter := f.process(id)
			for range 5 {
				wg.Go(func() {
					begin, end := ask(t, limiter, 0)
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
		processes := []*limiter{f.process(1), f.process(2), f.process(3)}
		for _, limiter := range processes {
			for range 2 {
				wg.Go(func() {
					for ctx.Err() == nil {
						permit, err := limiter.enter(ctx, "h", terms{priority: 4})
						if err != nil {
							return
						}
						time.Sleep(time.Second)
						permit.end()
					}
				})
			}
		}
		time.Sleep(20 * time.Second)
		for i := range 60 { // at any moment of another's request and gap
			limiter := processes[i%len(processes)]
			time.Sleep(time.Duration(i) * 70 * time.Millisecond)
			start := time.Now()
			ask(t, limiter, 3)
			require.LessOrEqual(t, time.Since(start), (1+1+1+1)*time.Second+200*time.Millisecond, "one request and its gap, then its own")
		}
		stop()
		wg.Wait()
	})
}

// Who waits in a process is known to all others as soon as it waits, not only when
// the gap is over; where a departure is given back anyway, that costs no question.
func TestFleetKnowsAtOnceWhoWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(10 * time.Second)
		limiter := f.process(1)
		var wg sync.WaitGroup
		for _, priority := range []int{4, 4} {
			wg.Go(func() { ask(t, limiter, priority) })
		}
		time.Sleep(2 * time.Second)
		require.Equal(t, 4, f.seen().waiting[1].priority)
		require.Equal(t, 1, f.seen().calls, "one booking, and what it was given back with")
		wg.Go(func() { ask(t, limiter, 3) })
		synctest.Wait()
		require.Equal(t, 3, f.seen().waiting[1].priority)
		wg.Wait()
		require.NoError(t, limiter.background.wait(t.Context()))
		require.Empty(t, f.seen().waiting)
	})
}

func TestFleetADeadProcessHoldsForItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		wait, err := process{f, 9}.Reserve(t.Context(), "h", f.gap, 3) // and never again
		require.NoError(t, err)
		require.Zero(t, wait)
		start := time.Now()
		begin, _ := ask(t, f.process(1), 0)
		require.InDelta(t, Lease.Seconds(), begin.Sub(start).Seconds(), 0.1)
		time.Sleep(time.Minute)
	})
}

func TestFleetALongAnswerKeepsItsDeparture(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		permit, err := f.process(1).enter(t.Context(), "h", terms{})
		require.NoError(t, err)
		go func() {
			time.Sleep(4 * Lease)
			permit.end()
		}()
		start := time.Now()
		begin, _ := ask(t, f.process(2), 0)
		require.GreaterOrEqual(t, begin.Sub(start), 4*Lease+time.Second)
		time.Sleep(time.Minute)
	})
}

func TestFleetThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		limiter := f.process(1)
		f.down = true
		_, err := limiter.enter(t.Context(), "h", terms{})
		var r *refusal
		require.ErrorAs(t, err, &r)
		require.Contains(t, r.text, "the store is away")
		require.Positive(t, r.rest)
		f.down = false
		ask(t, limiter, 0)
		time.Sleep(time.Minute)
	})
}

// The gap is kept also where the fleet could not be told of the last answer.
func TestFleetThatWasNotToldOfTheLastAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Minute)
		limiter := f.process(1)
		permit, err := limiter.enter(t.Context(), "h", terms{})
		require.NoError(t, err)
		f.setDown(true)
		ended := time.Now()
		permit.end()
		time.Sleep(20 * time.Second)
		f.setDown(false)
		begin, _ := ask(t, limiter, 0)
		require.GreaterOrEqual(t, begin.Sub(ended), time.Minute)
		require.NoError(t, limiter.background.wait(t.Context()))
	})
}

func TestFleetNobodyWaitsAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Hour)
		limiter := f.process(1)
		ask(t, limiter, 0)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		_, err := limiter.enter(ctx, "h", terms{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		require.Empty(t, f.seen().waiting)
		require.Nil(t, limiter.pacers["h"].reservation)
		require.Zero(t, limiter.pacers["h"].inFlight)
	})
}

// A host without a gap costs the fleet nothing.
func TestFleetIsNotAskedWithoutAGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(0)
		ask(t, f.process(1), 0)
		require.Zero(t, f.seen().calls)
	})
}

// A process that is about to end waits until its host is free for others.
func TestFleetIsToldBeforeAProcessLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		f.tells = 3 * time.Second
		limiter := f.process(1)
		ask(t, limiter, 0)
		require.Equal(t, 1, f.seen().holder)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		require.ErrorIs(t, limiter.background.wait(ctx), context.DeadlineExceeded, "it waits no longer than it is let")
		require.NoError(t, limiter.background.wait(t.Context()))
		require.Zero(t, f.seen().holder)
		require.NoError(t, limiter.background.wait(t.Context()), "twice is harmless")
	})
}

// stoppedOnce is a process that is stopped for a while (SIGSTOP) at the moment at
// which it has its first departure.
type stoppedOnce struct {
	process
	stopped atomic.Bool
}

func (s *stoppedOnce) Reserve(ctx context.Context, host string, gap time.Duration, priority int) (time.Duration, error) {
	wait, err := s.process.Reserve(ctx, host, gap, priority)
	if wait == 0 && err == nil && s.stopped.CompareAndSwap(false, true) {
		time.Sleep(Lease + time.Second/2)
	}
	return wait, err
}

// A departure that was had before this process was stopped for longer than its
// lease is another's by now: it is not used.
func TestFleetALateDepartureIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(time.Second)
		var mu sync.Mutex
		var begins, ends []time.Time
		var wg sync.WaitGroup
		for _, limiter := range []*limiter{newLimiter(every(f.gap), &stoppedOnce{process: process{f, 1}}), f.process(2)} {
			wg.Go(func() {
				for range 3 {
					begin, end := ask(t, limiter, 0)
					mu.Lock()
					begins, ends = append(begins, begin), append(ends, end)
					mu.Unlock()
				}
			})
			synctest.Wait() // the one that will be stopped comes first
		}
		wg.Wait()
		require.Len(t, begins, 6)
		for i := 1; i < len(begins); i++ {
			require.GreaterOrEqual(t, begins[i].Sub(ends[i-1]), f.gap, "request %d", i)
		}
	})
}

// waiting lets somebody wait for a host whose last answer was just now: alone, after
// a request of its own, and in a fleet, after another's. The rule changes after a
// minute.
func waiting(t *testing.T, change func(*Rule), check func(err error, waited time.Duration)) {
	t.Helper()
	f := newFleet(time.Hour)
	for name, processes := range map[string][2]Reservations{"alone": {}, "fleet": {process{f, 1}, process{f, 2}}, "fleet, its own": {process{f, 3}, process{f, 3}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var changed atomic.Bool
				rule := func(string) Rule {
					r := Rule{Every: time.Hour}
					if changed.Load() {
						change(&r)
					}
					return r
				}
				first, second := newLimiter(rule, processes[0]), newLimiter(rule, processes[1])
				if processes[0] == processes[1] {
					second = first
				}
				ask(t, first, 0)
				time.AfterFunc(time.Minute, func() { changed.Store(true) })
				start := time.Now()
				permit, err := second.enter(t.Context(), "h", terms{})
				waited := time.Since(start)
				if err == nil {
					permit.end()
				}
				check(err, waited)
				require.NoError(t, second.background.wait(t.Context()))
			})
		})
	}
}

func seenSoon(t *testing.T, waited time.Duration) {
	t.Helper()
	require.InDelta(t, time.Minute+lookAgain/2, waited, float64(lookAgain/2))
}

// A gap that a person has taken away holds no longer for those who wait already.
func TestWhoWaitsSeesThatTheRuleHasChanged(t *testing.T) {
	t.Parallel()
	waiting(t, func(r *Rule) { r.Every = 0 }, func(err error, waited time.Duration) {
		require.NoError(t, err)
		seenSoon(t, waited)
	})
}

// A host that is paused while requests wait for their turn takes none of them.
func TestPauseEndsTheWait(t *testing.T) {
	t.Parallel()
	waiting(t, func(r *Rule) { r.Paused = "they rebuild" }, func(err error, waited time.Duration) {
		require.ErrorContains(t, err, "the host is paused: they rebuild")
		seenSoon(t, waited)
	})
}
