package dates

import (
	"regexp"
	"strconv"
	"strings"
)

// clock is a time of the day.
type clock struct {
	hour, minute, second, nano int
	// twelve says that AM or PM stood behind it.
	twelve bool
}

const halves = `(?: ?([ap])\.? ?m\b\.?)`

var (
	colons = regexp.MustCompile(`(?i)(?:^|[^\d:+−-])(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,:](\d{1,9}))?)?` + halves + `?`)
	dots   = regexp.MustCompile(`(?i)(?:^|[ T,])(\d{1,2})\.(\d{2})(?:\.(\d{2}))?()` + halves + `?(?:[^\d.]|$)`)
	letter = regexp.MustCompile(`(?i)(?:^|[ T,])(\d{1,2}) ?(?:h|uhr) ?(\d{2})?()()()\b`)
	bare   = regexp.MustCompile(`(?i)(?:^|[ T,])(\d{1,2})()()()(?:` + halves + `|(?: uhr\b| h\b))`)
)

// cutClock takes the time of the day out of text.
func (c *clock) cutClock(text string) (rest string) {
	for _, form := range []*regexp.Regexp{colons, dots, letter, bare} {
		m := form.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		c.hour, c.minute, c.second = number(part(1)), number(part(2)), number(part(3))
		c.nano = number((part(4) + "000000000")[:9])
		c.half(part(5))
		return strings.TrimSuffix(text[:m[2]], "T") + " " + c.tail(text, m)
	}
	return text
}

// tail is what follows the time. The sign that ended it belongs to it.
func (c *clock) tail(text string, m []int) string {
	end := m[2]
	for i := 2; i < len(m); i += 2 {
		end = max(end, m[i+1])
	}
	rest := strings.TrimLeft(text[end:], ".:")
	if c.twelve { // the m of p.m.
		rest = strings.TrimLeft(strings.TrimLeft(rest, " ."), "mM")
		rest = strings.TrimLeft(rest, ".")
	}
	return rest
}

func (c *clock) half(letter string) {
	switch strings.ToLower(letter) {
	case "a":
		c.twelve = true
		if c.hour == 12 {
			c.hour = 0
		}
	case "p":
		c.twelve = true
		if c.hour < 12 {
			c.hour += 12
		}
	}
}

// possible reports a time that clocks show; 24:00 and leap seconds are some.
func (c *clock) possible() bool {
	return c.hour < 24 && c.minute < 60 && c.second <= 60 || c.hour == 24 && c.minute == 0 && c.second == 0
}

// number reads digits; none are 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
