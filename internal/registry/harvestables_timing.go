package registry

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
)

// ParseAnd reads a line of five fields as the harvester of the XML service does: each
// field is * or one number as it is written without zeros before it, and all of them
// must fit, the day of the month and the day of the week too (crontab takes either).
// Sunday is 0. A line that never fires there is an error.
//
// The day of the week becomes Days of the schedule, which restrict its cron lines.
func ParseAnd(fields []string) (campaigns.Schedule, error) {
	if len(fields) != 5 {
		return campaigns.Schedule{}, fmt.Errorf("%s never fires there: it needs five fields, each a number or *", cmp.Or(strings.Join(fields, " "), "an empty line"))
	}
	top := []int{59, 23, 31, 12, 6}
	for i, f := range fields {
		if f == "*" {
			continue
		}
		n, err := strconv.Atoi(f)
		if err != nil || strconv.Itoa(n) != f || n > top[i] || n < 0 || n == 0 && (i == 2 || i == 3) {
			return campaigns.Schedule{}, fmt.Errorf("%s never fires there: each field is * or a number as it is written without zeros before it, up to %d in this place", f, top[i])
		}
	}
	if fields[2] == "*" || fields[4] == "*" {
		return campaigns.ParseSchedule(strings.Join(fields, " "))
	}
	s, err := campaigns.ParseSchedule(strings.Join(append(fields[:4:4], "*"), " "))
	n, _ := strconv.Atoi(fields[4]) // read above
	s.Days = []string{strings.Fields("sun mon tue wed thu fri sat")[n]}
	return s, err
}

// schedule is when a job of type oaiPmh is due; nil: an empty line, which means once
// now. One that would be due more often than daily is made daily there, at the minute
// at which it happened to be loaded; here each has a minute of its own.
func schedule(line, id, zone string) (*campaigns.Schedule, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return nil, nil
	}
	s, err := ParseAnd(fields)
	if err != nil {
		return nil, fmt.Errorf("scheduleString %q: %w", line, err)
	}
	if fields[0] == "*" || fields[1] == "*" {
		s = campaigns.Schedule{At: []string{minuteOf(id)}}
	}
	s.TimeZone = zone
	return &s, nil
}

// minuteOf is a time of day that stays the same for a job and differs from others'.
func minuteOf(id string) string {
	n, err := strconv.ParseUint(id, 10, 63)
	if err != nil {
		return "00:00"
	}
	return fmt.Sprintf("%02d:%02d", n/60%24, n%60)
}
