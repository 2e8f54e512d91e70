package planner

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
)

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
