package store

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// blobFrom is the size from which a body is kept in the bucket.
const blobFrom = 64 << 10

// job is one write on its way: everything that needs no transaction is done by
// the caller's goroutine, beside the one that writes.
type job struct {
	rows.Write
	documents []document
	names     []docName
	warnings  []string
	bytes     int64 // of the ledger's exchanges
	answer    rows.Written
	done      chan struct{}
}

// document is a document as it is stored.
type document struct {
	harvest.Document
	published any // microseconds, or nil
	fields    string
	hash      []byte
	body      []byte
	encoding  int
	bodyRef   string
	size      int64
}

type docName struct{ collection, id string }

// prepareJob hashes, compresses and puts large bodies into the bucket.
func (s *Store) prepareJob(ctx context.Context, w rows.Write) (*job, error) {
	j := &job{Write: w, done: make(chan struct{})}
	for _, e := range w.Ledger {
		j.bytes += e.Bytes
	}
	if w.Page == nil {
		return j, nil
	}
	page := &w.Page.Page
	j.warnings = page.Warnings
	last := lastOf(page.Documents)
	j.documents = make([]document, 0, len(page.Documents))
	j.names = make([]docName, 0, len(page.Documents))
	for i := range page.Documents {
		d := &page.Documents[i]
		if last != nil && last[d.ID] != i {
			continue
		}
		stored, err := s.document(ctx, d, w.Page.Blobs[i])
		if err != nil {
			return nil, err
		}
		j.documents = append(j.documents, stored)
		j.names = append(j.names, docName{w.Page.Collection, stored.ID})
	}
	return j, nil
}

// lastOf tells where each id stands for the last time; nil when there is at
// most one document.
func lastOf(documents []harvest.Document) map[string]int {
	if len(documents) < 2 {
		return nil
	}
	last := make(map[string]int, len(documents))
	for i := range documents {
		last[documents[i].ID] = i
	}
	return last
}

func (s *Store) document(ctx context.Context, d *harvest.Document, blob string) (document, error) {
	stored := document{Document: *d, hash: packHash(d.Sum()), bodyRef: blob, size: int64(len(d.Body))}
	for _, p := range []*string{&stored.ID, &stored.URL, &stored.Kind, &stored.Title, &stored.Parent, &stored.MediaType} {
		*p = clean(*p)
	}
	if !d.Published.IsZero() {
		stored.published = d.Published.UnixMicro()
	}
	if len(d.Fields) > 0 {
		fields, err := json.Marshal(d.Fields)
		if err != nil {
			return stored, harvest.Errorf(harvest.KindInternal, "store document", d.ID, "its fields are not JSON: %w", err)
		}
		stored.fields = string(fields)
	}
	return stored, s.place(ctx, &stored)
}

// place puts a body where it belongs: the bucket, or the row.
func (s *Store) place(ctx context.Context, d *document) (err error) {
	switch {
	case d.bodyRef != "":
		if d.size == 0 {
			d.size = s.blobSize(d.bodyRef)
		}
	case len(d.Body) > blobFrom || !utf8.Valid(d.Body):
		d.bodyRef, err = s.PutBlob(ctx, d.Body)
	default:
		d.body, d.encoding = s.codec.pack(d.Body)
	}
	d.Body = nil
	return err
}

func (s *Store) blobSize(digest string) int64 {
	file, err := s.bucket.file(digest)
	if err != nil {
		return 0
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// clean makes text that any database takes: valid UTF-8 without NUL.
func clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
