package store

import (
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// sqliteSink writes row by row, with prepared statements: there is no way to the
// file that would be cheaper, and what was written can be read at once.
type sqliteSink struct {
	t      *tx
	runs   map[int64]liveRun
	items  map[place]*heldItem
	known  map[docName]*docState
	before int64 // the change number before this transaction
}

func (f *sqliteFile) sink(t *tx) sink { return &sqliteSink{t: t, runs: map[int64]liveRun{}} }

func (k *sqliteSink) begin(batch []*job) (before int64, err error) {
	if k.before, err = number(k.t, `SELECT value FROM sequences WHERE name = 'change'`); err != nil {
		return 0, err
	}
	if err := k.loadHeld(batch); err != nil {
		return 0, err
	}
	k.known, err = probeSQLite(k.t, unknownDocuments(batch))
	return k.before, err
}

// finish notes the change numbers that were handed out.
func (k *sqliteSink) finish(changes int64) error {
	if changes == k.before {
		return nil
	}
	_, err := k.t.exec(`UPDATE sequences SET value = ? WHERE name = 'change'`, changes)
	return err
}

func (k *sqliteSink) run(id int64) (liveRun, error) {
	if r, ok := k.runs[id]; ok {
		return r, nil
	}
	r, err := runRow(k.t, id)
	if err == nil {
		k.runs[id] = r
	}
	return r, err
}

// loadHeld reads the claims that a batch needs, a run at a time.
func (k *sqliteSink) loadHeld(batch []*job) error {
	ords := map[int64][]int64{}
	for _, j := range batch {
		if j.claim == nil {
			ords[j.Run] = append(ords[j.Run], j.Ord)
		}
	}
	k.items = make(map[place]*heldItem, len(batch))
	for run, list := range ords {
		_, err := collect(k.t, func(s scanner) (none struct{}, err error) {
			p, h := place{run: run}, &heldItem{}
			err = s.Scan(&p.ord, &h.state, &h.epoch, &h.item, &h.seq, &h.outcome, &h.touched, &h.settled, &h.quarantined)
			k.items[p] = h
			return none, err
		}, selectHeld, text(list), run)
		if err != nil {
			return err
		}
	}
	return nil
}

const selectHeld = `SELECT i.ord, i.state, i.epoch, i.item, i.seq, i.outcome, i.seq > 0 OR i.attempts > 0 OR i.throttles > 0 OR i.asked > 0 OR i.done > 0 OR i.deleted > 0,
	i.attempts > 0 OR i.throttles > 0 OR i.why <> '' OR i.kind <> '' OR i.not_before > 0, (SELECT n.quarantined FROM items n WHERE n.id = i.item)
	FROM json_each(?) j CROSS JOIN run_items i ON i.run = ? AND i.ord = j.value`

// held reads the counters where there are any. Of two writes for one item the
// second reads anew: the first one has touched it.
func (k *sqliteSink) held(p place) (*heldItem, bool, error) {
	h, ok := k.items[p]
	if !ok || !h.touched {
		return h, ok, nil
	}
	into := append([]any{&h.state, &h.epoch, &h.item, &h.seq, &h.outcome, &h.warnings, &h.page, &h.live, &h.done, &h.total, &h.attempts, &h.throttles}, tallyInto(&h.tally)...)
	err := scanOne(k.t, into, `SELECT state, epoch, item, seq, outcome, warnings, page, live, done, total, attempts, throttles,
		seq, listed, new, changed, same, deleted, quarantined, asked, bytes, not_modified, partial FROM run_items WHERE run = ? AND ord = ?`, p.run, p.ord)
	if err != nil {
		return nil, false, fmt.Errorf("item %d of run %d: %w", p.ord, p.run, err)
	}
	return h, true, nil
}

func (k *sqliteSink) loaded(name docName) *docState { return k.known[name] }

func (k *sqliteSink) reload(d *document) (*docState, error) {
	found, err := probeSQLite(k.t, []document{*d})
	return found[d.name], err
}

func (k *sqliteSink) moveCheckpoint(m checkpointMove) (bool, error) {
	var n int64
	var err error
	if m.from == 0 {
		n, err = k.t.exec(`INSERT INTO checkpoints (item, lane, version, value, params, extraction, updated_at, run) VALUES (?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			m.item, m.lane, m.value, m.params, m.extraction, m.at, m.run)
	} else {
		n, err = k.t.exec(`UPDATE checkpoints SET version = version + 1, value = ?, params = ?, extraction = ?, updated_at = ?, run = ? WHERE item = ? AND lane = ? AND version = ?`,
			m.value, m.params, m.extraction, m.at, m.run, m.item, m.lane, m.from)
	}
	return n == 1, err
}

func (k *sqliteSink) point(name docName, was, now *docState) (bool, error) {
	var n int64
	var err error
	if was == nil {
		n, err = k.t.exec(`INSERT INTO documents (collection, id, number, version, deleted, first_seen, item, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			name.collection, name.id, now.number, now.version, now.deleted, now.firstSeen, now.item, now.hash)
	} else {
		n, err = k.t.exec(`UPDATE documents SET number = ?, version = ?, deleted = ?, item = ?, hash = ? WHERE collection = ? AND id = ? AND number = ?`,
			now.number, now.version, now.deleted, now.item, now.hash, name.collection, name.id, was.number)
	}
	return n == 1, err
}

func (k *sqliteSink) appendVersion(v versionRow) error {
	d, now := v.d, v.now
	fields, packed := d.row()
	_, err := k.t.exec(`INSERT INTO versions (number, item, run, at, op, version, before, first_seen, published, size, pack, pack_at,
		collection, id, kind, url, title, parent, media_type, hash, body_ref, fields, fields_size, body, sums) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		now.number, v.item, v.run, v.at, v.op, now.version, v.before, now.firstSeen, d.published, d.size, v.pack, d.packAt,
		d.name.collection, d.name.id, d.Kind, d.URL, d.Title, d.Parent, d.MediaType, d.hash, d.bodyRef, fields, packed, d.body, v.sums)
	if !d.probed {
		k.known[d.name] = now
	}
	return err
}

func (k *sqliteSink) putPack(p *pack) (int64, error) {
	return k.t.insert(`INSERT INTO packs (live, content) VALUES (?, ?)`, p.live, p.content)
}

func (k *sqliteSink) settlePack(p *pack) error {
	_, err := k.t.exec(`UPDATE packs SET live = ? WHERE id = ?`, p.used, p.id)
	return err
}

func (k *sqliteSink) keepExchange(x exchangeRow) error {
	e := x.Exchange
	_, err := k.t.exec(`INSERT INTO ledger (run, ord, seq, attempt, item, at, status, bytes, took, waited, retry_after, method, url, host, kind, error, raw, note, worker)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		x.run, x.ord, x.seq, x.attempt, x.item, micros(e.At), e.Status, e.Bytes, e.Took.Microseconds(), e.Waited.Microseconds(), e.RetryAfter.Microseconds(),
		e.Method, clean(e.URL), e.Host, string(e.Kind), clean(e.Error), e.Raw, clean(e.Note), x.worker)
	return err
}

func (k *sqliteSink) keepRaw(list []rows.RawPage) error {
	for _, p := range list {
		if _, err := k.t.exec(`INSERT INTO blobs (digest, created, packed, content) VALUES (?, ?, 1, ?)`+youngAgain, p.Digest, micros(time.Now()), p.Packed); err != nil {
			return err
		}
	}
	return nil
}

func (k *sqliteSink) tx() *tx { return k.t }

func (k *sqliteSink) lockQuarantine(int64) error { return nil } // there is one writer

func (k *sqliteSink) quarantine(list []rejectRow) error {
	for i := range list {
		r := &list[i]
		_, err := k.t.exec(`INSERT INTO quarantine (item, lane, name, run, seq, at, since, kind, record, place, reason, size, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`+upsertReject,
			r.item, r.lane, r.name, r.run, r.seq, r.at, r.at, string(r.kind), clean(r.ID), r.place(), clean(r.Reason), len(r.Bytes), r.content())
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *sqliteSink) noteQuarantined(item, open int64) error {
	_, err := k.t.exec(`UPDATE items SET quarantined = ? WHERE id = ?`, open, item)
	return err
}

func (k *sqliteSink) noteItem(p place, h *heldItem, end *itemEnd) error {
	set, args := counters(h)
	h.touched = true // a further write of this batch reads what is written here
	if end != nil {
		more, moreArgs := ended(end, h.settled)
		set, args = set+more, append(args, moreArgs...)
		h.settled = true
	}
	_, err := k.t.exec(`UPDATE run_items SET `+set+` WHERE run = ? AND ord = ?`, append(args, p.run, p.ord)...)
	return err
}

// counters are the columns that a write moves. The first write of an item that
// brings new documents and nothing odd is by far the most frequent one; it names
// only what is no longer 0.
func counters(h *heldItem) (set string, args []any) {
	t := &h.tally
	args = make([]any, 0, 27)
	odd := *t
	odd.Pages, odd.Listed, odd.New, odd.Same, odd.Asked, odd.Bytes = 0, 0, 0, 0, 0, 0
	if !h.touched && odd == (harvest.Tally{}) && h.done == 0 && h.total == 0 && h.warnings == "" {
		return `seq = ?, page = ?, listed = ?, new = ?, same = ?, asked = ?, bytes = ?, live = ?`,
			append(args, h.seq, h.page, t.Listed, t.New, t.Same, t.Asked, t.Bytes, h.live)
	}
	return `seq = ?, page = ?, done = ?, total = ?, listed = ?, new = ?, changed = ?, same = ?, deleted = ?, quarantined = ?, asked = ?, bytes = ?, not_modified = ?, partial = ?, live = ?, warnings = ?`,
		append(args, h.seq, h.page, h.done, h.total, t.Listed, t.New, t.Changed, t.Same, t.Deleted, t.Quarantined, t.Asked, t.Bytes, t.NotModified, t.Partial, h.live, h.warnings)
}

func ended(e *itemEnd, before bool) (set string, args []any) {
	if e.plain && !before {
		return `, state = 'closed', outcome = ?, attempts = ?, closed_at = ?`, []any{string(e.outcome), e.attempts, e.closedAt}
	}
	set = `, state = ?, outcome = ?, why = ?, kind = ?, error = ?, not_before = ?, attempts = ?, throttles = ?, closed_at = ?`
	args = []any{string(e.state), string(e.outcome), e.why, string(e.kind), e.err, e.notBefore, e.attempts, e.throttles, e.closedAt}
	if e.queue != "" {
		set, args = set+`, queue = ?`, append(args, e.queue)
	}
	return set, args
}

func (k *sqliteSink) closeOpen(p place, o outcomes.Outcome, why string, at int64) error {
	_, err := k.t.exec(`UPDATE run_items SET state = ?, outcome = ?, why = ?, closed_at = ? WHERE run = ? AND ord = ?`, string(rows.ItemClosed), string(o), why, at, p.run, p.ord)
	return err
}

func (k *sqliteSink) closeItem(item int64, e ending) error {
	told := e.told()
	if !told.tells {
		_, err := k.t.exec(`UPDATE items SET documents = documents + ?, last_new = CASE WHEN last_new < ? THEN ? ELSE last_new END WHERE id = ?`, e.live, told.brought, told.brought, item)
		if err == nil {
			err = k.noteChanges(item, 0, e.changes)
		}
		return err
	}
	_, err := k.t.exec(`UPDATE items SET outcome = ?, kind = ?, why = ?, streak = CASE WHEN severity = ? THEN streak + 1 ELSE 1 END, severity = ?,
		last_run = ?, last_at = ?, last_good = CASE WHEN ? > 0 THEN ? ELSE last_good END, last_new = CASE WHEN ? > 0 THEN ? ELSE last_new END,
		last_listed = CASE WHEN ? > 0 THEN ? ELSE last_listed END, documents = documents + ?,
		first_change = CASE WHEN first_change = 0 THEN ? ELSE first_change END, last_change = CASE WHEN last_change < ? THEN ? ELSE last_change END WHERE id = ?`,
		string(e.outcome), string(e.kind), e.why, told.severity, told.severity,
		e.run, e.at, told.good, told.good, told.brought, told.brought,
		told.listed, told.listed, e.live,
		e.changes.begin(), e.changes.end(), e.changes.end(), item)
	return err
}

func (k *sqliteSink) noteChanges(item, live int64, s span) error {
	if s.first == s.last {
		return nil
	}
	_, err := k.t.exec(`UPDATE items SET documents = documents + ?, first_change = CASE WHEN first_change = 0 THEN ? ELSE first_change END, last_change = CASE WHEN last_change < ? THEN ? ELSE last_change END WHERE id = ?`,
		live, s.begin(), s.end(), s.end(), item)
	return err
}

func (k *sqliteSink) grow(g growth) error { return growAll(k.t, g) }

func (k *sqliteSink) listToo(name docName, was *docState, item int64) (bool, error) {
	n, err := number(k.t, `SELECT number FROM documents WHERE collection = ? AND id = ?`, name.collection, name.id)
	if err != nil || n != was.number {
		return false, err
	}
	return true, k.list(name, item)
}

func (k *sqliteSink) list(name docName, item int64) error {
	_, err := k.t.exec(`INSERT INTO listings (item, collection, id, pass) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING`, item, name.collection, name.id)
	return err
}

func (k *sqliteSink) unlist(name docName) error {
	_, err := k.t.exec(`DELETE FROM listings WHERE collection = ? AND id = ?`, name.collection, name.id)
	return err
}

func (k *sqliteSink) sight(s sighting) error {
	if len(s.ids) > 0 {
		_, err := k.t.exec(`INSERT INTO listings (item, collection, id, pass) SELECT ?, ?, j.value, ? FROM json_each(?) j WHERE true
			ON CONFLICT (item, collection, id) DO UPDATE SET pass = excluded.pass`, s.item, s.collection, s.pass, text(s.ids))
		if err != nil {
			return err
		}
	}
	_, err := k.t.exec(`UPDATE items SET pass_run = ?, unlisted = CASE WHEN unlisted < ? THEN ? ELSE unlisted END,
		pass_note = CASE WHEN pass_state > 0 AND pass_note = '' THEN ? ELSE pass_note END WHERE id = ? AND pass = ?`, s.run, s.unlisted, s.unlisted, s.doubts, s.item, s.pass)
	return err
}

func (k *sqliteSink) endPass(e passEnd) error {
	done, args := `pass_tried = ?`, []any{e.void, e.at}
	if e.void == "" {
		done, args = `passed_at = ?, pass_tried = 0, pass_held = ?`, append(args, e.held)
	}
	_, err := k.t.exec(`UPDATE items SET pass_state = 0, pass_note = ?, `+done+` WHERE id = ? AND pass = ? AND pass_state > 0`, append(args, e.item, e.pass)...)
	return err
}

// probeSQLite finds documents, a collection at a time.
func probeSQLite(q querier, documents []document) (map[docName]*docState, error) {
	ids := map[string][]string{}
	for i := range documents {
		name := documents[i].name
		ids[name.collection] = append(ids[name.collection], name.id)
	}
	known := make(map[docName]*docState, len(documents))
	for collection, list := range ids {
		scan := func(s scanner) (none struct{}, err error) {
			name, d := docName{collection: collection}, &docState{}
			err = s.Scan(&name.id, &d.number, &d.version, &d.deleted, &d.firstSeen, &d.item, &d.hash)
			known[name] = d
			return none, err
		}
		_, err := collect(q, scan, `SELECT d.id, d.number, d.version, d.deleted, d.first_seen, d.item, d.hash
			FROM json_each(?) j CROSS JOIN documents d ON d.collection = ? AND d.id = j.value`, text(list), collection)
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}
