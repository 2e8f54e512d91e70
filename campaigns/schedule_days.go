package campaigns

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// dayNames in the order of a week as people write it.
func dayNames() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// parseDays reads "mon,thu", "mon-fri", "weekdays", "daily"; nil is all.
func parseDays(text string) ([]string, error) {
	var set [7]bool
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	if len(parts) == 0 {
		return nil, errors.New("the days are missing; for example: daily at 18:00, or: mon,thu at 18:00")
	}
	for _, part := range parts {
		from, to, err := parseDayRange(part)
		if err != nil {
			return nil, err
		}
		for i := from; ; i = (i + 1) % 7 {
			set[i] = true
			if i == to {
				break
			}
		}
	}
	return daysOf(set), nil
}

func daysOf(set [7]bool) []string {
	var days []string
	for i, name := range dayNames() {
		if set[i] {
			days = append(days, name)
		}
	}
	if len(days) == 7 {
		return nil
	}
	return days
}

func parseDayRange(part string) (from, to int, err error) {
	switch part {
	case "daily":
		return 0, 6, nil
	case "weekdays":
		return 0, 4, nil
	case "weekends":
		return 5, 6, nil
	}
	first, last, found := strings.Cut(part, "-")
	if from, err = parseDay(first); err != nil || !found {
		return from, from, err
	}
	to, err = parseDay(last)
	return from, to, err
}

// parseDay reads "mon" or "monday" in any case; 0 is Monday.
func parseDay(text string) (int, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	long := []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	for i, name := range long {
		if text == name || text == name[:3] {
			return i, nil
		}
	}
	near := wording.Nearest(text, append(append(long, dayNames()...), "daily", "weekdays", "weekends"))
	if near != "" {
		return 0, fmt.Errorf("%q is not a day; did you mean %s?", text, near)
	}
	return 0, fmt.Errorf("%q is not a day: mon tue wed thu fri sat sun, daily, weekdays or weekends", text)
}
