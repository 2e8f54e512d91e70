package rows

import (
	"time"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
)

// Line is a document as one line of JSON, as `fetchers try`, `documents export` and
// `documents changes` print it. Empty members are omitted.
type Line struct {
	ID        string         `json:"id"`
	Fetcher   string         `json:"fetcher,omitempty"`
	URL       string         `json:"url,omitempty"`
	Kind      string         `json:"kind,omitempty"`
	Title     string         `json:"title,omitempty"`
	Published time.Time      `json:"published,omitzero"`
	Deleted   bool           `json:"deleted,omitempty"`
	Parent    string         `json:"parent,omitempty"`
	Hash      string         `json:"hash,omitempty"`
	MediaType string         `json:"media_type,omitempty"`
	Fields    map[string]any `json:"fields,omitempty"`
	Body      string         `json:"body,omitempty"`
	BodyRef   string         `json:"body_ref,omitempty"`
}

// NewLine returns the line of d, fetched by the named fetcher. A body that is not UTF-8
// is represented by its digest.
func NewLine(fetcher string, d *harvest.Document) Line {
	l := Line{
		ID: d.ID, Fetcher: fetcher, URL: d.URL, Kind: d.Kind, Title: d.Title, Published: d.Published,
		Deleted: d.Deleted, Parent: d.Parent, Hash: d.Sum(), MediaType: d.MediaType, Fields: d.Fields,
	}
	if utf8.Valid(d.Body) {
		l.Body = string(d.Body)
	} else {
		l.BodyRef = harvest.Digest(d.Body)
	}
	return l
}
