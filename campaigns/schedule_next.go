package campaigns

import (
	"iter"
	"math/bits"
	"slices"
	"time"
)

// Next returns the first n fires after a moment, without jitter, in the schedule's
// zone; fewer if the schedule ends, none if it is invalid or never fires. With MaxRuns
// there are at most that many.
//
// A calendar fires whenever its wall-clock time occurs: not on a day without 02:30, and
// twice on a day with two, as the engine documents. Doubtful reports where the engine
// may differ.
func (s Schedule) Next(after time.Time, n int) []time.Time {
	p, err := s.compile()
	if err != nil {
		return nil
	}
	if s.MaxRuns > 0 {
		n = min(n, s.MaxRuns)
	}
	var out []time.Time
	for t := range p.fires(after) {
		if len(out) >= n {
			break
		}
		out = append(out, t.In(p.loc))
	}
	return out
}

// Doubtful reports whether an engine may omit a fire at t. Temporal 1.29 loses some in
// an hour that occurs twice because clocks are set back, and in the hour after it, and
// all of a day without midnight. A missing run is not reported as missed then.
func (s Schedule) Doubtful(t time.Time) bool {
	loc, err := loadZone(s.TimeZone)
	if err != nil || s.Every > 0 {
		return false
	}
	return occurrences(t, loc) == 2 || occurrences(t.Add(-time.Hour), loc) == 2 || len(instants(date(t.In(loc)), 0, 0, loc)) == 0
}

// occurrences returns how often the wall clock of loc shows the time it shows at t.
func occurrences(t time.Time, loc *time.Location) int {
	t = t.In(loc)
	return len(instants(date(t), t.Hour(), t.Minute(), loc))
}

// date is the calendar date of t, as midnight UTC.
func date(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// fires yields, in order, every fire after a moment, and whether it repeats the
// wall-clock time of an earlier one.
func (p program) fires(after time.Time) iter.Seq2[time.Time, bool] {
	if before := p.start.Add(-time.Second); !p.start.IsZero() && before.After(after) {
		after = before
	}
	raw := p.calendarFires
	if p.every > 0 {
		raw = p.intervalFires
	}
	return func(yield func(time.Time, bool) bool) {
		for t, again := range raw(after) {
			if !p.end.IsZero() && t.After(p.end) || !yield(t, again) {
				return
			}
		}
	}
}

func (p program) intervalFires(after time.Time) iter.Seq2[time.Time, bool] {
	every, offset := int64(p.every/time.Second), int64(p.offset/time.Second)
	return func(yield func(time.Time, bool) bool) {
		for ts := floorTo(after.Unix()-offset, every) + every + offset; ; ts += every {
			t := time.Unix(ts, 0).In(p.loc)
			if t.Year() > maxYear {
				return
			}
			if !p.skips(t.Date()) && !yield(t, false) {
				return
			}
		}
	}
}

func floorTo(v, step int64) int64 {
	if r := v % step; r < 0 {
		return v - r - step
	}
	return v - v%step
}

func (p program) calendarFires(after time.Time) iter.Seq2[time.Time, bool] {
	return func(yield func(time.Time, bool) bool) {
		for day := date(after.In(p.loc)); day.Year() <= maxYear; day = day.AddDate(0, 0, 1) {
			for _, f := range p.onDay(day) {
				if f.at.After(after) && !yield(f.at, f.again) {
					return
				}
			}
		}
	}
}

type fire struct {
	at    time.Time
	again bool
}

// onDay lists a date's fires in order.
func (p program) onDay(day time.Time) []fire {
	var hours [24]uint64 // the minutes of each hour
	any := false
	for _, c := range p.calendars {
		if c.onDay(day) {
			any = true
			for h := range hours {
				if c.hour&(1<<h) != 0 {
					hours[h] |= c.minute
				}
			}
		}
	}
	if !any || p.skips(day.Date()) {
		return nil
	}
	var out []fire
	for h, minutes := range hours {
		for ; minutes != 0; minutes &= minutes - 1 {
			out = append(out, instants(day, h, bits.TrailingZeros64(minutes), p.loc)...)
		}
	}
	slices.SortFunc(out, func(a, b fire) int { return a.at.Compare(b.at) })
	return out
}

func (c calendarBits) onDay(day time.Time) bool {
	return c.month&(1<<day.Month()) != 0 && c.day&(1<<day.Day()) != 0 && c.weekday&(1<<day.Weekday()) != 0
}

func (p program) skips(y int, m time.Month, d int) bool {
	return slices.ContainsFunc(p.skip, func(s SkipDay) bool {
		return (s.Year == 0 || s.Year == y) && s.Month == int(m) && s.Day == d
	})
}

// instants returns the moments at which the wall clock of loc shows a time: one, none
// if clocks skip it, two if they are set back.
func instants(day time.Time, hour, minute int, loc *time.Location) []fire {
	y, mo, d := day.Date()
	wall := time.Date(y, mo, d, hour, minute, 0, 0, time.UTC)
	t := time.Date(y, mo, d, hour, minute, 0, 0, loc)
	start, end := t.ZoneBounds()
	var out []fire
	for _, at := range []time.Time{t, reread(wall, start, -time.Second), reread(wall, end, 0)} {
		known := slices.ContainsFunc(out, func(f fire) bool { return f.at.Equal(at) })
		if shows(at, wall) && !known {
			out = append(out, fire{at: at})
		}
	}
	if len(out) == 2 {
		slices.SortFunc(out, func(a, b fire) int { return a.at.Compare(b.at) })
		out[1].again = true
	}
	return out
}

// shows compares two wall clocks to the minute.
func shows(t, wall time.Time) bool {
	return t.Hour() == wall.Hour() && t.Minute() == wall.Minute() && t.YearDay() == wall.YearDay() && t.Year() == wall.Year()
}

// reread interprets a wall-clock time with the offset just before (-1s) or at a change
// of the zone; the zero time if there is no change.
func reread(wall, change time.Time, by time.Duration) time.Time {
	if change.IsZero() {
		return time.Time{}
	}
	_, offset := change.Add(by).Zone()
	return wall.Add(-time.Duration(offset) * time.Second).In(change.Location())
}
