package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/fieldjson"
)

// blobFrom is the size from which a body is kept by itself, as a blob.
const blobFrom = 64 << 10

// job is one write or claim on its way: everything that needs no transaction is
// done by the caller's goroutine, beside the one that writes.
type job struct {
	rows.Write
	claim     *rows.Claim // nil: a write
	claimed   rows.Claimed
	documents []document
	packs     []pack
	raw       []rows.RawPage
	size      int   // of packs and raw pages
	bytes     int64 // of the ledger's exchanges
	answer    rows.Written
	done      chan struct{}
}

// document is a document as it is stored.
type document struct {
	harvest.Document
	name      docName
	published any // microseconds, or nil
	fields    string
	hash      []byte
	size      int64
	bodyRef   string
	bodySum   uint32 // where it is not kept under its digest
	body      []byte // where it is kept in the row
	pack      int    // 1 + index of the job's pack, which has fields and body; 0: none
	packAt    int

	// probed says that was is what a reader saw just now, nil for nothing; the
	// transaction checks it again when it writes.
	probed bool
	was    *docState
}

type docName struct{ collection, id string }

// prepareJob hashes and compresses what is new or changed and stores large bodies.
func (s *Store) prepareJob(ctx context.Context, w rows.Write) (*job, error) {
	j := &job{Write: w, done: make(chan struct{})}
	for _, e := range w.Ledger {
		j.bytes += e.Bytes
	}
	for _, p := range w.Raw {
		if len(p.Packed) > 0 {
			j.raw, j.size = append(j.raw, p), j.size+len(p.Packed)
		}
	}
	if w.Page == nil || len(w.Page.Page.Documents) == 0 {
		return j, nil
	}
	j.takeDocuments()
	if len(j.documents) >= probeFrom {
		if err := s.look(ctx, j.documents); err != nil {
			return nil, err
		}
	}
	return j, s.putBodies(ctx, j)
}

// takeDocuments hashes the documents of the page. Of two with one id the last
// one counts.
func (j *job) takeDocuments() {
	list := j.Page.Page.Documents
	last := lastOf(list)
	j.documents = make([]document, 0, len(list))
	for i := range list {
		if last != nil && last[list[i].ID] != i {
			continue
		}
		if err := rows.CheckID(clean(list[i].ID)); err != nil {
			j.reject(&list[i], err)
			continue
		}
		j.documents = append(j.documents, newDocument(&list[i], j.Page.Collection))
	}
}

// reject moves a document that cannot be stored to the page's rejects, so that the
// others are stored. The caller's page is not changed.
func (j *job) reject(d *harvest.Document, why error) {
	page := *j.Page
	page.Page.Rejects = append(slices.Clone(page.Page.Rejects), harvest.Reject{ID: d.ID, Reason: why.Error(), Bytes: d.Body})
	j.Page = &page
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

func newDocument(d *harvest.Document, collection string) document {
	stored := document{Document: *d, hash: packHash(d.Sum()), size: int64(len(d.Body))}
	for _, p := range []*string{&stored.ID, &stored.URL, &stored.Kind, &stored.Title, &stored.Parent, &stored.MediaType} {
		*p = clean(*p)
	}
	stored.name = docName{collection, stored.ID}
	if year := d.Published.UTC().Year(); !d.Published.IsZero() && year >= 1 && year <= 9999 { // else it is not a date
		stored.published = d.Published.UnixMicro()
	}
	return stored
}

// encode encodes the fields of new and changed documents. Documents whose fields are
// not valid JSON become rejects.
func (j *job) encode() {
	kept := 0
	for i := range j.documents {
		d := &j.documents[i]
		if err := d.encode(); err != nil {
			j.reject(&d.Document, err)
			continue
		}
		if kept != i {
			j.documents[kept] = *d
		}
		kept++
	}
	j.documents = j.documents[:kept]
}

func (d *document) encode() error {
	if d.unchanged() || len(d.Fields) == 0 {
		return nil
	}
	fields, err := fieldjson.Append(nil, d.Fields)
	if err != nil {
		return fmt.Errorf("its fields are not JSON: %w", err)
	}
	d.fields = string(fields)
	return nil
}

// look marks what readers see of the documents now.
func (s *Store) look(ctx context.Context, documents []document) error {
	known, err := s.engine.probe(s.reader(ctx), documents)
	if err != nil {
		return err
	}
	for i := range documents {
		documents[i].probed, documents[i].was = true, known[documents[i].name]
	}
	return nil
}

// unchanged reports that a reader saw the very same document.
func (d *document) unchanged() bool {
	if !d.probed || d.was == nil {
		return false
	}
	_, same := compare(d.was, d)
	return same
}

// putBodies encodes what is new or changed and puts bodies where they belong: a
// blob, a pack, or the row.
func (s *Store) putBodies(ctx context.Context, j *job) error {
	p := packer{codec: s.codec}
	j.encode()
	for i := range j.documents {
		d := &j.documents[i]
		body := d.Body
		d.Body = nil
		if d.unchanged() {
			continue
		}
		if err := s.putBody(ctx, &p, d, body, len(j.documents) == 1); err != nil {
			return err
		}
	}
	j.packs = p.finish()
	for i := range j.packs {
		j.size += len(j.packs[i].content)
	}
	return nil
}

func (s *Store) putBody(ctx context.Context, p *packer, d *document, body []byte, alone bool) (err error) {
	switch {
	case len(body) > blobFrom || !utf8.Valid(body):
		d.bodyRef, err = s.putBlob(ctx, body)
		return err
	case len(d.fields)+len(body) < packFrom && alone:
		d.body = body
	default:
		p.add(d, body)
	}
	d.bodySum = bodySum(body)
	return nil
}

// clean makes text that any database takes: valid UTF-8 without NUL.
func clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// row is what of the fields stands in the document's row, and how long they are where
// they stand in its pack.
func (d *document) row() (fields string, packed int) {
	if d.pack == 0 {
		return d.fields, 0
	}
	return "", len(d.fields)
}
