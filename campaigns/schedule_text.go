package campaigns

import (
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// DefaultCatchUp is how late a missed run may still start when the file says
// nothing.
const DefaultCatchUp = time.Hour

// String returns the schedule in short words: "every 2h", "mon,thu at 18:00
// Europe/Rome", "30 1 * * *". ParseSchedule reads it back.
func (s Schedule) String() string {
	s = s.Canonical()
	if s.Every > 0 {
		text := "every " + times.FormatDuration(s.Every)
		if s.Offset > 0 {
			text += " offset " + times.FormatDuration(s.Offset)
		}
		return text
	}
	if len(s.At) > 0 {
		return s.days() + " at " + strings.Join(s.At, ", ") + s.zoneTail()
	}
	lines := make([]string, 0, len(s.Cron))
	for _, line := range s.Cron {
		lines = append(lines, line+s.daysTail()+s.zoneTail())
	}
	return strings.Join(lines, "; ")
}

// daysTail are the days that a crontab line is restricted to.
func (s Schedule) daysTail() string {
	if len(s.Days) == 0 {
		return ""
	}
	return " on " + s.days()
}

func (s Schedule) zoneTail() string {
	if s.TimeZone == "" {
		return ""
	}
	return " " + s.TimeZone
}

func (s Schedule) days() string {
	names := dayNames()
	switch {
	case len(s.Days) == 0:
		return "daily"
	case slices.Equal(s.Days, names[:5]):
		return "weekdays"
	case slices.Equal(s.Days, names[5:]):
		return "weekends"
	}
	return strings.Join(s.Days, ",")
}

// CatchUpWindow returns CatchUp, or its default.
func (s Schedule) CatchUpWindow() time.Duration {
	if s.CatchUp == 0 {
		return DefaultCatchUp
	}
	return s.CatchUp
}
