package oaipmh

import (
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
)

// where is how a record that could not be read is asked for again: by its
// identifier, else among the records of a span of datestamps.
type where struct {
	id string
	span
}

// String writes it for harvest.Reject.Where; "" where nothing is known.
func (w where) String() string {
	q := url.Values{}
	if w.id != "" {
		q.Set("identifier", w.id)
	}
	if !w.From.IsZero() && !w.Until.IsZero() {
		q.Set("from", w.From.Format(time.RFC3339))
		q.Set("until", w.Until.Format(time.RFC3339))
	}
	return q.Encode()
}

// readWhere is String backwards; false where there is nothing to ask for.
func readWhere(text string) (w where, ok bool) {
	q, err := url.ParseQuery(text)
	if err != nil {
		return w, false
	}
	from, okFrom := parseTime(q.Get("from"))
	until, okUntil := parseTime(q.Get("until"))
	if w.id = q.Get("identifier"); okFrom && okUntil {
		w.From, w.Until = from, until
	}
	return w, w.id != "" || w.dated()
}

// where says how to ask for a record of the response again. One without a
// datestamp lies among the others.
func (a *adapter) where(r *wire.Record) where {
	if t, ok := parseTime(r.Datestamp); ok {
		return where{id: r.ID, span: span{From: t, Until: t}}
	}
	if a.stamps == nil {
		s := stampsOf(a.ans.Records)
		a.stamps = &s
	}
	return where{id: r.ID, span: *a.stamps}
}

// stampsOf is the span of the records' datestamps.
func stampsOf(records []wire.Record) (s span) {
	for i := range records {
		t, ok := parseTime(records[i].Datestamp)
		if !ok {
			continue
		}
		if s.From.IsZero() || t.Before(s.From) {
			s.From = t
		}
		if t.After(s.Until) {
			s.Until = t
		}
	}
	return s
}
