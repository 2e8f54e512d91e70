package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// The states of an item's pass; the numbers are stored.
const (
	passNone    = 0
	passLists   = 1
	passDeletes = 2
)

// passColumns are what a storedPass reads: what an item keeps across runs beside
// its health.
const passColumns = `i.pass, i.pass_state, i.pass_run, i.pass_begun, i.passed_at, i.pass_tried, i.pass_note, i.pass_held, i.quarantined > 0`

type storedPass struct {
	number, state               int
	run, begun, doneAt, triedAt int64
	note, held                  string
	quarantined                 bool
}

func (p *storedPass) into() []any {
	return []any{&p.number, &p.state, &p.run, &p.begun, &p.doneAt, &p.triedAt, &p.note, &p.held, &p.quarantined}
}

func (p *storedPass) pass() rows.Pass {
	begun := p.begun
	if p.state == passNone {
		begun = 0
	}
	return rows.Pass{
		Number: p.number, Begun: moment(begun), Listed: p.state == passDeletes, DoneAt: moment(p.doneAt), TriedAt: moment(p.triedAt),
		Note: p.note, Kept: heldOf(p.held), Run: p.run,
	}
}

// heldBy returns the number of an item that a claim holds, with its run, or
// rows.ErrFenced. The claim stays until the transaction ends.
func (s *Store) heldBy(t *tx, run, ord, epoch int64) (item int64, r liveRun, err error) {
	if r, err = runRow(t, run); err != nil {
		return 0, r, err
	}
	item, err = number(t, s.engine.locked(`SELECT ri.item FROM run_items ri WHERE ri.run = ? AND ri.ord = ? AND ri.state = 'claimed' AND ri.epoch = ?`, "ri"), run, ord, epoch)
	if err == nil && (item == 0 || r.state == rows.RunClosed) {
		err = rows.ErrFenced
	}
	return item, r, err
}

// BeginPass begins a full pass of a claimed item and returns it with the version
// of the checkpoint, which is empty now. A pass that was under way is given up;
// what it noted counts as noted by an earlier pass. rows.ErrFenced when the claim
// is somebody else's.
func (s *Store) BeginPass(ctx context.Context, p rows.PassStart) (begun rows.Pass, version int64, err error) {
	err = s.write(ctx, "begin a full pass of", p.Item.String(), func(t *tx) error {
		item, _, err := s.heldBy(t, p.Run, p.Ord, p.Epoch)
		if err != nil {
			return err
		}
		begun, version, err = beginPass(t, item, p)
		return err
	})
	return begun, version, err
}

// beginPass looks at the checkpoint before it moves it: documents that were
// stored without being noted must be looked at when the pass ends.
func beginPass(t *tx, item int64, p rows.PassStart) (begun rows.Pass, version int64, err error) {
	_, err = t.exec(`UPDATE items SET pass = pass + 1, pass_state = ?, pass_begun = ?, pass_note = '', pass_run = ?,
		unlisted = CASE WHEN EXISTS (SELECT 1 FROM checkpoints c WHERE c.item = items.id AND c.run <> items.pass_run AND c.updated_at > items.passed_at) THEN ? ELSE unlisted END WHERE id = ?`,
		passLists, micros(p.At), p.Run, micros(p.At), item)
	if err != nil {
		return begun, 0, err
	}
	_, err = t.exec(`INSERT INTO checkpoints (item, lane, version, value, params, extraction, updated_at, run) VALUES (?, ?, 1, ?, ?, ?, ?, ?)
		ON CONFLICT (item, lane) DO UPDATE SET version = checkpoints.version + 1, value = excluded.value, params = excluded.params, extraction = excluded.extraction,
		updated_at = excluded.updated_at, run = excluded.run`, item, p.Lane, string(p.Kept), p.Params, p.Extraction, micros(p.At), p.Run)
	if err != nil {
		return begun, 0, err
	}
	if version, err = number(t, `SELECT version FROM checkpoints WHERE item = ? AND lane = ?`, item, p.Lane); err != nil {
		return begun, 0, err
	}
	stored := &storedPass{}
	err = scanOne(t, stored.into(), `SELECT `+passColumns+` FROM items i WHERE i.id = ?`, item)
	return stored.pass(), version, err
}

// sighted notes what a page lists. Announced deletions are not listed; a record
// that could not be read is, if it has an id.
func (b *batchWriter) sighted(j *job, item int64) error {
	s := j.Page.Sighting
	if s == nil {
		return nil
	}
	unlisted := int64(0)
	if s.Unlisted {
		unlisted = micros(j.At)
	}
	return b.sink.sight(sighting{
		item: item, pass: int64(s.Pass), run: j.Run, unlisted: unlisted, collection: j.Page.Collection, doubts: doubts(&j.Page.Page), ids: sightings(j),
	})
}

// sightings are the ids a page lists, each once.
func sightings(j *job) []string {
	ids := make([]string, 0, len(j.documents)+len(j.Page.Page.Rejects))
	seen := make(map[string]bool, cap(ids))
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for i := range j.documents {
		if d := &j.documents[i]; !d.Deleted {
			add(d.name.id)
		}
	}
	for _, r := range j.Page.Page.Rejects {
		if id := clean(r.ID); rows.CheckID(id) == nil { // else there is no such document
			add(id)
		}
	}
	return ids
}

// doubts says why a pass with this page on it cannot be trusted.
func doubts(p *harvest.Page) string {
	nameless := 0
	for _, r := range p.Rejects {
		if r.ID == "" {
			nameless++
		}
	}
	switch {
	case nameless == 1:
		return "a record without an id could not be read"
	case nameless > 1:
		return fmt.Sprintf("%d records without an id could not be read", nameless)
	case p.Partial:
		return "the source's answer was not whole"
	default:
		return ""
	}
}

// endPass finishes the pass of an item that is closed.
func (b *batchWriter) endPass(j *job, item int64) error {
	p := j.Settle.Pass
	if p == nil {
		return nil
	}
	return b.sink.endPass(passEnd{item: item, pass: int64(p.Number), at: micros(j.At), void: p.Void, held: heldText(p.Kept)})
}

// maxHeld is how many items are named that list what another one does not.
const maxHeld = 20

func heldText(list []rows.Kept) string {
	if len(list) == 0 {
		return ""
	}
	return text(list[:min(len(list), maxHeld)])
}

func heldOf(s string) (list []rows.Kept) {
	if s != "" {
		json.Unmarshal([]byte(s), &list) // it is ours
	}
	return list
}

// moveListings follows documents to another collection.
func moveListings(t *tx, was, now string) error {
	if _, err := t.exec(`DELETE FROM listings WHERE collection = ? AND EXISTS (SELECT 1 FROM listings o WHERE o.item = listings.item AND o.collection = ? AND o.id = listings.id)`, now, was); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE listings SET collection = ? WHERE collection = ?`, now, was)
	return err
}
