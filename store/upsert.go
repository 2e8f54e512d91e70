package store

import (
	"bytes"

	"github.com/vendemmia/vendemmia/harvest"
)

// What a change did; the numbers are stored.
const (
	opNew     = 0
	opChanged = 1
	opDeleted = 2
)

// opWord is the word of the change feed for a stored number.
func opWord(op int) string { return [...]string{"new", "changed", "deleted"}[op] }

// docState is the current version of a stored document.
type docState struct {
	number    int64
	version   int
	deleted   bool
	firstSeen int64
	hash      []byte
}

// probeFrom is the number of documents of a page from which a reader looks for
// them before the transaction; fewer are looked for inside it, together with
// those of other pages.
const probeFrom = 4

const probeColumns = `d.id, d.number, d.version, d.deleted, d.first_seen, d.hash`

// probe finds documents of one page or of many; unknown ones are left out.
func probe(q querier, documents []document) (map[docName]*docState, error) {
	ids := map[string][]string{}
	for i := range documents {
		name := documents[i].name
		ids[name.collection] = append(ids[name.collection], name.id)
	}
	known := make(map[docName]*docState, len(documents))
	for collection, list := range ids {
		scan := func(s scanner) (none struct{}, err error) {
			name, d := docName{collection: collection}, &docState{}
			err = s.Scan(&name.id, &d.number, &d.version, &d.deleted, &d.firstSeen, &d.hash)
			known[name] = d
			return none, err
		}
		_, err := collect(q, scan, `SELECT `+probeColumns+` FROM json_each(?) j CROSS JOIN documents d ON d.collection = ? AND d.id = j.value`, text(list), collection)
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// loadDocuments looks for what no reader has looked for.
func (b *batchWriter) loadDocuments(batch []*job) (err error) {
	var unknown []document
	for _, j := range batch {
		if len(j.documents) > 0 && !j.documents[0].probed {
			unknown = append(unknown, j.documents...)
		}
	}
	b.known, err = probe(b.t, unknown)
	return err
}

// upsert stores what is new or changed and counts the rest. live is by how many
// the documents of the item grew.
func (b *batchWriter) upsert(j *job, item int64, tally *harvest.Tally) (live int64, err error) {
	j.resetPacks()
	for i := range j.documents {
		d := &j.documents[i]
		was := d.was
		if !d.probed {
			was = b.known[d.name]
		}
		grew, err := b.upsertOne(j, item, d, was, tally)
		if err != nil {
			return live, err
		}
		live += grew
	}
	return live, b.settlePacks(j)
}

// upsertOne compares with what is thought to be stored and writes on condition
// that it is; else it looks again.
func (b *batchWriter) upsertOne(j *job, item int64, d *document, was *docState, tally *harvest.Tally) (grew int64, err error) {
	for {
		op, grew, same := compare(was, d)
		if same {
			tally.Same++
			return 0, nil
		}
		now := b.next(d, was, micros(j.At))
		ok, err := b.point(d.name, was, now)
		if err != nil {
			return 0, err
		}
		if ok {
			count(tally, op)
			return grew, b.append(j, item, d, was, now, op)
		}
		b.change--
		known, err := probe(b.t, []document{*d})
		if err != nil {
			return 0, err
		}
		was = known[d.name]
	}
}

func count(tally *harvest.Tally, op int) {
	switch op {
	case opNew:
		tally.New++
	case opChanged:
		tally.Changed++
	default:
		tally.Deleted++
	}
}

// compare says what storing a document does. A tombstone is a change only the
// first time, whatever it carries.
func compare(was *docState, d *document) (op int, grew int64, same bool) {
	switch {
	case was == nil && d.Deleted:
		return opDeleted, 0, false
	case was == nil:
		return opNew, 1, false
	case was.deleted && d.Deleted:
		return opDeleted, 0, true
	case d.Deleted:
		return opDeleted, -1, false
	case was.deleted:
		return opChanged, 1, false
	default:
		return opChanged, 0, bytes.Equal(was.hash, d.hash)
	}
}

// next is the version that follows, under the next change number.
func (b *batchWriter) next(d *document, was *docState, at int64) *docState {
	b.change++
	now := &docState{number: b.change, version: 1, deleted: d.Deleted, firstSeen: at, hash: d.hash}
	if was != nil {
		now.version, now.firstSeen = was.version+1, was.firstSeen
	}
	return now
}

// point makes a version the current one, if the one before is as it was thought
// to be.
func (b *batchWriter) point(name docName, was, now *docState) (bool, error) {
	var n int64
	var err error
	if was == nil {
		n, err = b.t.exec(`INSERT INTO documents (collection, id, number, version, deleted, first_seen, hash) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			name.collection, name.id, now.number, now.version, now.deleted, now.firstSeen, now.hash)
	} else {
		n, err = b.t.exec(`UPDATE documents SET number = ?, version = ?, deleted = ?, hash = ? WHERE collection = ? AND id = ? AND number = ?`,
			now.number, now.version, now.deleted, now.hash, name.collection, name.id, was.number)
	}
	return n == 1, err
}

// append stores the version itself.
func (b *batchWriter) append(j *job, item int64, d *document, was, now *docState, op int) error {
	before := int64(0)
	if was != nil {
		before = was.number
	}
	pack, err := b.packID(j, d)
	if err != nil {
		return err
	}
	_, err = b.t.exec(`INSERT INTO versions (number, item, run, at, op, version, before, first_seen, published, size, pack, pack_at,
		collection, id, kind, url, title, parent, media_type, hash, body_ref, fields, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		now.number, item, j.Run, micros(j.At), op, now.version, before, now.firstSeen, d.published, d.size, pack, d.packAt,
		d.name.collection, d.name.id, d.Kind, d.URL, d.Title, d.Parent, d.MediaType, d.hash, d.bodyRef, d.fields, d.body)
	if !d.probed {
		b.known[d.name] = now
	}
	return err
}
