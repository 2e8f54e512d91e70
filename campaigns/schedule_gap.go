package campaigns

import (
	"hash/fnv"
	"iter"
	"time"
)

// maxFires limits how many fires Gap and PerDay look at.
const maxFires = 5000

// Gap returns the shortest gap between two fires within the 400 days, or 5,000
// fires, after a moment; 0 when there are not two. A fire that only repeats
// because clocks are set back does not count: otherwise one night of October
// would shorten every night's deadline.
func (s Schedule) Gap(from time.Time) time.Duration {
	var last time.Time
	shortest := time.Duration(0)
	for t, again := range s.firesUntil(from, from.AddDate(0, 0, 400)) {
		if again {
			continue
		}
		if gap := t.Sub(last); !last.IsZero() && (shortest == 0 || gap < shortest) {
			shortest = gap
		}
		last = t
	}
	return shortest
}

// PerDay is how often the schedule fires a day, averaged over the year, or the 5,000
// fires, after a moment. MaxRuns does not lower it; 0 if the schedule is invalid.
func (s Schedule) PerDay(from time.Time) float64 {
	var last time.Time
	n, until := 0, from.AddDate(1, 0, 0)
	for t := range s.firesUntil(from, until) {
		n, last = n+1, t
	}
	if n < maxFires {
		last = until
	}
	return float64(n) / (last.Sub(from).Hours() / 24)
}

// firesUntil yields the fires of program.fires up to a moment, at most maxFires; none
// of an invalid schedule.
func (s Schedule) firesUntil(from, until time.Time) iter.Seq2[time.Time, bool] {
	return func(yield func(time.Time, bool) bool) {
		p, err := s.compile()
		if err != nil {
			return
		}
		n := 0
		for t, again := range p.fires(from) {
			if n++; t.After(until) || n > maxFires || !yield(t, again) {
				return
			}
		}
	}
}

const (
	// maxSpread limits the default jitter.
	maxSpread = 2 * time.Minute
	// maxShift is more than any change of clocks moves two times of day towards each
	// other.
	maxShift = 4 * time.Hour
)

// Spread returns the effective jitter of a campaign: that of the file, 0 included.
// Without one it depends on the name: one to two minutes, at most a quarter of the
// shortest gap. Equal names give equal results, at any time.
func (s Schedule) Spread(name string) time.Duration {
	if s.Jitter != nil {
		return *s.Jitter
	}
	limit := s.spreadLimit()
	h := fnv.New32a()
	h.Write([]byte(name))
	share := time.Duration(h.Sum32() % 1000)
	return (limit/2 + limit/2*share/1000).Truncate(time.Second)
}

// spreadLimit is a quarter of the shortest gap, at most maxSpread. It enumerates
// fires only if the times of day are too close to tell without.
func (s Schedule) spreadLimit() time.Duration {
	s.Start, s.End, s.Skip, s.MaxRuns = "", "", nil, 0
	if s.Every > 0 {
		return min(maxSpread, s.Every/4)
	}
	p, err := s.compile()
	if err != nil || p.closest() >= 4*maxSpread+p.shift() {
		return maxSpread
	}
	if gap := s.Gap(spreadEpoch()); gap > 0 {
		return min(maxSpread, gap/4)
	}
	return maxSpread
}

// spreadEpoch is where Spread starts to enumerate, so that the result does not
// depend on the time.
func spreadEpoch() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// shift limits how far a change of clocks moves two fires towards each other.
func (p program) shift() time.Duration {
	if start, end := spreadEpoch().In(p.loc).ZoneBounds(); start.IsZero() && end.IsZero() {
		return 0
	}
	return maxShift
}

// closest is the smallest distance between two times of day of any calendars, also
// across midnight.
func (p program) closest() time.Duration {
	first, last, least := -1, -1, 24*60
	for minute := range 24 * 60 {
		if !p.at(minute) {
			continue
		}
		if first < 0 {
			first = minute
		} else {
			least = min(least, minute-last)
		}
		last = minute
	}
	return time.Duration(min(least, first+24*60-last)) * time.Minute
}

func (p program) at(minute int) bool {
	for _, c := range p.calendars {
		if c.hour&(1<<(minute/60)) != 0 && c.minute&(1<<(minute%60)) != 0 {
			return true
		}
	}
	return false
}
