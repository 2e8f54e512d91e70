package campaigns

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/wording"

	"github.com/vendemmia/vendemmia/internal/times"
)

// Overlaps returns the overlap policies in the order of the documentation.
func Overlaps() []Overlap {
	return []Overlap{OverlapSkip, OverlapBufferOne, OverlapBufferAll, OverlapCancel, OverlapTerminate, OverlapAllow}
}

// Validate returns everything wrong with the schedule, in words; nothing when
// it can be used. An empty Overlap and a zero CatchUp stand for their defaults.
func (s Schedule) Validate() []string {
	var wrong []string
	given := 0
	for _, is := range []bool{s.Every != 0, len(s.At) > 0, len(s.Cron) > 0} {
		if is {
			given++
		}
	}
	if given != 1 {
		wrong = append(wrong, "exactly one of every, at and cron is needed; for example: every: 2h")
	}
	wrong = append(wrong, s.checkEvery()...)
	wrong = append(wrong, s.checkAt()...)
	for _, line := range s.Cron {
		if _, err := parseCron(line); err != nil {
			wrong = append(wrong, fmt.Sprintf("cron %q: %v", line, err))
		}
	}
	wrong = append(wrong, s.checkBounds()...)
	return append(wrong, s.checkPolicy()...)
}

func (s Schedule) checkEvery() []string {
	var wrong []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	add(s.Every != 0 && (s.Every < time.Second || s.Every%time.Second != 0), "every %s: must be whole seconds, at least 1s", s.Every)
	add(s.Every > maxEvery, "every: at most %d days", maxEvery/times.Day)
	add(s.Offset != 0 && s.Every == 0, "offset goes with every; with at or cron, write the time itself")
	add(s.Offset < 0 || s.Offset%time.Second != 0, "offset %s: must be whole seconds, not negative", s.Offset)
	add(s.Offset > 0 && s.Every > 0 && s.Offset >= s.Every, "offset %s must be shorter than every %s", times.FormatDuration(s.Offset), times.FormatDuration(s.Every))
	return wrong
}

func (s Schedule) checkAt() []string {
	var wrong []string
	for _, at := range s.At {
		if _, err := parseClock(strings.TrimSpace(at)); err != nil {
			wrong = append(wrong, "at: "+err.Error())
		}
	}
	if len(s.Days) > 0 && len(s.At)+len(s.Cron) == 0 {
		wrong = append(wrong, "days goes with at or cron; for example: {days: [mon, thu], at: [\"18:00\"]}")
	}
	for _, day := range s.Days {
		if _, _, err := parseDayRange(strings.ToLower(day)); err != nil {
			wrong = append(wrong, "days: "+err.Error())
		}
	}
	if len(wrong) == 0 && len(s.Cron) > 0 && s.readable() && len(s.Canonical().calendars()) == 0 {
		wrong = append(wrong, fmt.Sprintf("days %s: cron fires on none of them", strings.Join(s.Days, ", ")))
	}
	return wrong
}

// readable reports whether each crontab line can be read.
func (s Schedule) readable() bool {
	return !slices.ContainsFunc(s.Cron, func(line string) bool {
		_, err := parseCron(line)
		return err != nil
	})
}

func (s Schedule) checkBounds() []string {
	var wrong []string
	if _, err := loadZone(s.TimeZone); err != nil {
		wrong = append(wrong, "time_zone: "+err.Error())
	}
	bounds := map[string]time.Time{}
	for _, b := range [][2]string{{"start", s.Start}, {"end", s.End}} {
		day, err := time.Parse(time.DateOnly, b[1])
		if b[1] != "" && (err != nil || day.Year() < minYear || day.Year() > maxYear) {
			wrong = append(wrong, fmt.Sprintf("%s %q: write a day from %d to %d: 2026-01-31", b[0], b[1], minYear, maxYear))
			continue
		}
		bounds[b[0]] = day
	}
	if s.Start != "" && s.End != "" && bounds["end"].Before(bounds["start"]) && len(bounds) == 2 {
		wrong = append(wrong, fmt.Sprintf("end %s is before start %s", s.End, s.Start))
	}
	for _, text := range s.Skip {
		if _, err := parseSkip(text); err != nil {
			wrong = append(wrong, "skip: "+err.Error())
		}
	}
	return wrong
}

// minCatchUp is the shortest window the engine keeps.
const minCatchUp = 10 * time.Second

func (s Schedule) checkPolicy() []string {
	var wrong []string
	if s.Jitter != nil && *s.Jitter < 0 {
		wrong = append(wrong, "jitter must not be negative; 0 starts at the very second")
	}
	if s.MaxRuns < 0 {
		wrong = append(wrong, "max_runs must not be negative")
	}
	if s.CatchUp != 0 && s.CatchUp < minCatchUp {
		wrong = append(wrong, fmt.Sprintf("catch_up %s: must be at least %s", s.CatchUp, minCatchUp))
	}
	if text := checkOverlap(s.Overlap); text != "" {
		wrong = append(wrong, text)
	}
	return wrong
}

func checkOverlap(o Overlap) string {
	names := make([]string, 0, len(Overlaps()))
	for _, known := range Overlaps() {
		if o == known || o == "" {
			return ""
		}
		names = append(names, string(known))
	}
	text := fmt.Sprintf("overlap %q: one of %s", o, strings.Join(names, ", "))
	if near := wording.Nearest(string(o), names); near != "" {
		text += "; did you mean " + near + "?"
	}
	return text
}
