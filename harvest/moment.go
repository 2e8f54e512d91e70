package harvest

import (
	"fmt"
	"time"
)

// Moment returns t in UTC, and whether its year there lies between 1 and 9999.
// JSON and the stores hold no other: a date outside of these years is no date.
func Moment(t time.Time) (time.Time, bool) {
	t = t.UTC()
	return t, t.Year() >= 1 && t.Year() <= 9999
}

// settleDates brings the dates of the page's documents to UTC. Dates that no
// store could list again are left out, with a warning.
func (p *Page) settleDates() {
	dropped, first := 0, ""
	for i := range p.Documents {
		d := &p.Documents[i]
		at, ok := Moment(d.Published)
		if d.Published = at; ok {
			continue
		}
		if d.Published, dropped = (time.Time{}), dropped+1; first == "" {
			first = d.ID
		}
	}
	if dropped > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("dates outside of the years 1 to 9999 left out: %d, the first of %s", dropped, first))
	}
}
