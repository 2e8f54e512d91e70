package workflows

import (
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
)

// ScheduleSpec translates a campaign's schedule; name decides about its spread.
// Every field of a calendar is given, as the server gives them back.
func ScheduleSpec(s campaigns.Schedule, name string) (client.ScheduleSpec, error) {
	spec, err := s.Spec()
	if err != nil {
		return client.ScheduleSpec{}, err
	}
	out := client.ScheduleSpec{
		StartAt: spec.Start, EndAt: spec.End, TimeZoneName: spec.TimeZone, Jitter: s.Spread(name),
	}
	for _, i := range spec.Intervals {
		out.Intervals = append(out.Intervals, client.ScheduleIntervalSpec{Every: i.Every, Offset: i.Offset})
	}
	for _, c := range spec.Calendars {
		out.Calendars = append(out.Calendars, scheduleCalendar(c))
	}
	for _, d := range spec.SkipDays {
		out.Skip = append(out.Skip, skipCalendar(d))
	}
	return out, nil
}

func scheduleCalendar(c campaigns.Calendar) client.ScheduleCalendarSpec {
	return client.ScheduleCalendarSpec{
		Second: scheduleSpan(0, 0), Minute: scheduleRanges(c.Minute), Hour: scheduleRanges(c.Hour),
		DayOfMonth: scheduleRanges(c.DayOfMonth), Month: scheduleRanges(c.Month), DayOfWeek: scheduleRanges(c.DayOfWeek),
	}
}

// skipCalendar matches every second of a day: an exclusion holds for the
// seconds it names only.
func skipCalendar(d campaigns.SkipDay) client.ScheduleCalendarSpec {
	c := client.ScheduleCalendarSpec{
		Second: scheduleSpan(0, 59), Minute: scheduleSpan(0, 59), Hour: scheduleSpan(0, 23),
		DayOfMonth: scheduleSpan(d.Day, d.Day), Month: scheduleSpan(d.Month, d.Month), DayOfWeek: scheduleSpan(0, 6),
	}
	if d.Year > 0 {
		c.Year = scheduleSpan(d.Year, d.Year)
	}
	return c
}

func scheduleSpan(from, to int) []client.ScheduleRange {
	return []client.ScheduleRange{{Start: from, End: to, Step: 1}}
}

func scheduleRanges(in []campaigns.Range) []client.ScheduleRange {
	out := make([]client.ScheduleRange, 0, len(in))
	for _, r := range in {
		out = append(out, client.ScheduleRange{Start: r.Start, End: r.End, Step: r.Step})
	}
	return out
}
