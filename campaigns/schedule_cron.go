package campaigns

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// cronLine is a crontab line as sets of bits, Sunday being 0.
type cronLine struct {
	minute, hour, day, month, weekday uint64
	// dayStar, weekdayStar: the field starts with *. A day must satisfy either field,
	// instead of both, only if neither does (crontab(5)).
	dayStar, weekdayStar bool
}

// cronField is the range of one of the five fields.
type cronField struct {
	name   string
	lo, hi int
	names  []string // names[i] is lo+i
}

func cronFields() []cronField {
	return []cronField{
		{name: "minute", lo: 0, hi: 59},
		{name: "hour", lo: 0, hi: 23},
		{name: "day of month", lo: 1, hi: 31},
		{name: "month", lo: 1, hi: 12, names: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
		{name: "day of week", lo: 0, hi: 7, names: strings.Fields("sun mon tue wed thu fri sat")},
	}
}

// parseCron reads five fields or a name like @daily, by the rules of Vixie's
// cron: lists, ranges, steps, names, 7 for Sunday.
func parseCron(line string) (cronLine, error) {
	line = strings.ToLower(strings.TrimSpace(line))
	if strings.HasPrefix(line, "@") {
		expanded, err := expandMacro(line)
		if err != nil {
			return cronLine{}, err
		}
		line = expanded
	}
	texts := strings.Fields(line)
	if len(texts) != 5 {
		return cronLine{}, fmt.Errorf("a cron line has five fields (minute hour day-of-month month day-of-week), this one has %d; for example: 30 1 * * *", len(texts))
	}
	var sets [5]uint64
	for i, f := range cronFields() {
		set, err := f.parse(texts[i])
		if err != nil {
			return cronLine{}, fmt.Errorf("%s %q: %w", f.name, texts[i], err)
		}
		sets[i] = set
	}
	if sets[4]&(1<<7) != 0 {
		sets[4] = sets[4]&^(1<<7) | 1
	}
	return cronLine{
		minute: sets[0], hour: sets[1], day: sets[2], month: sets[3], weekday: sets[4],
		dayStar: texts[2][0] == '*', weekdayStar: texts[4][0] == '*',
	}, nil
}

func expandMacro(name string) (string, error) {
	switch name {
	case "@yearly", "@annually":
		return "0 0 1 1 *", nil
	case "@monthly":
		return "0 0 1 * *", nil
	case "@weekly":
		return "0 0 * * 0", nil
	case "@daily", "@midnight":
		return "0 0 * * *", nil
	case "@hourly":
		return "0 * * * *", nil
	case "@reboot":
		return "", errors.New("there is no boot to wait for; for a run now: starter trigger")
	}
	if every, found := strings.CutPrefix(name, "@every"); found {
		return "", fmt.Errorf("write it without the @: every%s", every)
	}
	return "", errors.New("there are @hourly @daily @midnight @weekly @monthly @yearly @annually")
}

func (f cronField) parse(text string) (uint64, error) {
	var set uint64
	for part := range strings.SplitSeq(text, ",") {
		got, err := f.parsePart(part)
		if err != nil {
			return 0, err
		}
		set |= got
	}
	return set, nil
}

func (f cronField) parsePart(part string) (uint64, error) {
	span, stepText, stepped := strings.Cut(part, "/")
	step := 1
	if stepped {
		n, err := strconv.ParseUint(stepText, 10, 8)
		if err != nil || n == 0 {
			return 0, fmt.Errorf("the step %q must be a number from 1 up: */5", stepText)
		}
		step = int(n)
	}
	lo, hi, err := f.span(span, stepped)
	if err != nil {
		return 0, err
	}
	var set uint64
	for v := lo; v <= hi; v += step {
		set |= 1 << v
	}
	return set, nil
}

// span reads *, 5, 1-5 or mon-fri; "5/10" goes on to the end of the range.
func (f cronField) span(text string, stepped bool) (lo, hi int, err error) {
	if text == "*" {
		return f.lo, f.top(), nil
	}
	from, to, isRange := strings.Cut(text, "-")
	if lo, err = f.value(from); err != nil {
		return 0, 0, err
	}
	switch {
	case isRange:
		hi, err = f.value(to)
		if to == "sun" {
			hi = 7
		}
	case stepped && lo > f.top():
		return 0, 0, fmt.Errorf("%s/…: after %s, Sunday, the week has no more days to step to; write %s alone, or */2 for every second day", text, text, text)
	case stepped:
		hi = f.top()
	default:
		hi = lo
	}
	if err == nil && hi < lo {
		err = fmt.Errorf("the range %s ends before it begins; write it as two: %s-%d,%d-%s", text, from, f.top(), f.lo, to)
	}
	return lo, hi, err
}

// top is the last value of *: Sunday counts once.
func (f cronField) top() int {
	if f.hi == 7 {
		return 6
	}
	return f.hi
}

func (f cronField) value(text string) (int, error) {
	for i, name := range f.names {
		if text == name {
			return f.lo + i, nil
		}
	}
	n, err := strconv.ParseUint(text, 10, 8)
	if err == nil && int(n) >= f.lo && int(n) <= f.hi {
		return int(n), nil
	}
	if letters := strings.Trim(text, "0123456789"); strings.ContainsAny(text, "?#") || letters == "l" || letters == "w" || letters == "lw" {
		return 0, fmt.Errorf("%q: ? # L and W are not of crontab; write numbers, names, lists, ranges and steps", text)
	}
	if len(f.names) > 0 {
		return 0, fmt.Errorf("%q: must be %d to %d, or %s", text, f.lo, f.hi, strings.Join(f.names, " "))
	}
	return 0, fmt.Errorf("%q: must be %d to %d", text, f.lo, f.hi)
}

// full sets, for what a calendar does not restrict.
func fullDays() uint64     { return 1<<32 - 2 }
func fullMonths() uint64   { return 1<<13 - 2 }
func fullWeekdays() uint64 { return 1<<7 - 1 }

// calendars translates to calendars whose fields must all match: two of them
// where the line means OR.
func (c cronLine) calendars() []calendarBits {
	all := calendarBits{minute: c.minute, hour: c.hour, day: c.day, month: c.month, weekday: c.weekday}
	if c.dayStar || c.weekdayStar {
		return []calendarBits{all}
	}
	byDay, byWeekday := all, all
	byDay.weekday, byWeekday.day = fullWeekdays(), fullDays()
	return []calendarBits{byDay, byWeekday}
}

// calendarBits is a Calendar as sets of bits.
type calendarBits struct{ minute, hour, day, month, weekday uint64 }

// ranges writes a set as few ranges: one with a step where it is even, else
// runs of neighbours.
func ranges(set uint64) []Range {
	if r, ok := even(set); ok {
		return []Range{r}
	}
	var out []Range
	for v := 0; v < 64; v++ {
		if set&(1<<v) == 0 {
			continue
		}
		end := v
		for end < 63 && set&(1<<(end+1)) != 0 {
			end++
		}
		out = append(out, Range{Start: v, End: end, Step: 1})
		v = end
	}
	return out
}

// even finds start, end and step of a set of three or more evenly spaced values.
func even(set uint64) (Range, bool) {
	if bits.OnesCount64(set) < 3 {
		return Range{}, false
	}
	start, end := bits.TrailingZeros64(set), 63-bits.LeadingZeros64(set)
	step := bits.TrailingZeros64(set&^(1<<start)) - start
	var same uint64
	for v := start; v <= end; v += step {
		same |= 1 << v
	}
	return Range{Start: start, End: end, Step: step}, same == set
}
