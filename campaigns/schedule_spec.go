package campaigns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Spec is a schedule in the terms of an engine that knows intervals and
// calendars: it fires at the union of both, but not on SkipDays, not before
// Start and not after End (both included).
type Spec struct {
	Intervals []Interval
	Calendars []Calendar
	SkipDays  []SkipDay
	// TimeZone of calendars and skip days; never empty.
	TimeZone string
	// Start and End bound the fires; zero is unbounded.
	Start, End time.Time
	// Jitter is what the file gave, 0 if nothing; Schedule.Spread is what holds.
	Jitter time.Duration
}

// Interval fires at every multiple of Every since 1970-01-01 UTC, plus Offset.
type Interval struct{ Every, Offset time.Duration }

// Calendar fires at second 0 of the wall-clock minutes that match all five
// fields; no field is empty. DayOfWeek counts from Sunday, 0.
type Calendar struct{ Minute, Hour, DayOfMonth, Month, DayOfWeek []Range }

// Range is Start, Start+Step … up to End, included; Step is at least 1.
type Range struct{ Start, End, Step int }

// SkipDay is a date in the schedule's zone; Year 0 is every year.
type SkipDay struct{ Year, Month, Day int }

// Spec translates the schedule. The error names everything that is wrong with
// it, as Validate does.
func (s Schedule) Spec() (Spec, error) {
	p, err := s.compile()
	if err != nil {
		return Spec{}, err
	}
	spec := Spec{SkipDays: p.skip, TimeZone: p.loc.String(), Start: p.start, End: p.end}
	if s.Jitter != nil {
		spec.Jitter = *s.Jitter
	}
	if s.Every > 0 {
		spec.Intervals = []Interval{{Every: s.Every, Offset: s.Offset}}
	}
	for _, c := range p.calendars {
		spec.Calendars = append(spec.Calendars, Calendar{
			Minute: ranges(c.minute), Hour: ranges(c.hour),
			DayOfMonth: ranges(c.day), Month: ranges(c.month), DayOfWeek: ranges(c.weekday),
		})
	}
	return spec, nil
}

// program is a schedule ready to be asked for its fires.
type program struct {
	loc           *time.Location
	every, offset time.Duration
	calendars     []calendarBits
	skip          []SkipDay
	start, end    time.Time
}

func (s Schedule) compile() (program, error) {
	if wrong := s.Validate(); len(wrong) > 0 {
		return program{}, errors.New("schedule: " + strings.Join(wrong, "; "))
	}
	s = s.Canonical()
	loc, err := loadZone(s.TimeZone)
	if err != nil {
		return program{}, err
	}
	p := program{loc: loc, every: s.Every, offset: s.Offset, calendars: s.calendars()}
	for _, text := range s.Skip {
		day, _ := parseSkip(text) // Validate has read it
		p.skip = append(p.skip, day)
	}
	if s.Start != "" {
		day, _ := time.Parse(time.DateOnly, s.Start)
		p.start = midnight(day, loc)
	}
	if s.End != "" {
		day, _ := time.Parse(time.DateOnly, s.End)
		p.end = midnight(day.AddDate(0, 0, 1), loc).Add(-time.Second)
	}
	return p, nil
}

// midnight is the first instant of a day, which in some zones is not 00:00.
func midnight(day time.Time, loc *time.Location) time.Time {
	t := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, loc)
	if t.Day() != day.Day() { // a day that begins at 01:00
		_, t = t.ZoneBounds()
	}
	return t
}

func (s Schedule) calendars() []calendarBits {
	var out []calendarBits
	for _, line := range s.Cron {
		if c, err := parseCron(line); err == nil {
			out = append(out, c.calendars()...)
		}
	}
	return append(only(out, s.weekdays()), s.atCalendars()...)
}

// only keeps what is on some weekdays.
func only(list []calendarBits, weekdays uint64) []calendarBits {
	var out []calendarBits
	for _, c := range list {
		if c.weekday &= weekdays; c.weekday != 0 {
			out = append(out, c)
		}
	}
	return out
}

// weekdays are those of Days, all where there are none; Sunday is 0.
func (s Schedule) weekdays() uint64 {
	if len(s.Days) == 0 {
		return fullWeekdays()
	}
	var set uint64
	for _, name := range s.Days {
		if i, err := parseDay(name); err == nil {
			set |= 1 << ((i + 1) % 7)
		}
	}
	return set
}

// atCalendars makes one calendar for each minute of the hour that is used.
func (s Schedule) atCalendars() []calendarBits {
	weekdays := s.weekdays()
	var hours [60]uint64
	for _, at := range s.At {
		if minute, err := parseClock(at); err == nil {
			hours[minute%60] |= 1 << (minute / 60)
		}
	}
	var out []calendarBits
	for minute, set := range hours {
		if set != 0 {
			out = append(out, calendarBits{minute: 1 << minute, hour: set, day: fullDays(), month: fullMonths(), weekday: weekdays})
		}
	}
	return out
}

// parseSkip reads 2026-08-15 or 12-25.
func parseSkip(text string) (SkipDay, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil && t.Year() >= minYear && t.Year() <= maxYear {
		return SkipDay{Year: t.Year(), Month: int(t.Month()), Day: t.Day()}, nil
	}
	if t, err := time.Parse(time.DateOnly, "2000-"+text); err == nil { // a leap year
		return SkipDay{Month: int(t.Month()), Day: t.Day()}, nil
	}
	return SkipDay{}, fmt.Errorf("%q is not a day; write 2026-08-15, or 12-25 for every year", text)
}

// The years an engine's calendars know.
const (
	minYear = 2000
	maxYear = 2100
)

// Canonical returns the one spelling of the schedule: times as 09:30 in order,
// days as mon … sun in order and none when all are meant, blanks of crontab
// lines single. What cannot be read stays as it is, for Validate to name.
func (s Schedule) Canonical() Schedule {
	s.At = canonicalAll(s.At, func(t string) (string, error) {
		minute, err := parseClock(strings.TrimSpace(t))
		return clockText(minute), err
	})
	slices.Sort(s.At)
	s.At = slices.Compact(s.At)
	if days, err := parseDays(strings.ToLower(strings.Join(s.Days, ","))); err == nil && len(s.Days) > 0 {
		s.Days = days
	}
	s.Cron = canonicalAll(s.Cron, func(l string) (string, error) {
		return strings.ToLower(strings.Join(strings.Fields(l), " ")), nil
	})
	return s
}

func canonicalAll(in []string, one func(string) (string, error)) []string {
	out := slices.Clone(in)
	for i, text := range out {
		if c, err := one(text); err == nil {
			out[i] = c
		}
	}
	return out
}
