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

// unknownDocuments are those of a batch that no reader has looked for.
func unknownDocuments(batch []*job) (unknown []document) {
	for _, j := range batch {
		for i := range j.documents {
			if !j.documents[i].probed {
				unknown = append(unknown, j.documents[i])
			}
		}
	}
	return unknown
}

// upsert stores what is new or changed and counts the rest. live is by how many
// the documents of the item grew.
func (b *batchWriter) upsert(j *job, item int64, tally *harvest.Tally) (live int64, err error) {
	j.resetPacks()
	for i := range j.documents {
		d, was := &j.documents[i], j.documents[i].was
		if !d.probed {
			was = b.sink.loaded(d.name)
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
		ok, err := b.sink.point(d.name, was, now)
		if err != nil {
			return 0, err
		}
		if ok {
			count(tally, op)
			return grew, b.append(j, item, d, was, now, op)
		}
		b.change--
		if was, err = b.sink.again(d); err != nil {
			return 0, err
		}
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
	return b.sink.appendVersion(versionRow{item: item, run: j.Run, at: micros(j.At), op: op, before: before, pack: pack, now: now, d: d})
}
