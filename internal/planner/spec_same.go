package planner

import (
	"fmt"
	"slices"

	"go.temporal.io/sdk/client"
)

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
