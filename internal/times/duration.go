package times

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Day and Year are the units d and y.
const (
	Day  = 24 * time.Hour
	Year = 365 * Day
)

func spanUnit(name string) time.Duration {
	switch name {
	case "ms":
		return time.Millisecond
	case "s":
		return time.Second
	case "m":
		return time.Minute
	case "h":
		return time.Hour
	case "d":
		return Day
	case "w":
		return 7 * Day
	case "y":
		return Year
	default:
		return 0
	}
}

// ParseDuration reads a duration such as 90s, 36h, 14d, 2h30m or 1.25s. The units are
// ms, s, m, h, d, w and y, the largest first, each at most once; 0 needs no unit. It is
// the grammar of campaign files, flags and settings.
func ParseDuration(text string) (time.Duration, error) {
	rest := strings.TrimSpace(text)
	if rest == "0" {
		return 0, nil
	}
	if _, err := strconv.ParseFloat(rest, 64); err == nil {
		return 0, fmt.Errorf("%s needs a unit, for example %ss, %sm or %sh", rest, rest, rest, rest)
	}
	var sum float64
	last := time.Duration(math.MaxInt64)
	for rest != "" {
		number, name, after := cutUnit(rest)
		u := spanUnit(name)
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || u == 0 || u >= last {
			return 0, fmt.Errorf("%q is not a duration; for example 90s, 36h, 14d or 2h30m", text)
		}
		sum, last, rest = sum+n*float64(u), u, after
	}
	if last == math.MaxInt64 {
		return 0, errors.New("a duration is missing; for example 90s, 36h, 14d or 2h30m")
	}
	if sum >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is longer than 292 years", text)
	}
	return time.Duration(math.Round(sum)), nil
}

// cutUnit splits "2h30m" into "2", "h" and "30m".
func cutUnit(text string) (number, name, rest string) {
	i := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		return text, "", ""
	}
	j := strings.IndexFunc(text[i:], func(r rune) bool { return r < 'a' || r > 'z' })
	if j < 0 {
		return text[:i], text[i:], ""
	}
	return text[:i], text[i : i+j], text[i+j:]
}

// FormatDuration writes what ParseDuration reads, in days, hours, minutes and
// seconds: 14d, 36h, 2h30m, 1.25s.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	if d%Day == 0 {
		return strconv.FormatInt(int64(d/Day), 10) + "d"
	}
	var b strings.Builder
	for _, u := range []string{"h", "m"} {
		if n := d / spanUnit(u); n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u)
			d %= spanUnit(u)
		}
	}
	if d > 0 {
		b.WriteString(strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s")
	}
	return b.String()
}

// DurationPattern is ParseDuration as a regular expression, for schemas.
const DurationPattern = `^([0-9.]+(ms|s|m|h|d|w|y))+$|^0$`
