package dates

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// months by the beginnings of their names, in the languages of Europe.
const months = "jan gen ene ian янв січ ιαν sty led led oca tammi;" +
	"feb fev fév фев лют φεβ lut úno uno şub sub helmi;" +
	"mar mär maerz mrz mrt maart már мар бер μαρ marz bře bre maalis;" +
	"apr abr avr ápr апр кві απρ kwi dub nis huhti;" +
	"may mag mai mei maj máj май мая тра μαι μαϊ kvě kve touko;" +
	"jun giu juin jún iun июн чер ιουν cze červ cerv čvn haz kesä kesa;" +
	"jul lug juil júl iul июл лип ιουλ lip červenc cervenc čvc tem heinä heina;" +
	"aug ago aoû aou avg авг сер αυγ αύγ sie srp ağu agu elo;" +
	"sep set szep сен вер σεπ wrz zář zar eyl syys;" +
	"oct ott okt out окт жов οκτ paź paz říj rij eki loka;" +
	"nov noi ноя лис νοε νοέ lis kas marras;" +
	"dec dic dez déc des дек гру δεκ gru pro ara joulu"

// Month returns the number of the month that word begins like the name of, 0
// where it is none. Names are known in some twenty languages, by three letters.
func Month(word string) int {
	word = strings.ToLower(strings.TrimRight(word, "."))
	found, longest := 0, 0
	number := 0
	for names := range strings.SplitSeq(months, ";") {
		number++
		for name := range strings.FieldsSeq(names) {
			if len(name) > longest && strings.HasPrefix(word, name) {
				found, longest = number, len(name)
			}
		}
	}
	return found
}

const fillers = " de di del dell dell' of the at um uhr ore alle à le el den der dnia kl kl. h hrs hrs. hours heures heure on om o år г г. года р. r. róku roku god. klo a las às a's och und e y "

func isFiller(word string) bool {
	if len(word) > 1 { // a zone may be called A
		word = strings.ToLower(word)
	}
	return strings.Contains(fillers, " "+word+" ") || word == "-" || word == "|" || word == "." || word == "–"
}

var (
	slashed = regexp.MustCompile(`^(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4}|\d{2})\.?$`)
	joined  = regexp.MustCompile(`^(\d{1,2})[-/.](\pL{3,})\.?[-/.](\d{4}|\d{2})$`)
	yearly  = regexp.MustCompile(`^(\d{4})[-/.](\pL{3,})\.?[-/.](\d{1,2})$`)
	ordinal = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th|er|º|°|ª|\.)$`)
	digits  = regexp.MustCompile(`^'?\d{1,4}$`)
)

// words reads what is left without the time: a date, and behind it a zone.
func (r *reading) words(words []string) bool {
	var zone []string
	seen := false // a day or a year
	for i, w := range words {
		switch m := Month(w); {
		case r.digits(w):
			seen = true
		case m > 0 && !r.whole(): // the last one counts: mar may be a day of the week
			r.month = m
		case isFiller(w):
		case i == 0 && !seen && isWord(w): // the name of a day in whatever language
		case r.whole():
			zone = append(zone, w)
		case zoneBeforeYear(w): // Sun May  3 07:30:00 CEST 2026
			zone = append(zone, w)
		default:
			return false
		}
	}
	r.zone = strings.Join(zone, " ")
	return r.whole()
}

func (r *reading) whole() bool { return r.year > 0 && r.month > 0 && r.day > 0 }

// digits takes a day, a year or a whole date.
func (r *reading) digits(w string) bool {
	if m := slashed.FindStringSubmatch(w); m != nil && !r.whole() {
		r.day, r.month, r.year = number(m[1]), number(m[3]), year(m[4])
		r.numeric = m[2] == "/" || number(m[3]) > 12
		return true
	}
	if m := joined.FindStringSubmatch(w); m != nil && Month(m[2]) > 0 {
		r.day, r.month, r.year = number(m[1]), Month(m[2]), year(m[3])
		return true
	}
	if m := yearly.FindStringSubmatch(w); m != nil && Month(m[2]) > 0 {
		r.year, r.month, r.day = number(m[1]), Month(m[2]), number(m[3])
		return true
	}
	if len(w) == 5 { // 2026. május 3.
		w = strings.TrimSuffix(w, ".")
	}
	if m := ordinal.FindStringSubmatch(w); m != nil && r.day == 0 {
		r.day = number(m[1])
		return true
	}
	return digits.MatchString(w) && r.single(strings.TrimPrefix(w, "'"))
}

// single takes a number that stands alone: the year has four digits, or comes
// after the day.
func (r *reading) single(w string) bool {
	switch {
	case len(w) == 4 && r.year == 0:
		r.year = number(w)
	case len(w) > 2:
		return false
	case r.day == 0:
		r.day = number(w)
	case r.year == 0 && len(w) == 2:
		r.year = year(w)
	case r.hour == 0 && r.minute == 0: // 3 May 2026 07 +0200
		r.hour = number(w)
	default:
		return number(w) == 0 // some write 00 for the zone
	}
	return true
}

// year of two digits is within fifty years or so of now, as in RFC 2822.
func year(w string) int {
	n := number(w)
	switch {
	case len(w) > 2:
		return n
	case n < 69:
		return 2000 + n
	}
	return 1900 + n
}

func isWord(w string) bool {
	w = strings.Trim(w, ".:")
	return utf8.RuneCountInString(w) > 1 && strings.IndexFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && c != '-' && c != '\'' && c != '’' }) < 0
}
