package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// records are what data_selector finds: the elements of a list, or each value. known is
// false where it finds nothing at all.
func (p *plan) records(root any) (list []any, known bool) {
	found := p.data.all(root)
	if len(found) == 1 {
		switch v := found[0].(type) {
		case []any:
			return v, true
		case nil:
			return nil, p.Absent
		case string:
			return nil, v == "" && p.Format == "xml" // an element without any in it
		}
	}
	return found, len(found) > 0 || p.Absent || p.data.many
}

// id is a record's, "" where it has none.
func (p *plan) id(record any) string {
	switch v := p.key.one(record).(type) {
	case string, int64, float64:
		text := strings.TrimSpace(textOf(v))
		if text == "" || len(text) > maxID {
			return ""
		}
		return p.IDPrefix + text
	default:
		return ""
	}
}

// maxID bounds an id.
const maxID = 2000

// maxRejected is how much is kept of a record that cannot be read.
const maxRejected = 16 << 10

// document reads one record.
func (p *plan) document(record any) (d harvest.Document, err error) {
	d = harvest.Document{ID: p.id(record), Kind: p.Kind}
	if d.Kind == "" {
		d.Kind = "record"
	}
	switch {
	case d.ID == "":
		return d, fmt.Errorf("primary_key %s finds no id", p.PrimaryKey)
	case p.deleted.yes(record):
		d.Deleted = true
		return d, nil
	}
	if len(p.fields) == 0 {
		d.Fields = whole(record)
		return d, nil
	}
	d.Fields = map[string]any{}
	for _, f := range p.fields {
		if err := p.set(&d, f.name, f.at.value(record)); err != nil {
			return d, err
		}
	}
	return d, nil
}

func whole(record any) map[string]any {
	if m, ok := record.(map[string]any); ok {
		return m
	}
	return map[string]any{"value": record}
}

// set gives a document one field; nil is none.
func (p *plan) set(d *harvest.Document, name string, v any) (err error) {
	if v == nil {
		return nil
	}
	switch name {
	case "title":
		d.Title = strings.Join(strings.Fields(joined(v)), " ")
	case "url":
		d.URL = joined(v)
	case "parent":
		d.Parent = p.IDPrefix + joined(v)
	case "body":
		d.Body, d.MediaType = []byte(textOf(v)), p.BodyType
		if d.MediaType == "" {
			d.MediaType = "text/plain"
		}
	case "published":
		d.Published, err = p.date(v)
	default:
		d.Fields[name] = v
	}
	return err
}

// joined is a text; of a list the first.
func joined(v any) string {
	if l, ok := v.([]any); ok {
		if len(l) == 0 {
			return ""
		}
		v = l[0]
	}
	return textOf(v)
}

func (p *plan) date(v any) (time.Time, error) {
	if l, ok := v.([]any); ok && len(l) > 0 {
		v = l[0]
	}
	if v == "" {
		return time.Time{}, nil
	}
	at, ok := p.moment(v)
	if !ok {
		return at, fmt.Errorf("published %.60q is not a date", textOf(v))
	}
	return at, nil
}

// report is what one answer brings.
type report struct {
	documents []harvest.Document
	rejects   []harvest.Reject
	// same are known or came before; twice is an id that two records have.
	same  int
	twice string
	ids   map[string]bool
	// found counts in how many of the read records each field is.
	found map[string]int
	read  int
	high  any
}

// adapt reads the records of an answer; what lies before the start, where the API is not
// asked for it, is known.
func (r *reading) adapt(records []any) *report {
	of := &report{found: map[string]int{}, high: r.walk.High, ids: map[string]bool{}}
	for _, record := range records {
		grown := r.plan.grows.one(record)
		if r.old(grown) {
			of.same++
			continue
		}
		r.one(of, record)
		of.high = r.plan.higher(of.high, grown)
	}
	return of
}

// one reads a record. One that the page before had too was moved there by what is new
// in front of it.
func (r *reading) one(of *report, record any) {
	var d harvest.Document
	err := harvest.Guard(func() (err error) {
		d, err = r.plan.document(record)
		return err
	})
	for _, f := range r.plan.fields {
		if f.at.one(record) != nil {
			of.found[f.name]++
		}
	}
	of.read++
	switch {
	case err != nil:
		raw, _ := json.Marshal(record) // it was read from JSON
		of.rejects = append(of.rejects, harvest.Reject{
			ID: d.ID, Reason: reason(err), Bytes: slices.Clone(raw[:min(len(raw), maxRejected)]), Where: r.walk.where(),
		})
	case of.ids[d.ID]:
		of.same++
		of.twice = d.ID
	case r.before[d.ID]:
		of.same++
	default:
		of.documents = append(of.documents, d)
	}
	of.ids[d.ID] = true
}

func reason(err error) string {
	if e, ok := errors.AsType[*harvest.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
