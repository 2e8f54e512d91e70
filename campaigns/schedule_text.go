package campaigns

import (
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// DefaultCatchUp is how late a missed run may still start when the file says
// nothing.
const DefaultCatchUp = time.Hour

// maxSpread bounds the spread by name.
const maxSpread = 2 * time.Minute

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

// Spread returns the jitter that holds for a campaign: the one of the file, 0
// included, else by name between one and two minutes, at most a quarter of the
// shortest gap. Equal names give equal answers, at any time.
func (s Schedule) Spread(name string) time.Duration {
	if s.Jitter != nil {
		return *s.Jitter
	}
	bare := s
	bare.Start, bare.End, bare.Skip = "", "", nil
	limit := maxSpread
	if gap := bare.Gap(spreadEpoch()); gap > 0 {
		limit = min(limit, gap/4)
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	share := time.Duration(h.Sum32() % 1000)
	return (limit/2 + limit/2*share/1000).Truncate(time.Second)
}

// spreadEpoch is from when the gap is looked at, so that time does not change
// the answer.
func spreadEpoch() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// CatchUpWindow returns CatchUp, or its default.
func (s Schedule) CatchUpWindow() time.Duration {
	if s.CatchUp == 0 {
		return DefaultCatchUp
	}
	return s.CatchUp
}
