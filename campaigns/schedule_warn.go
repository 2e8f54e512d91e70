package campaigns

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// Warnings returns what is allowed but probably not meant, seen from a moment:
// lines that never fire, that fire every minute of an hour, whose steps are
// uneven, whose two day fields mean OR, times that daylight saving skips or
// repeats, a schedule that has ended. Nothing when Validate finds errors.
func (s Schedule) Warnings(from time.Time) []string {
	if len(s.Validate()) > 0 {
		return nil
	}
	s = s.Canonical()
	var out []string
	for _, line := range s.Cron {
		out = append(out, s.cronWarnings(line, from)...)
	}
	if len(out) == 0 && len(s.Next(from, 1)) == 0 {
		out = append(out, s.silent(from))
	}
	switch {
	case s.Every > 0 && s.Every < time.Minute:
		out = append(out, fmt.Sprintf("every %s is more often than once a minute", times.FormatDuration(s.Every)))
	case s.Every == time.Minute:
		out = append(out, "every 1m fires 60 times an hour")
	}
	if gap := s.Gap(from); s.Jitter != nil && gap > 0 && *s.Jitter > gap {
		out = append(out, fmt.Sprintf("jitter %s is longer than the shortest gap between two fires, %s, and is cut to it", times.FormatDuration(*s.Jitter), times.FormatDuration(gap)))
	}
	return append(out, s.clockChanges(from)...)
}

func (s Schedule) silent(from time.Time) string {
	if s.End != "" {
		if day, err := time.Parse(time.DateOnly, s.End); err == nil && day.Before(from) {
			return "ended on " + s.End + ": it will not fire again"
		}
	}
	return "never fires between " + orElse(s.Start, "now") + " and " + orElse(s.End, fmt.Sprint(maxYear))
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func (s Schedule) cronWarnings(line string, from time.Time) []string {
	c, err := parseCron(line)
	if err != nil {
		return nil
	}
	var out []string
	add := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf("cron %q ", line)+fmt.Sprintf(format, args...))
		}
	}
	alone := Schedule{Cron: []string{line}, TimeZone: s.TimeZone}
	add(len(alone.Next(from, 1)) == 0, "never fires: there is no such day")
	fields := strings.Fields(line)
	if len(fields) != 5 {
		return out
	}
	add(bits.OnesCount64(c.minute) == 60, "fires 60 times in each of its hours; once in an hour is: 0 %s", strings.Join(fields[1:], " "))
	for i, f := range cronFields()[:2] {
		text := unevenStep(f, fields[i])
		add(text != "", "%s", text)
	}
	add(!c.dayStar && !c.weekdayStar, "fires on the given days of the month and on the given days of the week: both set means OR, as in crontab")
	return out
}

// unevenStep speaks of */45: after :45 comes :00, a quarter of an hour later.
func unevenStep(f cronField, text string) string {
	stepText, found := strings.CutPrefix(text, "*/")
	var step int
	if _, err := fmt.Sscanf(stepText, "%d", &step); !found || err != nil || step < 2 || (f.hi+1)%step == 0 {
		return ""
	}
	if step > f.hi {
		return fmt.Sprintf("has a step of %d in its %s field, which only leaves 0", step, f.name)
	}
	last := f.hi / step * step
	return fmt.Sprintf("starts again at %s 0 after %d: the last gap is %d, not %d", f.name, last, f.hi+1-last, step)
}

// clockChanges names the times of day that the next changes of the clock skip
// or repeat.
func (s Schedule) clockChanges(from time.Time) []string {
	p, err := s.compile()
	if err != nil || len(p.calendars) == 0 || s.hourly() {
		return nil
	}
	var out []string
	at := from.In(p.loc)
	for range 2 {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.After(from.AddDate(1, 0, 0)) {
			break
		}
		if text := p.clockChange(end.In(p.loc)); text != "" {
			out = append(out, text)
		}
		at = end.In(p.loc)
	}
	return out
}

// hourly schedules do not mind one hour more or less.
func (s Schedule) hourly() bool {
	for _, c := range s.calendars() {
		if bits.OnesCount64(c.hour) >= 20 {
			return true
		}
	}
	return false
}

func (p program) clockChange(change time.Time) string {
	day := date(change.Add(-time.Second))
	on := day.Format("2 January 2006")
	for _, c := range p.calendars {
		if !c.onDay(day) {
			continue
		}
		for h := range 24 {
			minute := bits.TrailingZeros64(c.minute)
			if c.hour&(1<<h) == 0 {
				continue
			}
			switch len(instants(day, h, minute, p.loc)) {
			case 0:
				return fmt.Sprintf("there is no %s in %s on %s: no fire on that day", clockText(h*60+minute), p.loc, on)
			case 2:
				return fmt.Sprintf("%s comes twice in %s on %s: one fire or two, as the server has it (Temporal 1.29: one, at the second)", clockText(h*60+minute), p.loc, on)
			}
		}
	}
	return ""
}
