package harvest

import (
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// normalizeDates converts the dates of the page's documents to UTC. It removes dates
// that cannot be stored, with a warning.
func (p *Page) normalizeDates() {
	dropped, first := 0, ""
	for i := range p.Documents {
		d := &p.Documents[i]
		at, ok := times.Storable(d.Published)
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
