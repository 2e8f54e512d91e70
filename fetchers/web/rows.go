package web

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// rowsOf reads the records of a list; of two with one id the first is kept, and a
// row of headings is none.
func (r *reading) rowsOf(l *list, nodes []*html.Node, d *dom) {
	seen := map[string]bool{}
	for _, n := range nodes {
		rec := r.record(n, d.base)
		if rec.doc.ID != "" && seen[rec.doc.ID] {
			rec.lacks = append(rec.lacks, fmt.Sprintf("another row of the page has the same id, %s: give fields.id", wording.Clip(rec.doc.ID, 200)))
			rec.doc.ID = "" // it is the other row's
		}
		seen[rec.doc.ID] = true
		if len(rec.lacks) > 0 {
			rec.doc.Body = []byte(outer(n))
		}
		l.rows = append(l.rows, rec)
	}
}

// record reads one row; what cannot be read at all is set aside.
func (r *reading) record(n *html.Node, base *url.URL) (rec record) {
	err := harvest.Guard(func() error { rec = r.extract(n, base, link{}); return nil })
	if err != nil {
		rec = record{lacks: []string{reasonOf(err)}, hits: make([]bool, len(r.fields))}
	}
	return rec
}

// judgeRows looks at a list of rows as a whole.
func (r *reading) judgeRows(l *list, d *dom) error {
	for i := range l.rows {
		r.count(r.cp.Now, l.rows[i].hits)
	}
	if len(l.rows) == 0 {
		return nil
	}
	return r.judge(r.cp.Before, r.cp.Now, d)
}

// takeRows puts the next rows of a list on a page.
func (r *reading) takeRows(l *list, at *place, out *harvest.Page) error {
	end := min(len(l.rows), at.Skip+harvest.MaxPageDocuments)
	fresh := 0
	for i := range l.rows[at.Skip:end] {
		rec := &l.rows[at.Skip+i]
		if len(rec.lacks) > 0 {
			out.Rejects = append(out.Rejects, r.rejectRow(rec, at.URL))
			at.Loss = true
			continue
		}
		e := r.known.get(rec.doc.ID)
		if e != nil && e.age == 0 {
			continue // an earlier page of this walk had it
		}
		fresh++
		r.known.put(rec.doc.ID, entry{flags: flagDocument})
		tell(out, rec)
		if r.req.Window.Contains(rec.doc.Published) {
			out.Documents = append(out.Documents, rec.doc)
			r.unread.meet(rec.doc.ID)
		}
	}
	at.Skip, r.cp.Reads = end, r.cp.Reads+fresh
	r.barren(fresh+len(out.Rejects) > 0 || l.unchanged)
	return nil
}

// barren counts lists in a row that name nothing new.
func (r *reading) barren(named bool) {
	if named {
		r.cp.Barren = 0
	} else {
		r.cp.Barren++
	}
}

const maxOdd = 5

// tell warns of values that were kept as text.
func tell(out *harvest.Page, rec *record) {
	for _, text := range rec.odd {
		if len(out.Warnings) < maxOdd {
			warn(out, "%s: %s: kept as text", rec.doc.ID, text)
		}
	}
}

// rejectRow is a row that could not be read. It is asked for again by its list.
func (r *reading) rejectRow(rec *record, list string) harvest.Reject {
	x := harvest.Reject{
		ID: rec.doc.ID, Reason: strings.Join(rec.lacks, "; "), Bytes: rec.doc.Body[:min(len(rec.doc.Body), answer.MaxEvidence)], Where: onList + list,
	}
	r.unread.meet(nameOf(x))
	return x
}
