package planner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
)

type scheduleSpec = client.ScheduleSpec

// evaluateDrift describes how the schedule on the server differs from the stored
// definition: in a sentence and, for the timing, value by value. Times are in the
// reader's zone.
func (r *Planner) evaluateDrift(t *task, reader *time.Location) {
	c := &t.change
	if t.stored == nil || t.foreign {
		return
	}
	x, known := r.expected(t, t.stored.Paused)
	if !known || x.met(t.server) {
		return
	}
	if t.server == nil {
		c.Why = "its schedule is no longer on the server: apply creates it again"
		return
	}
	version := t.stored.Definition.Version
	if n := t.server.parsed; t.server.ours && n.Version != version {
		c.Why = fmt.Sprintf("the server has %s@%d, the store %s@%d: an apply did not finish; apply completes it", n.Campaign, n.Version, t.name, version)
		return
	}
	on := ""
	if !t.server.updated.IsZero() {
		on = " on " + t.server.updated.In(reader).Format("2 Jan 15:04 MST")
	}
	switch {
	case !sameSpec(t.server.spec, x.spec, t.server.whole):
		c.Drift = specDifferences(t.server.spec, x.spec, reader)
		c.Why = "changed on the server" + on + ", not from these files"
	case t.server.paused && !x.paused:
		c.Why = "paused on the server" + on + ", not from these files"
	case !t.server.paused && x.paused:
		c.Why = "resumed on the server" + on + ", not from these files"
	default:
		c.Why = "its note was written over on the server" + on + ": apply writes it again"
	}
}

// listLimit is how many calendars, intervals and exclusions of a schedule a list
// contains.
const listLimit = 10

// sameSpec compares the timing. whole is false for a spec from a list, which may be
// truncated.
func sameSpec(got, want scheduleSpec, whole bool) bool {
	limit := -1
	if !whole {
		limit = listLimit
	}
	return got.Jitter == want.Jitter && sameZone(got.TimeZoneName, want.TimeZoneName) &&
		got.StartAt.Equal(want.StartAt) && got.EndAt.Equal(want.EndAt) &&
		slices.Equal(head(got.Intervals, limit), head(want.Intervals, limit)) &&
		slices.EqualFunc(head(got.Calendars, limit), head(want.Calendars, limit), sameCalendar) &&
		slices.EqualFunc(head(got.Skip, limit), head(want.Skip, limit), sameCalendar)
}

func head[T any](list []T, limit int) []T {
	if limit < 0 || len(list) <= limit {
		return list
	}
	return list[:limit]
}

func sameZone(a, b string) bool {
	if a == "" {
		a = "UTC"
	}
	if b == "" {
		b = "UTC"
	}
	return a == b
}

func sameCalendar(a, b client.ScheduleCalendarSpec) bool {
	return slices.EqualFunc(fields(a), fields(b), func(a, b []client.ScheduleRange) bool { return values(a) == values(b) })
}

func fields(c client.ScheduleCalendarSpec) [][]client.ScheduleRange {
	return [][]client.ScheduleRange{c.Second, c.Minute, c.Hour, c.DayOfMonth, c.Month, c.DayOfWeek, c.Year}
}

// values lists the values of ranges, independent of their notation.
func values(ranges []client.ScheduleRange) string {
	var set []int
	for _, r := range ranges {
		step := max(1, r.Step)
		for v := r.Start; v <= max(r.Start, r.End); v += step {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	return fmt.Sprint(slices.Compact(set))
}

// specDifferences compares the server (Old) with the definition (New). Times are in the
// reader's zone.
func specDifferences(there, here scheduleSpec, reader *time.Location) []Difference {
	var out []Difference
	add := func(path, old, now string) {
		if old != now {
			out = append(out, Difference{Path: path, Old: old, New: now})
		}
	}
	add("schedule", specWords(there), specWords(here))
	add("schedule.time_zone", orUTC(there.TimeZoneName), orUTC(here.TimeZoneName))
	add("schedule.jitter", durationWords(there.Jitter), durationWords(here.Jitter))
	add("schedule.start", dayWords(there.StartAt, reader), dayWords(here.StartAt, reader))
	add("schedule.end", dayWords(there.EndAt, reader), dayWords(here.EndAt, reader))
	add("schedule.skip", skipWords(there.Skip), skipWords(here.Skip))
	return out
}

func orUTC(zone string) string {
	if zone == "" {
		return "UTC"
	}
	return zone
}

func dayWords(t time.Time, loc *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(loc).Format("2006-01-02 15:04 MST")
}

// specWords formats a spec: "every 2h", "tue,fri at 19:00", or a crontab line.
func specWords(s scheduleSpec) string {
	var parts []string
	for _, i := range s.Intervals {
		text := "every " + durationWords(i.Every)
		if i.Offset > 0 {
			text += " offset " + durationWords(i.Offset)
		}
		parts = append(parts, text)
	}
	for _, c := range s.Calendars {
		parts = append(parts, calendarWords(c))
	}
	return strings.Join(parts, "; ")
}

func calendarWords(c client.ScheduleCalendarSpec) string {
	line := []string{
		rangeWords(c.Minute, 0, 59), rangeWords(c.Hour, 0, 23), rangeWords(c.DayOfMonth, 1, 31),
		rangeWords(c.Month, 1, 12), rangeWords(c.DayOfWeek, 0, 6),
	}
	if line[2] != "*" || line[3] != "*" || len(c.Minute) != 1 || c.Minute[0].End > c.Minute[0].Start || line[1] == "*" {
		return strings.Join(line, " ")
	}
	days := "daily"
	if line[4] != "*" {
		days = dayList(c.DayOfWeek)
	}
	var times []string
	for _, r := range c.Hour {
		for h := r.Start; h <= max(r.Start, r.End); h += max(1, r.Step) {
			times = append(times, fmt.Sprintf("%02d:%02d", h, c.Minute[0].Start))
		}
	}
	return days + " at " + strings.Join(times, ", ")
}

func dayList(ranges []client.ScheduleRange) string {
	var names []string
	for i, name := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		for _, r := range ranges {
			d := (i + 1) % 7
			if d >= r.Start && d <= max(r.Start, r.End) && (d-r.Start)%max(1, r.Step) == 0 {
				names = append(names, name)
				break
			}
		}
	}
	return strings.Join(names, ",")
}

func rangeWords(ranges []client.ScheduleRange, lo, hi int) string {
	var parts []string
	for _, r := range ranges {
		end, step := max(r.Start, r.End), max(1, r.Step)
		text := fmt.Sprint(r.Start)
		if end > r.Start {
			text = fmt.Sprintf("%d-%d", r.Start, end)
		}
		if r.Start == lo && end == hi {
			text = "*"
		}
		if step > 1 {
			text += fmt.Sprintf("/%d", step)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

func skipWords(skip []client.ScheduleCalendarSpec) string {
	var days []string
	for _, c := range skip {
		year := ""
		if len(c.Year) > 0 {
			year = rangeWords(c.Year, 0, 0) + "-"
		}
		days = append(days, fmt.Sprintf("%s%s-%s", year, twoDigits(c.Month), twoDigits(c.DayOfMonth)))
	}
	return strings.Join(days, ", ")
}

func twoDigits(ranges []client.ScheduleRange) string {
	text := rangeWords(ranges, -1, -1)
	if len(text) == 1 {
		return "0" + text
	}
	return text
}
