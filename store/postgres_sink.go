package store

import (
	"cmp"
	"maps"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
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

	moves       map[spot]*moveRow
	notes       map[place]*noteRow
	closed      []closedRow
	ledger      []exchangeRow
	raw         []rows.RawPage
	quarantined map[int64]int64 // open rows in quarantine, of items where that changed
	packed      []*pack
	docs        map[docName]*docRow
	added       []versionRow
	ends        []endRow
	listed      map[listing]int64 // the pass
	sights      map[int64]*sighting
	passes      []passEnd

	also     map[listing]bool  // listed by an item beside the one whose it is
	shared   map[docName]int64 // the versions that they rely upon
	unlisted map[docName]bool
	buffer   []byte
}

const provisional = 1 << 61

// spot is where a checkpoint is.
type spot struct {
	item int64
	lane string
}

func (p *postgres) sink(t *tx) sink {
	return &pgSink{
		w: t.session.(*pgSession), runs: map[int64]liveRun{}, items: map[place]*heldItem{}, spots: map[spot]int64{},
		moves: map[spot]*moveRow{}, notes: map[place]*noteRow{}, docs: map[docName]*docRow{},
		quarantined: map[int64]int64{}, listed: map[listing]int64{}, sights: map[int64]*sighting{},
		also: map[listing]bool{}, shared: map[docName]int64{}, unlisted: map[docName]bool{},
	}
}

func (k *pgSink) run(id int64) (liveRun, error) {
	r, ok := k.runs[id]
	if !ok {
		return r, notFound("run %d", id)
	}
	return r, nil
}

func (k *pgSink) held(p place) (*heldItem, bool, error) {
	h, ok := k.items[p]
	return h, ok, nil
}

func (k *pgSink) loaded(name docName) *docState { return k.known[name] }

func (k *pgSink) reload(d *document) (*docState, error) { return k.docs[d.name].now, nil }

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

func (k *pgSink) keepRaw(list []rows.RawPage) error {
	k.raw = append(k.raw, list...)
	return nil
}

func (k *pgSink) tx() *tx { return &tx{k.w} }

func (k *pgSink) lockQuarantine(item int64) error {
	k.w.out.do(`SELECT pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)`, lockQuarantine, item)
	return nil
}

func (k *pgSink) quarantine(list []rejectRow) error {
	columns := rejectColumns()
	over(&k.w.out, columns, list, `INSERT INTO quarantine (`+names(columns)+`) SELECT `+names(columns)+` FROM %s`+upsertReject)
	return nil
}

func (k *pgSink) noteQuarantined(item, open int64) error {
	k.quarantined[item] = open
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

func (k *pgSink) closeOpen(p place, o outcomes.Outcome, why string, at int64) error {
	k.closed = append(k.closed, closedRow{p, string(o), why, at})
	return nil
}

func (k *pgSink) closeItem(item int64, e ending) error {
	k.ends = append(k.ends, endRow{item, e, e.told()})
	return nil
}

func (k *pgSink) noteChanges(item, live int64, s span) error {
	if s.first != s.last {
		k.ends = append(k.ends, endRow{item: item, ending: ending{live: live, changes: s}})
	}
	return nil
}

func (k *pgSink) grow(g growth) error {
	for item, n := range g {
		k.ends = append(k.ends, endRow{item: item, ending: ending{live: n}})
	}
	return nil
}

func (k *pgSink) listToo(name docName, was *docState, item int64) (bool, error) {
	switch row := k.docs[name]; {
	case row == nil:
		k.shared[name] = was.number
	case row.now != was: // an earlier page of this batch has changed it
		return false, nil
	}
	return true, k.list(name, item)
}

func (k *pgSink) list(name docName, item int64) error {
	k.also[listing{item, name}] = true
	return nil
}

func (k *pgSink) unlist(name docName) error {
	k.unlisted[name] = true
	maps.DeleteFunc(k.also, func(l listing, _ bool) bool { return l.docName == name })
	return nil
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
