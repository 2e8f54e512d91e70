package campaigns

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/internal/times"
)

// ParseSchedule reads a schedule written as words or as a crontab line:
//
//	every 2h · every 6h offset 20m · hourly
//	daily at 18:00, 22:30 · mon,thu at 18:00 · mon-fri at 9:30 · weekdays at 07:00
//	30 1 * * * · @daily · 0 0 17 6 * on wed
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
	merged := Schedule{TimeZone: all[0].TimeZone, Days: all[0].cronDays()}
	for _, s := range all {
		switch {
		case s.Every > 0:
			return Schedule{}, fmt.Errorf("%q cannot stand in a list; only times and cron lines can", s.String())
		case s.TimeZone != merged.TimeZone:
			return Schedule{}, errors.New("the lines of a list share one time zone; say it once, as time_zone")
		case !slices.Equal(s.cronDays(), merged.Days):
			return Schedule{}, errors.New("the crontab lines of a list share the days behind `on`; say them once, as days")
		}
		merged.Cron = append(merged.Cron, s.cronLines()...)
	}
	return merged.Canonical(), nil
}

// cronDays are the days that crontab lines are restricted to.
func (s Schedule) cronDays() []string {
	if len(s.Cron) == 0 {
		return nil
	}
	return s.Days
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
		return parseCronOn(words)
	default:
		return parseDaysAt(words)
	}
}

// parseCronOn reads a crontab line, and the days that it is restricted to.
func parseCronOn(words []string) (s Schedule, err error) {
	if on := slices.Index(words, "on"); on > 0 {
		if s.Days, err = parseDays(strings.Join(words[on+1:], ",")); err != nil {
			return s, err
		}
		words = words[:on]
	}
	s.Cron = []string{strings.Join(words, " ")}
	_, err = parseCron(s.Cron[0])
	return s, err
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
	every, err := times.ParseDuration(words[0])
	if err != nil {
		return Schedule{}, err
	}
	s := Schedule{Every: every}
	if len(words) == 3 {
		if s.Offset, err = times.ParseDuration(words[2]); err != nil {
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
	clocks, err := parseTimes(words[at+1:])
	return Schedule{Days: days, At: clocks}, err
}
