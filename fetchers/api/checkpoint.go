package api

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// fresh is how long a walk that was cut goes on where it stood: cursors of most APIs do
// not last, and lists shift.
const fresh = 24 * time.Hour

// checkpoint is where an item goes on.
type checkpoint struct {
	// Made is the fingerprint of the params it was made with.
	Made string `json:"made,omitempty"`
	// Cursor is the highest value up to which everything was read.
	Cursor any `json:"cursor,omitempty"`
	// ETag, LastModified and Listed are of a list of one page that was read whole.
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	Listed       int    `json:"listed,omitempty"`
	// Always are the fields that every record of the last walk had.
	Always []string `json:"always,omitempty"`
	// Hashes are of the pages of a whole list, Seen of records at the end of what was
	// asked for by Cursor: what comes again as it was is known.
	Hashes []string `json:"hashes,omitempty"`
	Seen   []string `json:"seen,omitempty"`
	// Walk is a way through the pages that is not at its end.
	Walk *walk `json:"walk,omitempty"`
}

// walk is a way through the pages, from a start.
type walk struct {
	// Start is the value that is asked for, "" for everything; Began is when, in Unix
	// seconds; High is the highest value met.
	Start string `json:"start,omitempty"`
	Began int64  `json:"began"`
	High  any    `json:"high,omitempty"`
	// At is the next page, of which Skip documents have been yielded.
	At   place `json:"at"`
	Skip int   `json:"skip,omitempty"`
	// Pages and Read count what came, Fresh what was not known.
	Pages int `json:"pages,omitempty"`
	Read  int `json:"read,omitempty"`
	// Last is the digest of the page before.
	Last string `json:"last,omitempty"`
	// Hashes and Seen are those of this walk.
	Hashes []string `json:"hashes,omitempty"`
	Seen   []string `json:"seen,omitempty"`
	// Again: everything is read, whatever is known.
	Again bool `json:"again,omitempty"`
	// Found are the fields that every record so far has.
	Found []string `json:"found,omitempty"`
}

// place is a page: an address, a cursor, or a number.
type place struct {
	URL    string `json:"url,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	N      int    `json:"n,omitempty"`
}

func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read(raw, checkpoint.sound) }

func (c checkpoint) sound() bool {
	w := c.Walk
	return c.Listed >= 0 && plain(c.Cursor) && (w == nil || w.Skip >= 0 && w.Pages >= 0 && w.Read >= 0 && w.At.N >= 0 && plain(w.High))
}

// plain reports a value that a cursor can be.
func plain(v any) bool {
	switch v.(type) {
	case nil, string, float64, int64:
		return true
	}
	return false
}

func (c checkpoint) holds(made string) bool { return c.Made == made }

// restore reads a checkpoint; one of other params is as none, and so is a walk that is
// too old, or leaves out what this fetch is to read.
func restore(req harvest.Request, made string, now time.Time) checkpoint {
	c := readCheckpoint(req.Checkpoint)
	if !c.holds(made) {
		c = checkpoint{Made: made}
	}
	c.Cursor = whole64(c.Cursor)
	if w := c.Walk; w != nil {
		w.High = whole64(w.High)
		old := now.Sub(time.Unix(w.Began, 0)) > fresh || now.Unix() < w.Began
		if old || req.ForceRefresh && !w.Again || !req.Window.IsZero() {
			c.Walk = nil
		}
	}
	return c
}

// whole64 undoes what JSON makes of whole numbers.
func whole64(v any) any {
	if f, ok := v.(float64); ok && f == float64(int64(f)) {
		return int64(f)
	}
	return v
}

// maxHashes and maxSeen bound what is remembered of pages and records.
const (
	maxHashes = 2000
	maxSeen   = 500
)

// short is a short digest of a document with its content.
func short(d *harvest.Document) string {
	h := fnv.New64a()
	h.Write([]byte(d.ID + "\n" + d.Sum())) // a hash never fails
	return strconv.FormatUint(h.Sum64()>>20, 36)
}

// remember adds what a page had.
func (w *walk) remember(all []string, whole, newestFirst bool) {
	switch {
	case whole && len(w.Hashes) == w.Pages && w.Pages < maxHashes:
		w.Hashes = append(w.Hashes, harvest.Digest([]byte(strings.Join(all, " ")))[len("sha256:"):][:16])
	case !whole && newestFirst:
		w.Seen = append(w.Seen, all...)[:min(len(w.Seen)+len(all), maxSeen)]
	case !whole:
		w.Seen = append(w.Seen, all...)
		w.Seen = slices.Clone(w.Seen[max(0, len(w.Seen)-maxSeen):])
	}
}

// where is how a record of this walk can be asked for again.
func (w *walk) where() string { return w.Start }

// keep notes which fields all records so far have.
func (w *walk) keep(fields []field, of *report) {
	if of.read == 0 {
		return
	}
	var all []string
	for _, f := range fields {
		if of.found[f.name] == of.read && (w.Read == 0 || slices.Contains(w.Found, f.name)) {
			all = append(all, f.name)
		}
	}
	w.Found = all
}

// Continues is harvest.Continuer.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	return continues.Check(raw, before, now, Params.made, readCheckpoint(raw).holds, "everything is asked for once more")
}

// digest is a short digest of the ids of a page.
func digest(ids map[string]bool) string {
	list := make([]string, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	slices.Sort(list)
	return harvest.Digest([]byte(strings.Join(list, "\n")))[len("sha256:"):][:16]
}
