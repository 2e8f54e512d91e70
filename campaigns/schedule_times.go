package campaigns

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

func parseTimes(words []string) ([]string, error) {
	text := strings.ReplaceAll(" "+strings.Join(words, " ")+" ", " and ", ",")
	var times []string
	for part := range strings.SplitSeq(text, ",") {
		minute, err := parseClock(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		times = append(times, clockText(minute))
	}
	return times, nil
}

// parseClock reads "9:30" into minutes since midnight.
func parseClock(text string) (int, error) {
	h, m, found := strings.Cut(text, ":")
	hour, errH := strconv.ParseUint(h, 10, 8)
	minute, errM := strconv.ParseUint(m, 10, 8)
	switch {
	case text == "":
		return 0, errors.New("a time is missing; for example: daily at 18:00, 22:30")
	case text == "24:00":
		return 0, errors.New("24:00 is 00:00 of the next day: write that")
	case !found || errH != nil || errM != nil || len(m) != 2 || hour > 23 || minute > 59:
		return 0, fmt.Errorf("%q is no time of day; write hours and minutes of a 24-hour clock: 18:00", text)
	}
	return int(hour)*60 + int(minute), nil
}

func clockText(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// maxScheduleDuration is far beyond any use and far from overflow.
const maxScheduleDuration = 3660 * 24 * time.Hour

// scheduleDuration reads "90s", "2h30m", "14d", "1w".
func scheduleDuration(text string) (time.Duration, error) {
	bad := fmt.Errorf("%q is no duration; write a number with a unit: 90s 30m 2h 14d", text)
	if text == "" {
		return 0, bad
	}
	var sum time.Duration
	for rest := text; rest != ""; {
		n := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if n <= 0 {
			return 0, bad
		}
		value, err := strconv.ParseInt(rest[:n], 10, 32)
		unit := scheduleUnit(rest[n])
		if err != nil || unit == 0 {
			return 0, bad
		}
		if value > int64(maxScheduleDuration/unit) || sum > maxScheduleDuration {
			return 0, fmt.Errorf("%q is too long: at most %d days", text, maxScheduleDuration/(24*time.Hour))
		}
		sum, rest = sum+time.Duration(value)*unit, rest[n+1:]
	}
	return sum, nil
}

func scheduleUnit(c byte) time.Duration {
	switch c {
	case 's':
		return time.Second
	case 'm':
		return time.Minute
	case 'h':
		return time.Hour
	case 'd':
		return 24 * time.Hour
	case 'w':
		return 7 * 24 * time.Hour
	}
	return 0
}

// loadZone loads an IANA zone; "" is UTC.
func loadZone(name string) (*time.Location, error) {
	if name == "Local" {
		return nil, errors.New(`time zone "Local" differs from machine to machine; name one: Europe/Rome`)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("no such time zone: %q; write an IANA name: Europe/Rome", name)
	}
	return loc, nil
}
