package diagnose

import (
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
)

// fires reports whether a schedule is due within the minute of a moment.
func fires(s campaigns.Schedule, at time.Time) bool {
	minute := at.Truncate(time.Minute)
	next := s.Next(minute.Add(-time.Nanosecond), 1)
	return len(next) > 0 && next[0].Before(minute.Add(time.Minute))
}

func notDueThen(f Facts, t Then) finding {
	s := t.Effective.Schedule
	switch {
	case t.Definition.Version == 0 || t.Ran != nil:
		return finding{}
	case s == nil:
		return finding{hit: true, say: fmt.Sprintf("%s had no schedule at %s: it ran by hand only.", f.Subject, f.Clock.Full(t.At))}
	case fires(*s, t.At):
		return finding{clear: "due " + f.Clock.Near(t.At)}
	}
	lines := []Line{{"schedule", s.String()}}
	if why := notDueBecause(f, *s, t.At); why != "" {
		lines = append(lines, Line{"because", why})
	}
	return finding{hit: true, say: fmt.Sprintf("%s was not due at %s.", f.Subject, f.Clock.Full(t.At)), lines: append(lines, aroundLines(f, *s, t.At)...)}
}

// notDueBecause finds the part of the schedule without which it would have been
// due.
func notDueBecause(f Facts, s campaigns.Schedule, at time.Time) string {
	without := func(change func(*campaigns.Schedule)) bool {
		other := s
		change(&other)
		return fires(other, at)
	}
	switch {
	case without(func(s *campaigns.Schedule) { s.Skip = nil }):
		return "the schedule skips that day"
	case without(func(s *campaigns.Schedule) { s.End = "" }):
		return "the schedule ended on " + s.End
	case without(func(s *campaigns.Schedule) { s.Start = "" }):
		return "the schedule began on " + s.Start
	case without(func(s *campaigns.Schedule) { s.Days = nil }):
		return "not on that day of the week"
	}
	return zoneBecause(f, s, at)
}

// zoneBecause: the schedule's clock is another than the reader's.
func zoneBecause(f Facts, s campaigns.Schedule, at time.Time) string {
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil || s.Every > 0 {
		return ""
	}
	mine := f.Clock.In(at)
	there := time.Date(mine.Year(), mine.Month(), mine.Day(), mine.Hour(), mine.Minute(), 0, 0, zone)
	if there.Equal(mine.Truncate(time.Minute)) || !fires(s, there) {
		return ""
	}
	return fmt.Sprintf("its clock is %s: %s there is %s here", zone, there.Format("15:04"), f.Clock.Full(there))
}

// aroundLines are the due times before and after a moment.
func aroundLines(f Facts, s campaigns.Schedule, at time.Time) []Line {
	var out []Line
	for back := time.Hour; back <= 400*24*time.Hour; back *= 4 {
		list := s.Next(at.Add(-back), 5000)
		if i := slices.IndexFunc(list, func(t time.Time) bool { return !t.Before(at) }); i > 0 {
			out = append(out, Line{"before", f.Clock.Full(list[i-1])})
			break
		}
	}
	if next := s.Next(at, 1); len(next) > 0 {
		out = append(out, Line{"after", f.Clock.Full(next[0])})
	}
	return out
}
