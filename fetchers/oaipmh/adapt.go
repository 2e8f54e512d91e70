package oaipmh

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
)

const (
	kindRecord = "record"
	textXML    = "text/xml"
	// maxReject bounds the bytes kept of a record that could not be read.
	maxReject = 64 << 10
	// maxFound rejects of a response are looked up as they came: each look goes
	// over all of it.
	maxFound = 100
	// decoding is part of every hash: raised when the same record gives other
	// fields than before, so that reading all once more brings them.
	decoding = "oaipmh 1"
)

// adapter turns the records of one response into documents.
type adapter struct {
	standing wire.Standing
	ans      response
	naming   naming
	// stamps is the span of the response's datestamps, once it was asked for.
	stamps *span
	// bodies holds the documents' bodies, one after another.
	bodies []byte
	sum    hash.Hash
	// names and values are of the record in work, values one after another in
	// text up to ends.
	names []string
	text  []byte
	ends  []int
	order []int
	// found counts the rejects whose bytes were looked for as they came.
	found int
}

func newAdapter(ans response, n naming) *adapter {
	return &adapter{standing: ans.Standing(), ans: ans, naming: n, sum: sha256.New()}
}

// documents adapts records. Two with one id are one document: the later wins,
// since a store takes an id once a page.
func (a *adapter) documents(records []wire.Record) (docs []harvest.Document, rejects []harvest.Reject) {
	docs = make([]harvest.Document, 0, len(records))
	places := make(map[string]int, len(records))
	size := 0
	for i := range records {
		size += len(records[i].Raw) + 256
	}
	a.bodies = make([]byte, 0, size)
	for i := range records {
		r := &records[i]
		var d harvest.Document
		if r.Err == nil {
			r.Err = harvest.Guard(func() (err error) {
				d, err = a.document(r)
				return err
			})
		}
		at, twice := places[r.ID]
		switch {
		case r.Err != nil:
			rejects = append(rejects, a.reject(r))
		case twice:
			docs[at] = d
		default:
			places[r.ID] = len(docs)
			docs = append(docs, d)
		}
	}
	return docs, rejects
}

// document adapts one record. Neither the datestamp nor what stands around the
// record is in its hash: a repository that stamps all its records anew has
// changed none.
func (a *adapter) document(r *wire.Record) (harvest.Document, error) {
	stamp, _ := parseTime(r.Datestamp)
	d := harvest.Document{ID: a.naming.document(r.ID), Kind: kindRecord, Published: stamp}
	if r.Deleted {
		d.Deleted, d.Hash = true, a.hash(nil, nil, nil)
		return d, nil
	}
	from := len(a.bodies)
	a.bodies = a.standing.Append(a.bodies, r)
	d.Body, d.MediaType = a.bodies[from:len(a.bodies):len(a.bodies)], textXML
	if d.Fields = a.fields(r); len(a.names) > wire.MaxFields {
		return d, fmt.Errorf("its metadata has more than %d elements", wire.MaxFields)
	}
	d.Title, d.URL = first(d.Fields["title"], ""), first(d.Fields["identifier"], "http")
	d.Hash = a.hash(r.Sets, r.Metadata, r.About)
	return d, nil
}

func first(list any, prefix string) string {
	values, _ := list.([]string)
	for _, v := range values {
		if prefix == "" || strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://") {
			return v
		}
	}
	return ""
}

// fields are the header and, of Dublin Core, every element as a list.
func (a *adapter) fields(r *wire.Record) map[string]any {
	a.names, a.ends, a.text = a.names[:0], a.ends[:0], a.text[:0]
	wire.DublinCore(r.Metadata, func(name string, value []byte) {
		a.names, a.text = append(a.names, name), append(a.text, value...)
		a.ends = append(a.ends, len(a.text))
	})
	f := make(map[string]any, min(len(a.names)+2, 14))
	a.lists(f)
	if r.Datestamp != "" {
		f["datestamp"] = r.Datestamp
	}
	if len(r.Sets) > 0 {
		f["sets"] = r.Sets
	}
	return f
}

// lists gathers the values by name. They share one text and one array: a record
// is kept or dropped as a whole.
func (a *adapter) lists(f map[string]any) {
	text, all := string(a.text), make([]string, 0, len(a.names))
	order := a.byName()
	for from := 0; from < len(order); {
		name, first := a.names[order[from]], len(all)
		for ; from < len(order) && a.names[order[from]] == name; from++ {
			begin := 0
			if i := order[from]; i > 0 {
				begin = a.ends[i-1]
			}
			all = append(all, text[begin:a.ends[order[from]]])
		}
		f[name] = all[first:len(all):len(all)]
	}
}

// byName returns the places of the values, those of a name together and in their
// order.
func (a *adapter) byName() []int {
	a.order = a.order[:0]
	for i := range a.names {
		a.order = append(a.order, i)
	}
	slices.SortStableFunc(a.order, func(i, j int) int { return strings.Compare(a.names[i], a.names[j]) })
	return a.order
}

// hash is over what makes two versions of a record differ.
func (a *adapter) hash(sets []string, parts ...[]byte) string {
	if !slices.IsSorted(sets) {
		sets = slices.Sorted(slices.Values(sets))
	}
	var head [256]byte
	b := append(head[:0], decoding...)
	for _, s := range sets {
		b = append(append(b, 0), s...)
	}
	for _, p := range parts {
		b = append(strconv.AppendInt(append(b, 0, 0), int64(len(p)), 10), 0)
	}
	a.sum.Reset()
	a.sum.Write(b) // a hash never fails
	for _, p := range parts {
		a.sum.Write(p) // the same
	}
	var digest [sha256.Size]byte
	var text [len("sha256:") + 2*sha256.Size]byte
	copy(text[:], "sha256:")
	hex.Encode(text[len("sha256:"):], a.sum.Sum(digest[:0]))
	return string(text[:])
}

func (a *adapter) reject(r *wire.Record) harvest.Reject {
	raw := a.origin(r)
	return harvest.Reject{
		ID: a.naming.document(r.ID), Reason: r.Err.Error(), Bytes: bytes.Clone(raw[:min(len(raw), maxReject)]), Where: a.where(r).String(),
	}
}

// origin finds a record in the body as it came: it is the same one in the count
// of its tag, whatever was repaired in between.
func (a *adapter) origin(r *wire.Record) []byte {
	if a.found++; len(a.ans.text) == len(a.ans.Body) || a.found > maxFound {
		return r.Raw
	}
	mark := r.Raw[:max(0, bytes.IndexAny(r.Raw, " >/\t\r\n"))]
	at := bytes.Index(a.ans.text, r.Raw)
	if len(mark) < 2 || at < 0 {
		return r.Raw
	}
	rest := a.ans.Body
	for n := bytes.Count(a.ans.text[:at], mark); ; n-- {
		i := bytes.Index(rest, mark)
		if i < 0 {
			return r.Raw
		}
		if rest = rest[i:]; n == 0 {
			break
		}
		rest = rest[len(mark):]
	}
	if next := bytes.Index(rest[len(mark):], mark); next >= 0 {
		return bytes.TrimSpace(rest[:len(mark)+next])
	}
	return bytes.TrimSpace(rest[:min(len(rest), len(r.Raw)+maxReject/4)])
}
