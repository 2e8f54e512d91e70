package harvest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"
	"unicode/utf8"
)

// Document is one acquired thing. Its identity is (collection, ID); ID is the
// source's own, never a position.
type Document struct {
	ID        string
	URL       string
	Kind      string // record, entry, act, article …
	Title     string
	Published time.Time
	// Deleted makes the document a tombstone; body and fields are then empty.
	Deleted bool
	// Parent is the ID of the document this one belongs to.
	Parent    string
	MediaType string
	// Fields hold what was extracted: strings, numbers, booleans, and lists and
	// maps of them.
	Fields map[string]any
	Body   []byte
	// Hash is the content's digest; empty: Sum is used. A fetcher sets it where
	// parts of the content change without meaning anything.
	Hash string
}

// MaxID bounds an id, in bytes, in all stores alike. PostgreSQL has ids in indexes,
// whose rows end at 2,704 bytes, with a collection and more beside them; and an id
// of a thousand bytes is hardly one.
const MaxID = 1024

// CheckID says why an id cannot be kept; nil for one that can.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("the record has no id")
	case len(id) > MaxID:
		return fmt.Errorf("its id has %d bytes, more than the 1,024 that a store keeps", len(id))
	default:
		return nil
	}
}

// Sum returns "sha256:…" over what makes two versions differ: everything but
// ID and Hash. Equal content gives equal sums on every platform.
func (d *Document) Sum() string {
	if d.Hash != "" {
		return d.Hash
	}
	h := sha256.New()
	for _, s := range []string{d.URL, d.Kind, d.Title, d.Parent, d.MediaType, stamp(d.Published), strconv.FormatBool(d.Deleted)} {
		part(h, []byte(s))
	}
	part(h, d.fieldBytes())
	part(h, d.Body)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// fieldBytes writes the fields with sorted keys; none and an empty map are one.
func (d *Document) fieldBytes() []byte {
	if len(d.Fields) == 0 {
		return nil
	}
	b, err := AppendFields(nil, d.Fields)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}

// part writes length and bytes, so that no two lists of parts read alike.
func part(h hash.Hash, b []byte) {
	io.WriteString(h, strconv.Itoa(len(b))+":") //nolint:errcheck // a hash never fails
	h.Write(b)
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Line is a document as one line of JSON: the form of `fetchers try`,
// `documents export` and `documents changes`. Empty members are left out.
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

// NewLine writes d as fetched by the named fetcher. A body that is not text
// appears as its digest only.
func NewLine(fetcher string, d *Document) Line {
	l := Line{
		ID: d.ID, Fetcher: fetcher, URL: d.URL, Kind: d.Kind, Title: d.Title, Published: d.Published,
		Deleted: d.Deleted, Parent: d.Parent, Hash: d.Sum(), MediaType: d.MediaType, Fields: d.Fields,
	}
	if utf8.Valid(d.Body) {
		l.Body = string(d.Body)
	} else {
		l.BodyRef = Digest(d.Body)
	}
	return l
}

// Digest names bytes: "sha256:" and 64 hexadecimal digits.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
