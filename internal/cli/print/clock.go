package print

import (
	"regexp"
	"time"
)

// Clock writes moments in one zone, relative to one now.
type Clock struct {
	Now  func() time.Time
	Zone *time.Location
}

// In returns t in the clock's zone.
func (c Clock) In(t time.Time) time.Time { return t.In(c.Zone) }

// Full writes "Sun 3 May 18:00 CEST", with the year when it is another one.
func (c Clock) Full(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return c.In(t).Format("Mon " + c.date(t) + " 15:04 MST")
}

// Day writes "3 May 18:00", with the year when it is another one.
func (c Clock) Day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return c.In(t).Format(c.date(t) + " 15:04")
}

// Near writes "18:00" for today and Day otherwise.
func (c Clock) Near(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	y, m, d := c.In(t).Date()
	if ty, tm, td := c.In(c.Now()).Date(); y == ty && m == tm && d == td {
		return c.In(t).Format("15:04")
	}
	return c.Day(t)
}

// NearZone writes Near with the zone, for a sentence that names none.
func (c Clock) NearZone(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return c.Near(t) + c.In(t).Format(" MST")
}

// Time writes "18:00:07".
func (c Clock) Time(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return c.In(t).Format("15:04:05")
}

// ZoneName returns the zone's name now: for the heads of columns.
func (c Clock) ZoneName() string { return c.In(c.Now()).Format("MST") }

// Ago writes how long ago t was: "3m14s ago", or "-".
func (c Clock) Ago(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return Duration(c.Now().Sub(t)) + " ago"
}

func (c Clock) date(t time.Time) string {
	if c.In(t).Year() == c.In(c.Now()).Year() {
		return "2 Jan"
	}
	return "2 Jan 2006"
}

// stored is a moment as sentences in the store have it, which every reader reads
// in a zone of their own.
const stored = "2 Jan 2006, 15:04 UTC"

var storedMoment = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} \d{4}, \d{2}:\d{2} UTC\b`)

// Local writes the moments of a stored sentence in the clock's zone.
func (c Clock) Local(sentence string) string {
	return storedMoment.ReplaceAllStringFunc(sentence, func(text string) string {
		t, err := time.Parse(stored, text)
		if err != nil {
			return text
		}
		return c.Full(t)
	})
}
