package dates

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // names of zones mean the same wherever the program runs
)

// abbreviations and their offsets in minutes. Where two places use one, it is the
// one that writes it more: CST is in America, IST in India, BST in Britain.
var abbreviations = map[string]int{
	"Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "UCT": 0, "ZULU": 0, "00": 0, "0000": 0,
	"WEST": 60, "BST": 60, "CET": 60, "MEZ": 60, "MET": 60, "WAT": 60, "CEST": 120, "CEDT": 120, "MESZ": 120, "MEST": 120, "EET": 120, "OEZ": 120,
	"SAST": 120, "CAT": 120, "EEST": 180, "OESZ": 180, "MSK": 180, "EAT": 180, "IDT": 180, "TRT": 180, "MSD": 240, "GST": 240, "AZT": 240,
	"IRST": 210, "AFT": 270, "PKT": 300, "UZT": 300, "YEKT": 300, "IST": 330, "NPT": 345, "BDT": 360, "ICT": 420, "WIB": 420, "HKT": 480, "SGT": 480, "MYT": 480,
	"PHT": 480, "WITA": 480, "AWST": 480, "JST": 540, "KST": 540, "WIT": 540, "ACST": 570, "AEST": 600, "ACDT": 630, "AEDT": 660, "NZST": 720, "NZDT": 780,
	"NDT": -150, "NST": -210, "BRST": -120, "BRT": -180, "ART": -180, "ADT": -180, "CLST": -180, "UYT": -180, "AST": -240, "CLT": -240, "VET": -240, "BOT": -240,
	"EDT": -240, "EST": -300, "CDT": -300, "COT": -300, "PET": -300, "ECT": -300, "CST": -360, "MDT": -360, "MST": -420, "PDT": -420, "PST": -480, "AKDT": -480,
	"AKST": -540, "HST": -600, "SST": -660,
}

// spelled are zones by the name that JavaScript and Windows write.
var spelled = map[string]string{
	"coordinated universal time": "UTC", "greenwich mean time": "GMT", "british summer time": "BST", "western european time": "WET",
	"central european time": "CET", "central european standard time": "CET", "central european summer time": "CEST", "eastern european time": "EET",
	"eastern european standard time": "EET", "eastern european summer time": "EEST", "moscow standard time": "MSK", "eastern standard time": "EST",
	"eastern daylight time": "EDT", "central standard time": "CST", "central daylight time": "CDT", "mountain standard time": "MST",
	"mountain daylight time": "MDT", "pacific standard time": "PST", "pacific daylight time": "PDT", "india standard time": "IST",
	"japan standard time": "JST", "ora italiana": "Europe/Rome", "heure de paris": "Europe/Paris",
}

var (
	offset  = regexp.MustCompile(`^[A-Z]{0,5} ?([+-]|−|--)(\d{1,2})(?::?(\d{2}))?(?::\d{2})?$`)
	iana    = regexp.MustCompile(`^[A-Za-z]+(?:/[A-Za-z0-9_+-]+){1,2}$`)
	aZone   = regexp.MustCompile(`^(?:[A-Z]{1,5}|[A-Z]{3}[+-]\d{1,2}:?\d{0,2}|[+-]\d{1,2}:?\d{2})$`)
	withAll = regexp.MustCompile(`^(\S+) (\S+)$`)
)

func zoneBeforeYear(w string) bool { return aZone.MatchString(w) || iana.MatchString(w) }

// location is where the time is one of, and the zone's name where nobody knows it.
func (r *reading) location() (place *time.Location, unknown string) {
	if r.zone == "" {
		if place, ok := Zone(r.comment); ok && r.comment != "" {
			return place, ""
		}
		return r.place, ""
	}
	if place, ok := Zone(r.zone); ok {
		return place, ""
	}
	return time.UTC, r.zone
}

// Zone returns the zone of that name: an offset, an abbreviation, a place of the
// time zone database, or an offset beside a name, which it outranks. What is none
// of these is not known, and not UTC.
func Zone(name string) (*time.Location, bool) {
	name = strings.Trim(name, " ,.;[]")
	if place, ok := simple(name); ok {
		return place, true
	}
	if m := withAll.FindStringSubmatch(name); m != nil { // MST -0700, -0700 MST
		return either(m[1], m[2])
	}
	return nil, false
}

func either(a, b string) (*time.Location, bool) {
	for _, part := range []string{a, b} {
		if place, ok := byOffset(part); ok {
			return place, true
		}
	}
	place, ok := simple(a)
	_, too := simple(b)
	return place, ok && too
}

func simple(name string) (*time.Location, bool) {
	if place, ok := byOffset(name); ok {
		return place, true
	}
	if minutes, ok := abbreviations[strings.ToUpper(name)]; ok {
		return time.FixedZone("", minutes*60), true
	}
	if same, ok := spelled[strings.ToLower(name)]; ok {
		return simple(same)
	}
	if !iana.MatchString(name) {
		return nil, false
	}
	place, err := time.LoadLocation(name)
	return place, err == nil
}

// byOffset reads +0200, +02:00, +2, GMT+2. No place on earth is more than fourteen
// hours away.
func byOffset(text string) (*time.Location, bool) {
	m := offset.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	hours, minutes := number(m[2]), number(m[3])
	if hours > 14 || minutes > 59 {
		return nil, false
	}
	seconds := hours*3600 + minutes*60
	if m[1] != "+" {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), true
}

// Settle mends a time that time.Parse made of a layout with a zone's name: Go
// makes up an offset of zero for every name it does not know.
func Settle(t time.Time) (at time.Time, unknown string) {
	name, offset := t.Zone()
	if offset != 0 || t.Location() == time.UTC || name == "" {
		return t.UTC(), ""
	}
	place, ok := Zone(name)
	if !ok {
		return t.UTC(), name
	}
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), place).UTC(), ""
}
