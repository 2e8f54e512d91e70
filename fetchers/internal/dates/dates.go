// Package dates reads dates and time zones as sources write them: one reading for
// all fetchers.
package dates

import (
	"regexp"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// Date is a moment as a source wrote it.
type Date struct {
	// At is in UTC. A text without a zone is read in the zone the caller names.
	At time.Time
	// Unknown is the zone that was written and that nobody knows; At is then as if
	// it were UTC, and the caller has to say so.
	Unknown string
}

const maxLength = 150

var (
	comments  = regexp.MustCompile(`\(([^()]*)\)`)
	countless = regexp.MustCompile(`^(\d{4})(?:-(\d{1,2}))?$`)
	isoDay    = regexp.MustCompile(`^(?:\pL+\.?,? )?(\d{4})(?:-(\d{1,2})-(\d{1,2})|/(\d{1,2})/(\d{1,2})|\.(\d{1,2})\.(\d{1,2})\.?)(?:\D|$)`)
	basicDay  = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?)?(Z|[+-]\d{2}:?\d{2})?$`)
	eastern   = regexp.MustCompile(`(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일号號]?`)
)

// Read reads text: the forms of RFC 822 with comments, of RFC 3339 and W3C-DTF,
// and those of people, with 12-hour clocks, day before month, and the months of
// the languages of Europe. A date with slashes has the month first where it says
// AM or PM or names a zone that is no European one. Impossible dates (31/02) and
// years outside of 2 to 9999 are no dates.
func Read(text string) (Date, bool) { return ReadIn(text, time.UTC) }

// ReadIn is Read for a source whose times without a zone are those of a place.
func ReadIn(text string, place *time.Location) (Date, bool) {
	if len(text) > maxLength {
		return Date{}, false
	}
	r := reading{place: place}
	text = r.withoutComments(strings.Join(strings.Fields(text), " "))
	if !r.wholly(text) && !r.inParts(text) {
		return Date{}, false
	}
	return r.date()
}

// reading is what was found of one date so far.
type reading struct {
	place *time.Location
	// comment is what stood in parentheses: a zone, perhaps.
	comment          string
	year, month, day int
	clock
	// numeric says that day and month may have to change places: 03/05/2026.
	numeric bool
	zone    string
}

func (r *reading) withoutComments(text string) string {
	for strings.Contains(text, "(") {
		m := comments.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		r.comment = strings.TrimSpace(text[m[2]:m[3]])
		text = text[:m[0]] + " " + text[m[1]:]
	}
	return strings.Trim(strings.Join(strings.Fields(text), " "), " ,;")
}

// wholly reads the forms of digits alone.
func (r *reading) wholly(text string) bool {
	if m := countless.FindStringSubmatch(text); m != nil {
		if r.year, r.month, r.day = number(m[1]), 1, 1; m[2] != "" {
			r.month = number(m[2])
		}
		return true
	}
	m := basicDay.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	r.year, r.month, r.day = number(m[1]), number(m[2]), number(m[3])
	r.hour, r.minute, r.second, r.zone = number(m[4]), number(m[5]), number(m[6]), m[7]
	return true
}

// inParts takes the date, the time and the zone out of text, one after another.
func (r *reading) inParts(text string) bool {
	if m := isoDay.FindStringSubmatch(text); m != nil {
		r.year, r.month, r.day = number(m[1]), number(m[2]+m[4]+m[6]), number(m[3]+m[5]+m[7])
		end := len(strings.TrimRightFunc(m[0], func(c rune) bool { return c < '0' || c > '9' }))
		return r.behind(strings.TrimLeft(text[end:], "T.,: -"), text[end:])
	}
	if m := eastern.FindStringSubmatchIndex(text); m != nil {
		r.year, r.month, r.day = number(text[m[2]:m[3]]), number(text[m[4]:m[5]]), number(text[m[6]:m[7]])
		return r.behind(text[m[1]:], "")
	}
	return r.words(strings.Fields(strings.NewReplacer(",", " ", ";", " ").Replace(r.cutClock(text))))
}

// behind reads what follows a date in digits: a time and a zone.
func (r *reading) behind(rest, whole string) bool {
	if zone := strings.TrimSpace(whole); offset.MatchString(zone) { // 2026-05-03+02:00
		r.zone = zone
		return true
	}
	var zone []string
	for _, w := range strings.Fields(r.cutClock(rest)) {
		if !isFiller(w) {
			zone = append(zone, w)
		}
	}
	r.zone = strings.Join(zone, " ")
	return true
}

// date puts the parts together.
func (r *reading) date() (Date, bool) {
	place, unknown := r.location()
	if r.numeric && (r.month > 12 || r.day <= 12 && r.american(unknown)) {
		r.day, r.month = r.month, r.day
	}
	day := time.Date(r.year, time.Month(r.month), r.day, 0, 0, 0, 0, time.UTC)
	if day.Day() != r.day || int(day.Month()) != r.month || r.year < 2 || !r.possible() {
		return Date{}, false
	}
	at, ok := times.Storable(time.Date(r.year, time.Month(r.month), r.day, r.hour, r.minute, r.second, r.nano, place))
	return Date{At: at, Unknown: unknown}, ok && at.Year() > 1
}

// american reports what is written by those who put the month first.
func (r *reading) american(unknown string) bool {
	return r.twelve || unknown == "" && r.zone != "" && strings.Contains(" EST EDT CST CDT MST MDT PST PDT AKST AKDT HST UT UTC GMT ", " "+r.zone+" ")
}
