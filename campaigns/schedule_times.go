package campaigns

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

func parseTimes(words []string) ([]string, error) {
	text := strings.ReplaceAll(" "+strings.Join(words, " ")+" ", " and ", ",")
	var clocks []string
	for part := range strings.SplitSeq(text, ",") {
		minute, err := parseClock(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		clocks = append(clocks, clockText(minute))
	}
	return clocks, nil
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
		return 0, fmt.Errorf("%q is not a time of day; write hours and minutes of a 24-hour clock: 18:00", text)
	}
	return int(hour)*60 + int(minute), nil
}

func clockText(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// maxEvery is far beyond any use and far from overflow.
const maxEvery = 3660 * times.Day

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
