package store

import (
	"bytes"
	"errors"

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
	item      int64 // whose it is
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
// the documents of the item grew; those of others are counted at once.
func (b *batchWriter) upsert(j *job, item int64, tally *harvest.Tally) (live int64, err error) {
	j.resetPacks()
	grew := growth{}
	for i := range j.documents {
		d, was := &j.documents[i], j.documents[i].was
		if !d.probed {
			was = b.sink.loaded(d.name)
		}
		if err := b.upsertOne(j, item, d, was, tally, grew); err != nil {
			return 0, err
		}
	}
	live = grew[item]
	delete(grew, item)
	if err := b.sink.grow(grew); err != nil {
		return 0, err
	}
	return live, b.settlePacks(j)
}

// growth is by how many the documents of items grew.
type growth map[int64]int64

// passed counts a document that was and is now, nil for none.
func (g growth) passed(was, now *docState) {
	if was != nil && !was.deleted {
		g[was.item]--
	}
	if !now.deleted {
		g[now.item]++
	}
}

// upsertOne compares a document with the version that was read, and writes on
// condition that this is still the current one; otherwise it reads again.
func (b *batchWriter) upsertOne(j *job, item int64, d *document, was *docState, tally *harvest.Tally, grew growth) error {
	for {
		op, same := compare(was, d)
		store := b.store
		if same {
			store = b.listedToo
		}
		ok, err := store(j, item, d, was, op, grew)
		if err != nil {
			return err
		}
		if ok {
			count(tally, op, same)
			return nil
		}
		if d.unchanged() { // what it was thought to be, so that its body was not encoded
			return errMoved
		}
		if was, err = b.sink.reload(d); err != nil {
			return err
		}
	}
}

// errMoved asks for a write to be prepared anew.
var errMoved = errors.New("a document of another item has changed meanwhile")

// store writes a new version. ok is false if was is no longer the current one.
func (b *batchWriter) store(j *job, item int64, d *document, was *docState, op int, grew growth) (ok bool, err error) {
	now := b.next(d, was, micros(j.At))
	now.item = item
	if ok, err = b.sink.point(d.name, was, now); err != nil || !ok {
		b.change--
		return ok, err
	}
	grew.passed(was, now)
	if err := b.relist(d, was, item); err != nil {
		return false, err
	}
	return true, b.append(j, item, d, was, now, op)
}

// listedToo notes that an item lists a document unchanged that is another one's.
func (b *batchWriter) listedToo(_ *job, item int64, d *document, was *docState, _ int, _ growth) (ok bool, err error) {
	if was.deleted || was.item == item {
		return true, nil
	}
	return b.sink.listToo(d.name, was, item)
}

// relist keeps the item whose the document was among those that list it. Nobody
// lists what was announced as deleted.
func (b *batchWriter) relist(d *document, was *docState, item int64) error {
	switch {
	case was == nil || was.deleted:
		return nil
	case d.Deleted:
		return b.sink.unlist(d.name)
	case was.item == item:
		return nil
	default:
		return b.sink.list(d.name, was.item)
	}
}

func count(tally *harvest.Tally, op int, same bool) {
	switch {
	case same:
		tally.Same++
	case op == opNew:
		tally.New++
	case op == opChanged:
		tally.Changed++
	default:
		tally.Deleted++
	}
}

// compare says what storing a document does. A tombstone is a change only the
// first time, whatever it carries.
func compare(was *docState, d *document) (op int, same bool) {
	switch {
	case d.Deleted:
		return opDeleted, was != nil && was.deleted
	case was == nil:
		return opNew, false
	default:
		return opChanged, !was.deleted && bytes.Equal(was.hash, d.hash)
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
	v := versionRow{item: item, run: j.Run, at: micros(j.At), op: op, before: before, pack: pack, now: now, d: d}
	v.sums = sumsOf(&v)
	return b.sink.appendVersion(v)
}
