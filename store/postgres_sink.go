package store

import (
	"cmp"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// pgSink reads at the beginning what a batch needs, keeps what is decided in
// memory, and writes it with one statement a table: the way to the server is
// long, and a row costs little. What others changed in between shows itself when
// it is written, and then the transaction is done again.
//
// Change numbers are known only at the end, when the row that counts them is
// locked; until the commit nobody else gets one, so that numbers appear in their
// order. Up to there numbers from provisional on stand for those to come.
type pgSink struct {
	w     *pgSession
	runs  map[int64]liveRun
	items map[place]*heldItem
	spots map[spot]int64 // versions of checkpoints
	known map[docName]*docState
	packs []int64 // numbers for packs

	moves   map[spot]*moveRow
	notes   map[place]*noteRow
	closed  []closedRow
	ledger  []exchangeRow
	rejects []rejectRow
	packed  []*pack
	docs    map[docName]*docRow
	added   []versionRow
	ends    []endRow
	listed  map[listing]int64 // the pass
	sights  map[int64]*sighting
	passes  []passEnd
	buffer  []byte
}

const provisional = 1 << 61

// spot is where a checkpoint is.
type spot struct {
	item int64
	lane string
}

type moveRow struct {
	checkpointMove
	to int64
}

// noteRow is what a run's item becomes.
type noteRow struct {
	place
	h   *heldItem
	end *itemEnd
}

type closedRow struct {
	place
	outcome, why string
	at           int64
}

// docRow is a document that changes: what it was before this transaction, and
// what it is after it.
type docRow struct {
	name     docName
	was, now *docState
}

// endRow is what an item keeps across runs.
type endRow struct {
	item int64
	ending
	told
}

func (p *postgres) sink(t *tx) sink {
	return &pgSink{
		w: t.session.(*pgSession), runs: map[int64]liveRun{}, items: map[place]*heldItem{}, spots: map[spot]int64{},
		moves: map[spot]*moveRow{}, notes: map[place]*noteRow{}, docs: map[docName]*docRow{},
		listed: map[listing]int64{}, sights: map[int64]*sighting{},
	}
}

// begin asks for everything at once.
func (k *pgSink) begin(batch []*job) (int64, error) {
	k.askRuns(batch)
	k.askHeld(batch)
	k.askDocuments(batch)
	k.askPacks(batch)
	return provisional, k.w.send()
}

func (k *pgSink) askRuns(batch []*job) {
	var ids []int64
	for _, j := range batch {
		ids = append(ids, j.Run)
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return
	}
	k.w.out.ask(func(s scanner) error {
		var id int64
		var r liveRun
		err := s.Scan(&id, &r.campaign, &r.lane, &r.stop, &r.paused, &r.state)
		k.runs[id] = r
		return err
	}, `SELECT id, campaign, lane, stop, paused, state FROM runs WHERE id = ANY($1)`, slices.Compact(ids))
}

func (k *pgSink) run(id int64) (liveRun, error) {
	r, ok := k.runs[id]
	if !ok {
		return r, notFound("run %d", id)
	}
	return r, nil
}

// askHeld reads items and checkpoints of the writes, and locks the items.
func (k *pgSink) askHeld(batch []*job) {
	var runs, ords []int64
	for _, j := range batch {
		if j.claim == nil {
			runs, ords = append(runs, j.Run), append(ords, j.Ord)
		}
	}
	if len(runs) == 0 {
		return
	}
	k.w.out.ask(k.scanHeld, `SELECT i.run, i.ord, r.lane, coalesce(c.version, 0), i.state, i.epoch, i.item, i.seq, i.outcome, i.warnings, i.page, i.live, i.done, i.total,
		i.attempts, i.throttles, i.seq, i.listed, i.new, i.changed, i.same, i.deleted, i.quarantined, i.asked, i.bytes, i.not_modified = 1, i.partial = 1
		FROM unnest($1::bigint[], $2::bigint[]) AS k(run, ord) JOIN run_items i ON i.run = k.run AND i.ord = k.ord JOIN runs r ON r.id = i.run
			LEFT JOIN checkpoints c ON c.item = i.item AND c.lane = r.lane
		ORDER BY i.run, i.ord FOR UPDATE OF i`, runs, ords)
}

func (k *pgSink) scanHeld(s scanner) error {
	var p place
	var at spot
	var version int64
	h := &heldItem{}
	err := s.Scan(append([]any{&p.run, &p.ord, &at.lane, &version, &h.state, &h.epoch, &h.item, &h.seq, &h.outcome, &h.warnings, &h.page, &h.live, &h.done, &h.total, &h.attempts, &h.throttles}, tallyInto(&h.tally)...)...)
	at.item = h.item
	if version > 0 {
		k.spots[at] = version
	}
	k.items[p] = h
	return err
}

func (k *pgSink) held(p place) (*heldItem, bool, error) {
	h, ok := k.items[p]
	return h, ok, nil
}

func (k *pgSink) askDocuments(batch []*job) {
	unknown := unknownDocuments(batch)
	k.known = make(map[docName]*docState, len(unknown))
	if len(unknown) > 0 {
		k.w.out.ask(scanProbed(unknown, k.known), selectProbed, probed(unknown)...)
	}
}

// askPacks takes numbers for all packs that may be needed.
func (k *pgSink) askPacks(batch []*job) {
	n := 0
	for _, j := range batch {
		n += len(j.packs)
	}
	if n == 0 {
		return
	}
	k.w.out.ask(func(s scanner) error {
		id, err := scanNumber(s)
		k.packs = append(k.packs, id)
		return err
	}, `SELECT nextval(pg_get_serial_sequence('packs', 'id')) FROM generate_series(1, $1::bigint)`, n)
}

func (k *pgSink) loaded(name docName) *docState { return k.known[name] }

func (k *pgSink) again(d *document) (*docState, error) { return k.docs[d.name].now, nil }

func (k *pgSink) moveCheckpoint(m checkpointMove) (bool, error) {
	at := spot{m.item, m.lane}
	if k.spots[at] != m.from {
		return false, nil
	}
	to := m.from + 1
	if earlier := k.moves[at]; earlier != nil {
		m.from = earlier.from
	}
	k.spots[at], k.moves[at] = to, &moveRow{m, to}
	return true, nil
}

// point says no when an earlier page of this batch moved the document on.
func (k *pgSink) point(name docName, was, now *docState) (bool, error) {
	row := k.docs[name]
	if row == nil {
		k.docs[name] = &docRow{name, was, now}
		return true, nil
	}
	if row.now != was {
		return false, nil
	}
	row.now = now
	return true, nil
}

func (k *pgSink) appendVersion(v versionRow) error {
	k.added = append(k.added, v)
	if !v.d.probed {
		k.known[v.d.name] = v.now
	}
	return nil
}

func (k *pgSink) putPack(p *pack) (id int64, err error) {
	id, k.packs = k.packs[0], k.packs[1:]
	k.packed = append(k.packed, p)
	return id, nil
}

func (k *pgSink) settlePack(*pack) error { return nil } // it is written afterwards

func (k *pgSink) keepExchange(x exchangeRow) error {
	k.ledger = append(k.ledger, x)
	return nil
}

func (k *pgSink) putAside(r rejectRow) error {
	k.rejects = append(k.rejects, r)
	return nil
}

func (k *pgSink) noteItem(p place, h *heldItem, end *itemEnd) error {
	row := k.notes[p]
	if row == nil {
		row = &noteRow{place: p, h: h}
		k.notes[p] = row
	}
	if end != nil {
		row.end = end
	}
	return nil
}

func (k *pgSink) closeOpen(p place, o harvest.Outcome, why string, at int64) error {
	k.closed = append(k.closed, closedRow{p, string(o), why, at})
	return nil
}

func (k *pgSink) closeItem(item int64, e ending) error {
	k.ends = append(k.ends, endRow{item, e, e.told()})
	return nil
}

func (k *pgSink) noteChanges(item int64, s span) error {
	if s.first != s.last {
		k.ends = append(k.ends, endRow{item: item, ending: ending{changes: s}})
	}
	return nil
}

// listing is a document on an item's list.
type listing struct {
	item int64
	docName
}

func (k *pgSink) sight(s sighting) error {
	for _, id := range s.ids {
		k.listed[listing{s.item, docName{s.collection, id}}] = s.pass
	}
	if earlier := k.sights[s.item]; earlier != nil && earlier.pass == s.pass {
		s.unlisted, s.doubts = max(s.unlisted, earlier.unlisted), cmp.Or(earlier.doubts, s.doubts)
	}
	k.sights[s.item] = &s
	return nil
}

func (k *pgSink) endPass(e passEnd) error {
	k.passes = append(k.passes, e)
	return nil
}

func (k *pgSink) queuePasses() {
	var lines []listingRow
	for l, pass := range k.listed {
		lines = append(lines, listingRow{l, pass})
	}
	slices.SortFunc(lines, compareListings)
	over(&k.w.out, listingColumns(), lines, `INSERT INTO listings (item, collection, id, pass) SELECT k.item, k.collection, k.id, k.pass FROM %s
		ON CONFLICT (item, collection, id) DO UPDATE SET pass = excluded.pass`)
	var sights []sighting
	for _, s := range k.sights {
		sights = append(sights, *s)
	}
	slices.SortFunc(sights, func(a, b sighting) int { return cmp.Compare(a.item, b.item) })
	maybeOver(&k.w.out, sightColumns(), sights, `UPDATE items t SET pass_run = k.run, unlisted = greatest(t.unlisted, k.unlisted),
		pass_note = CASE WHEN t.pass_state > 0 AND t.pass_note = '' THEN k.doubts ELSE t.pass_note END FROM %s WHERE t.id = k.item AND t.pass = k.pass`)
	maybeOver(&k.w.out, passColumnsOf(), k.passes, `UPDATE items t SET pass_state = 0, pass_note = k.void, passed_at = CASE WHEN k.void = '' THEN k.at ELSE t.passed_at END,
		pass_tried = CASE WHEN k.void = '' THEN 0 ELSE k.at END FROM %s WHERE t.id = k.item AND t.pass = k.pass AND t.pass_state > 0`)
	clear(k.listed)
	clear(k.sights)
	k.passes = nil
}

// settle writes all that needs no change number, most of it with the next
// message.
func (k *pgSink) settle() error {
	k.queueMoves()
	k.queueNotes()
	k.queuePasses()
	over(&k.w.out, closedColumns(), k.closed, `UPDATE run_items t SET state = 'closed', outcome = k.outcome, why = k.why, closed_at = k.at FROM %s WHERE t.run = k.run AND t.ord = k.ord`)
	k.closed = nil
	clear(k.moves)
	clear(k.notes)
	return k.addTraces()
}

func (k *pgSink) queueMoves() {
	var fresh, moved []moveRow
	for _, m := range k.moves {
		if m.from == 0 {
			fresh = append(fresh, *m)
		} else {
			moved = append(moved, *m)
		}
	}
	byKey := func(a, b moveRow) int { return compareSpots(a, b) }
	slices.SortFunc(fresh, byKey)
	slices.SortFunc(moved, byKey)
	over(&k.w.out, moveColumns(), fresh, `INSERT INTO checkpoints (item, lane, version, value, params, extraction, updated_at, run)
		SELECT k.item, k.lane, k.version, k.value, k.params, k.extraction, k.updated_at, k.run FROM %s ON CONFLICT DO NOTHING`)
	over(&k.w.out, moveColumns(), moved, `UPDATE checkpoints t SET version = k.version, value = k.value, params = k.params, extraction = k.extraction, updated_at = k.updated_at, run = k.run
		FROM %s WHERE t.item = k.item AND t.lane = k.lane AND t.version = k.was`)
}

func (k *pgSink) queueNotes() {
	var going, ended []noteRow
	for _, n := range k.notes {
		if n.end == nil {
			going = append(going, *n)
		} else {
			ended = append(ended, *n)
		}
	}
	counters, ends := counterColumns(), endColumns()
	over(&k.w.out, append(placeColumns(), counters...), going, `UPDATE run_items t SET `+assignments(counters)+` FROM %s WHERE t.run = k.run AND t.ord = k.ord`)
	all := append(counters, ends...)
	over(&k.w.out, append(placeColumns(), all...), ended, `UPDATE run_items t SET `+assignments(all)+` FROM %s WHERE t.run = k.run AND t.ord = k.ord`)
}

// addTraces writes what is only ever added to.
func (k *pgSink) addTraces() error {
	packs := make([]pack, len(k.packed))
	for i, p := range k.packed {
		packs[i] = *p
	}
	if err := into(k, "packs", packColumns(), packs); err != nil {
		return err
	}
	if err := add(k, "ledger", ledgerColumns(), k.ledger); err != nil {
		return err
	}
	if err := add(k, "quarantine", rejectColumns(), k.rejects); err != nil {
		return err
	}
	k.packed, k.ledger, k.rejects = nil, nil, nil
	return nil
}

func (k *pgSink) finish(changes int64) error {
	if err := k.settle(); err != nil {
		return err
	}
	number, err := k.takeNumbers(changes)
	if err != nil {
		return err
	}
	if err := add(k, "versions", versionColumnsFrom(number), k.added); err != nil {
		return err
	}
	k.queueDocuments(number) // with COMMIT: others wait for the numbers
	k.queueEnds(number)
	return nil
}

// takeNumbers locks the row that counts changes. number makes of a provisional
// number the real one, or one that a statement makes real (see changes).
func (k *pgSink) takeNumbers(changes int64) (number numbering, err error) {
	number = func(n int64) int64 {
		if n < provisional {
			return n
		}
		return n - changes - 1
	}
	if changes <= provisional {
		return number, nil
	}
	n, last := changes-provisional, int64(0)
	k.w.out.ask(func(s scanner) error { return s.Scan(&last) }, `UPDATE sequences SET value = value + $1 WHERE name = 'change' RETURNING value`, n)
	if len(k.added) < copyFrom {
		return number, nil
	}
	err = k.w.send() // COPY cannot ask
	return func(n int64) int64 {
		if n < provisional {
			return n
		}
		return last - changes + n
	}, err
}

// numbering says what a change number is stored as.
type numbering func(int64) int64

func (k *pgSink) queueDocuments(number numbering) {
	var fresh, changed []docRow
	for _, d := range k.docs {
		if d.was == nil {
			fresh = append(fresh, *d)
		} else {
			changed = append(changed, *d)
		}
	}
	over(&k.w.out, documentColumns(number), fresh, `INSERT INTO documents (collection, id, number, version, deleted, first_seen, hash)
		SELECT k.collection, k.id, k.number, k.version, k.deleted, k.first_seen, k.hash FROM %s ON CONFLICT DO NOTHING`)
	over(&k.w.out, documentColumns(number), changed, `UPDATE documents t SET number = k.number, version = k.version, deleted = k.deleted, hash = k.hash
		FROM %s WHERE t.collection = k.collection AND t.id = k.id AND t.number = k.was`)
}

// queueEnds writes what items keep, each item at most once a statement.
func (k *pgSink) queueEnds(number numbering) {
	slices.SortStableFunc(k.ends, func(a, b endRow) int { return compareItems(a, b) })
	for len(k.ends) > 0 {
		var round, rest []endRow
		for i, e := range k.ends {
			if i > 0 && k.ends[i-1].item == e.item {
				rest = append(rest, e)
			} else {
				round = append(round, e)
			}
		}
		over(&k.w.out, itemColumns(number), round, `UPDATE items t SET outcome = CASE WHEN k.tells = 1 THEN k.outcome ELSE t.outcome END,
			kind = CASE WHEN k.tells = 1 THEN k.kind ELSE t.kind END, why = CASE WHEN k.tells = 1 THEN k.why ELSE t.why END,
			streak = CASE WHEN k.tells = 0 THEN t.streak WHEN t.severity = k.severity THEN t.streak + 1 ELSE 1 END,
			severity = CASE WHEN k.tells = 1 THEN k.severity ELSE t.severity END,
			last_run = CASE WHEN k.tells = 1 THEN k.run ELSE t.last_run END, last_at = CASE WHEN k.tells = 1 THEN k.at ELSE t.last_at END,
			last_good = CASE WHEN k.good > 0 THEN k.good ELSE t.last_good END,
			last_new = CASE WHEN k.brought > 0 AND (k.tells = 1 OR t.last_new < k.brought) THEN k.brought ELSE t.last_new END,
			last_listed = CASE WHEN k.listed > 0 THEN k.listed ELSE t.last_listed END, documents = t.documents + k.live,
			first_change = CASE WHEN t.first_change = 0 THEN k.first ELSE t.first_change END, last_change = greatest(t.last_change, k.last)
			FROM %s WHERE t.id = k.item`)
		k.ends = rest
	}
}

const selectProbed = `SELECT k.at, d.number, d.version, d.deleted = 1, d.first_seen, d.hash FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(collection, id, at)
	JOIN documents d ON d.collection = k.collection AND d.id = k.id`

// probed are the arguments of selectProbed.
func probed(documents []document) []any {
	collections, ids := make([]string, len(documents)), make([]string, len(documents))
	for i := range documents {
		collections[i], ids[i] = clean(documents[i].name.collection), documents[i].name.id
	}
	return []any{collections, ids}
}

func scanProbed(documents []document, known map[docName]*docState) func(scanner) error {
	return func(s scanner) error {
		d, at := &docState{}, 0
		err := s.Scan(&at, &d.number, &d.version, &d.deleted, &d.firstSeen, &d.hash)
		if err == nil {
			known[documents[at-1].name] = d
		}
		return err
	}
}

func (p *postgres) probe(q querier, documents []document) (map[docName]*docState, error) {
	known := make(map[docName]*docState, len(documents))
	scan := scanProbed(documents, known)
	_, err := collect(q, func(s scanner) (struct{}, error) { return struct{}{}, scan(s) }, selectProbed, probed(documents)...)
	return known, err
}
