package feed

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// months by their first letters, in the languages of Europe that print them in
// feeds: English, Italian, French, Spanish, German, Portuguese.
const months = "jan gen ene;feb fev fév;mar mär maerz;apr abr avr;may mag mai;jun giu juin;jul lug juil;aug ago aoû aou;" +
	"sep set;oct ott okt out;nov;dec dic dez déc"

var (
	wordyDate  = regexp.MustCompile(`^(?:\pL+\.?,?\s+)?(\d{1,2})[. ]\s*(?:de |di )?(\pL+)\.?,?\s+(?:de )?(\d{4})(?:[ ,T]+(?:\pL+ )?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?)?\s*(.*)$`)
	dayFirst   = regexp.MustCompile(`^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[ ,T]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?)?\s*(.*)$`)
	zoneOffset = regexp.MustCompile(`^(?:GMT|UTC)?\s*([+-])(\d{2}):?(\d{2})$`)
	whiteSpace = regexp.MustCompile(`\s+`)
)

const maxDate = 100

// parseDate reads what gofeed could not: other languages' month names and days
// before months. An impossible date (31/02) is not one.
func parseDate(text string) (time.Time, bool) {
	if len(text) > maxDate {
		return time.Time{}, false
	}
	text = whiteSpace.ReplaceAllString(strings.TrimSpace(text), " ")
	if m := wordyDate.FindStringSubmatch(text); m != nil {
		return assemble(m[1], monthOf(m[2]), m[3:])
	}
	if m := dayFirst.FindStringSubmatch(text); m != nil {
		month, _ := strconv.Atoi(m[2])
		return assemble(m[1], month, m[3:])
	}
	return time.Time{}, false
}

func monthOf(word string) int {
	word = strings.ToLower(word)
	for i, names := range strings.Split(months, ";") {
		for _, name := range strings.Fields(names) {
			if strings.HasPrefix(word, name) {
				return i + 1
			}
		}
	}
	return 0
}

// assemble makes a time of rest: year, hour, minute, second, zone.
func assemble(day string, month int, rest []string) (time.Time, bool) {
	var n [5]int
	for i, s := range []string{day, rest[0], rest[1], rest[2], rest[3]} {
		n[i], _ = strconv.Atoi(s) // absent is 0
	}
	zone, ok := zoneOf(rest[4])
	t := time.Date(n[1], time.Month(month), n[0], n[2], n[3], n[4], 0, zone)
	same := t.Day() == n[0] && t.Month() == time.Month(month) && t.Hour() == n[2] && t.Minute() == n[3]
	if !ok || month == 0 || !same {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// zoneOf reads an offset; none is UTC, a name that is not UTC's is not guessed.
func zoneOf(text string) (*time.Location, bool) {
	switch text {
	case "", "Z", "GMT", "UTC", "UT":
		return time.UTC, true
	case "CET", "MEZ":
		return time.FixedZone("", 3600), true
	case "CEST", "MESZ":
		return time.FixedZone("", 7200), true
	}
	m := zoneOffset.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	hours, _ := strconv.Atoi(m[2])
	minutes, _ := strconv.Atoi(m[3])
	seconds := hours*3600 + minutes*60
	if m[1] == "-" {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), true
}
