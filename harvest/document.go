package harvest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/internal/fieldjson"
)

// Document is one record, article or other thing that was fetched. Collection and ID
// identify it; ID is the source's own, never a position in a list.
type Document struct {
	ID        string
	URL       string
	Kind      string // record, entry, act, article …
	Title     string
	Published time.Time
	// Deleted marks a tombstone: the source deleted the document. Body and fields are empty.
	Deleted bool
	// Parent is the ID of the document this one belongs to.
	Parent    string
	MediaType string
	// Fields are extracted values: strings, numbers, booleans, and lists and maps of
	// them.
	Fields map[string]any
	Body   []byte
	// Hash is the digest of the content. If it is empty, Sum computes it. A fetcher sets
	// it if parts of the content change without a change of meaning.
	Hash string
}

// Sum returns Hash if set, else "sha256:…" over everything but ID and Hash. Equal content
// has equal sums on every platform. Stores hold sums: a change here makes every document
// look changed.
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

// fieldBytes writes the fields with sorted keys; nil and an empty map are equal.
func (d *Document) fieldBytes() []byte {
	if len(d.Fields) == 0 {
		return nil
	}
	b, err := fieldjson.Append(nil, d.Fields)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}

// part writes the length before the bytes, so that different lists of parts differ.
func part(h hash.Hash, b []byte) {
	io.WriteString(h, strconv.Itoa(len(b))+":") // a hash never fails
	h.Write(b)
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Digest returns "sha256:" and 64 hexadecimal digits.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Fingerprint returns a short digest of v as JSON; the order of map keys does not
// matter.
func Fingerprint(v any) (string, error) {
	b, err := json.Marshal(v) // sorts the keys of maps
	if err != nil {
		return "", fmt.Errorf("fingerprint: %w", err)
	}
	return Digest(b)[len("sha256:"):][:16], nil
}
