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

// opWords are the words of the change feed, by number.
func opWord(op int) string { return [...]string{"new", "changed", "deleted"}[op] }

// docState is the current version of a stored document.
type docState struct {
	number    int64
	version   int
	deleted   bool
	firstSeen int64
	hash      []byte
}

// probeFrom is the number of documents from which one statement looks for all
// of them.
const probeFrom = 4

// loadDocuments finds out which documents of a batch are known.
func (b *batchWriter) loadDocuments(batch []*job) error {
	ids := map[string][]string{}
	n := 0
	for _, j := range batch {
		for _, name := range j.names {
			ids[name.collection] = append(ids[name.collection], name.id)
			n++
		}
	}
	b.known = make(map[docName]*docState, n)
	for collection, list := range ids {
		if err := b.probe(collection, list); err != nil {
			return err
		}
	}
	return nil
}

func (b *batchWriter) probe(collection string, ids []string) error {
	const columns = `d.id, d.number, d.version, d.deleted, d.first_seen, d.hash`
	scan := func(s scanner) (struct{}, error) {
		var id string
		var d docState
		err := s.Scan(&id, &d.number, &d.version, &d.deleted, &d.firstSeen, &d.hash)
		b.known[docName{collection, id}] = &d
		return struct{}{}, err
	}
	if len(ids) >= probeFrom {
		_, err := collect(b.t, scan, `SELECT `+columns+` FROM json_each(?) j CROSS JOIN documents d ON d.collection = ? AND d.id = j.value`, text(ids), collection)
		return err
	}
	for _, id := range ids {
		if _, err := collect(b.t, scan, `SELECT `+columns+` FROM documents d WHERE d.collection = ? AND d.id = ?`, collection, id); err != nil {
			return err
		}
	}
	return nil
}

// upsert stores what is new or changed and counts the rest. live is by how many
// the documents of the item grew.
func (b *batchWriter) upsert(j *job, item int64, tally *harvest.Tally) (live int64, err error) {
	for i := range j.documents {
		d, name := &j.documents[i], j.names[i]
		was := b.known[name]
		op, grew, same := compare(was, d)
		live += grew
		if same {
			tally.Same++
			continue
		}
		switch op {
		case opNew:
			tally.New++
		case opChanged:
			tally.Changed++
		case opDeleted:
			tally.Deleted++
		}
		if err := b.store(j, item, name, d, was, op); err != nil {
			return live, err
		}
	}
	return live, nil
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

// store appends a version and points the document at it.
func (b *batchWriter) store(j *job, item int64, name docName, d *document, was *docState, op int) error {
	b.change++
	at := micros(j.At)
	now := &docState{number: b.change, version: 1, deleted: d.Deleted, firstSeen: at, hash: d.hash}
	before := int64(0)
	if was != nil {
		now.version, now.firstSeen, before = was.version+1, was.firstSeen, was.number
	}
	_, err := b.t.exec(`INSERT INTO versions (number, item, run, at, op, version, before, first_seen, published, size, encoding,
		collection, id, kind, url, title, parent, media_type, hash, body_ref, fields, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		now.number, item, j.Run, at, op, now.version, before, now.firstSeen, d.published, d.size, d.encoding,
		name.collection, name.id, d.Kind, d.URL, d.Title, d.Parent, d.MediaType, d.hash, d.bodyRef, d.fields, d.body)
	if err != nil {
		return err
	}
	b.known[name] = now
	if was == nil {
		_, err = b.t.exec(`INSERT INTO documents (collection, id, number, version, deleted, first_seen, hash) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			name.collection, name.id, now.number, now.version, now.deleted, now.firstSeen, now.hash)
		return err
	}
	_, err = b.t.exec(`UPDATE documents SET number = ?, version = ?, deleted = ?, hash = ? WHERE collection = ? AND id = ?`,
		now.number, now.version, now.deleted, now.hash, name.collection, name.id)
	return err
}
