package exec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/fetchers/internal/dates"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// document is one that a program of ours wrote.
func (m *message) document() (d harvest.Document, err error) {
	w := m.Document
	if w.Kind == "" {
		w.Kind = "record"
	}
	d = harvest.Document{
		ID: w.ID, Kind: w.Kind, Title: w.Title, URL: w.URL, Deleted: w.Deleted, Parent: w.Parent, MediaType: w.MediaType, Fields: w.Fields,
	}
	if d.ID == "" {
		return d, errors.New("it has no id")
	}
	if w.Deleted {
		return harvest.Document{ID: d.ID, Kind: d.Kind, Deleted: true}, nil
	}
	if w.Body != "" {
		d.Body = []byte(w.Body)
	}
	return d, date(&d, w.Published)
}

func date(d *harvest.Document, text string) error {
	if text == "" {
		return nil
	}
	read, ok := dates.Read(text)
	at, storable := times.Storable(read.At)
	if !ok || !storable {
		return fmt.Errorf("its date %.60q is none", text)
	}
	d.Published = at
	return nil
}

// record is a record of a stream as a document; keys are the members that are its id.
func (p Params) record(stream string, raw json.RawMessage, keys []string) (d harvest.Document, err error) {
	fields, err := object(raw)
	d.Kind = stream
	if err != nil {
		return d, err
	}
	if len(p.PrimaryKey) > 0 && len(keys) == 0 {
		keys = p.PrimaryKey
	}
	if d.ID, err = idOf(stream, fields, keys, raw); err != nil {
		return d, err
	}
	if gone := text(fields["_sdc_deleted_at"]); gone != "" {
		d.Deleted = true
		return d, nil
	}
	d.Fields, d.Title, d.URL = fields, strings.Join(strings.Fields(text(fields[p.Title])), " "), text(fields[p.Link])
	return d, date(&d, text(fields[p.Published]))
}

func object(raw json.RawMessage) (map[string]any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var fields map[string]any
	if d.Decode(&fields) != nil || fields == nil {
		return nil, errors.New("it is not a map of names and values")
	}
	return plain(fields).(map[string]any), nil
}

// plain turns numbers into those that documents have; one that fits into none stays a
// text.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return f
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

// idOf is the stream and the values of the keys; of a record without keys its digest.
func idOf(stream string, fields map[string]any, keys []string, raw json.RawMessage) (string, error) {
	id := stream
	for _, key := range keys {
		value := text(fields[key])
		if value == "" {
			return "", fmt.Errorf("it has no %s, which is its key", key)
		}
		id += "/" + value
	}
	if len(keys) == 0 {
		id += "/" + strings.TrimPrefix(harvest.Digest(raw), "sha256:")[:16]
	}
	return id, nil
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return string(asJSON(v))
	}
}
