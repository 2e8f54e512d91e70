package campaigns

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// ParseSchedule reads a schedule written as words or as a crontab line:
//
//	every 2h · every 6h offset 20m · hourly
//	daily at 18:00, 22:30 · mon,thu at 18:00 · mon-fri at 9:30 · weekdays at 07:00
//	30 1 * * * · @daily
//
// with, optionally, an IANA time zone behind it ("daily at 18:00 Europe/Rome").
// Several, on lines of their own or parted by semicolons, are read as by
// ParseSchedules. The result is canonical; only what the text says is set.
func ParseSchedule(text string) (Schedule, error) {
	return ParseSchedules(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }))
}

// ParseSchedules reads a list of lines, each as ParseSchedule does, into one
// schedule that fires at the times of all of them. Several lines with times
// become crontab lines; `every` cannot stand beside others.
func ParseSchedules(lines []string) (Schedule, error) {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) == 0 {
		return Schedule{}, errors.New("is empty; for example: every 2h, or: daily at 18:00")
	}
	var all []Schedule
	for _, line := range lines {
		s, err := parseScheduleLine(line)
		if err != nil {
			return Schedule{}, err
		}
		all = append(all, s)
	}
	return mergeSchedules(all)
}

func mergeSchedules(all []Schedule) (Schedule, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	merged := Schedule{TimeZone: all[0].TimeZone}
	for _, s := range all {
		switch {
		case s.Every > 0:
			return Schedule{}, fmt.Errorf("%q cannot stand in a list; only times and cron lines can", s.String())
		case s.TimeZone != merged.TimeZone:
			return Schedule{}, errors.New("the lines of a list share one time zone; say it once, as time_zone")
		}
		merged.Cron = append(merged.Cron, s.cronLines()...)
	}
	return merged.Canonical(), nil
}

// cronLines writes an At schedule as crontab lines.
func (s Schedule) cronLines() []string {
	days := "*"
	if len(s.Days) > 0 {
		days = strings.Join(s.Days, ",")
	}
	lines := slices.Clone(s.Cron)
	for _, at := range s.At {
		if minute, err := parseClock(at); err == nil {
			lines = append(lines, fmt.Sprintf("%d %d * * %s", minute%60, minute/60, days))
		}
	}
	return lines
}

func parseScheduleLine(line string) (Schedule, error) {
	words := strings.Fields(line)
	zone := ""
	if last := words[len(words)-1]; len(words) > 1 && looksLikeZone(last) {
		zone, words = last, words[:len(words)-1]
	}
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	s, err := parseScheduleWords(words)
	if err != nil {
		return Schedule{}, fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
	}
	if zone != "" {
		if _, err := loadZone(zone); err != nil {
			return Schedule{}, fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
		s.TimeZone = zone
	}
	return s.Canonical(), nil
}

func parseScheduleWords(words []string) (Schedule, error) {
	switch first := words[0]; {
	case first == "every":
		return parseEvery(words[1:])
	case first == "hourly":
		return parseEvery(append([]string{"1h"}, words[1:]...))
	case strings.HasPrefix(first, "tz=") || strings.HasPrefix(first, "cron_tz="):
		return Schedule{}, errors.New("the time zone has a key of its own: time_zone: Europe/Rome")
	case strings.HasPrefix(first, "@") || isCronStart(first):
		line := strings.Join(words, " ")
		_, err := parseCron(line)
		return Schedule{Cron: []string{line}}, err
	default:
		return parseDaysAt(words)
	}
}

// looksLikeZone tells "Europe/Rome" from the crontab field "MON/2".
func looksLikeZone(word string) bool {
	area, place, found := strings.Cut(word, "/")
	upper := func(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }
	return word == "UTC" || found && upper(area) && upper(place)
}

func isCronStart(word string) bool {
	return strings.ContainsRune("0123456789*?", rune(word[0])) && !strings.Contains(word, ":") ||
		word[0] == '-'
}

func parseEvery(words []string) (Schedule, error) {
	if len(words) != 1 && (len(words) != 3 || words[1] != "offset") {
		return Schedule{}, errors.New("takes one duration: every 2h, or: every 6h offset 20m; for times of day: daily at 18:00")
	}
	every, err := scheduleDuration(words[0])
	if err != nil {
		return Schedule{}, err
	}
	s := Schedule{Every: every}
	if len(words) == 3 {
		if s.Offset, err = scheduleDuration(words[2]); err != nil {
			return Schedule{}, err
		}
	}
	if wrong := s.checkEvery(); len(wrong) > 0 {
		return Schedule{}, errors.New(wrong[0])
	}
	return s, nil
}

func parseDaysAt(words []string) (Schedule, error) {
	at := slices.Index(words, "at")
	if at < 0 {
		return Schedule{}, errors.New(`neither words nor a cron line; for example: every 2h · daily at 18:00, 22:30 · mon,thu at 18:00 · "30 1 * * *"`)
	}
	days, err := parseDays(strings.Join(words[:at], ","))
	if err != nil {
		return Schedule{}, err
	}
	times, err := parseTimes(words[at+1:])
	return Schedule{Days: days, At: times}, err
}

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
	near := harvest.Nearest(text, append(append(long, dayNames()...), "daily", "weekdays", "weekends"))
	if near != "" {
		return 0, fmt.Errorf("%q is no day; did you mean %s?", text, near)
	}
	return 0, fmt.Errorf("%q is no day: mon tue wed thu fri sat sun, daily, weekdays or weekends", text)
}

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
