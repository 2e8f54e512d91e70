package web

import (
	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// rowsOf reads the records of a list; of two with one id the first is kept, and a
// row of headings is none.
func (r *reading) rowsOf(l *list, nodes []*html.Node, d *dom) {
	seen := map[string]bool{}
	for _, n := range nodes {
		rec := r.extract(n, d.base, link{})
		if rec.doc.ID != "" && seen[rec.doc.ID] {
			rec.lacks = append(rec.lacks, "another row of the page has the same id: give fields.id")
		}
		seen[rec.doc.ID] = true
		if len(rec.lacks) > 0 {
			rec.doc.Body = []byte(outer(n))
		}
		l.rows = append(l.rows, rec)
	}
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
			out.Rejects = append(out.Rejects, reject(rec, rec.doc.Body))
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
		}
	}
	out.Listed += fresh + len(out.Rejects)
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

func reject(rec *record, raw []byte) harvest.Reject {
	reason := ""
	for i, text := range rec.lacks {
		if i > 0 {
			reason += "; "
		}
		reason += text
	}
	return harvest.Reject{ID: rec.doc.ID, Reason: reason, Bytes: raw[:min(len(raw), answer.MaxEvidence)]}
}
