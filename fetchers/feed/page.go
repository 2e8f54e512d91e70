package feed

import (
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// page is one HTTP document on its way to one or more pages of the contract.
type page struct {
	// key is the address it is asked for by, hash the digest of its body.
	key, hash string
	docs      []harvest.Document
	rejects   []harvest.Reject
	warnings  []string
	listed    int
	// fresh counts documents this fetch has not seen on an earlier page.
	fresh   int
	partial bool
	// failed pages did not come.
	failed bool
	// next is the page with older entries, "" when there is none.
	next string
}

func (p *page) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

func (p *page) fill(doc document, a adapter) {
	if doc.cut {
		p.partial = true
		p.warn("the document breaks off after %d entries: its end is missing", len(doc.records))
	}
	if doc.over {
		p.partial = true
		p.warn("the document lists more than %d entries: the others are left", maxRecords)
	}
	docs, rejects, warnings := a.documents(doc)
	p.docs, p.rejects, p.listed = docs, rejects, len(doc.records)
	p.warnings = append(p.warnings, warnings...)
	if next := a.absolute(line(doc.Next)); isHTTP(next) && len(next) <= answer.MaxAddress {
		p.next = next
	}
}

// sound pages may be skipped when they come again; others are to be seen again. A
// record that cannot be read is the same when its page comes again: the store
// keeps it.
func (p *page) sound() bool { return !p.partial && p.listed > 0 }

// meets reports whether an entry of the page is known.
func (p *page) meets(known []string) bool {
	return len(known) > 0 && slices.ContainsFunc(p.docs, func(d harvest.Document) bool {
		return slices.Contains(known, shorten(d.ID))
	})
}

// allBefore reports a page that lies before a moment with all its dated entries.
func (p *page) allBefore(from time.Time) bool {
	dated := 0
	for _, d := range p.docs {
		if d.Published.IsZero() {
			continue
		}
		if dated++; !d.Published.Before(from) {
			return false
		}
	}
	return dated > 0 && !from.IsZero()
}
