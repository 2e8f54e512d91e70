package store

import "slices"

// begin asks for everything at once. The state of a run is read once its items are
// locked: closing a run locks them too.
func (k *pgSink) begin(batch []*job) (int64, error) {
	k.askHeld(batch)
	k.askRuns(batch)
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
		i.attempts, i.throttles, i.seq, i.listed, i.new, i.changed, i.same, i.deleted, i.quarantined, i.asked, i.bytes, i.not_modified = 1, i.partial = 1, (SELECT n.quarantined FROM items n WHERE n.id = i.item)
		FROM unnest($1::bigint[], $2::bigint[]) AS k(run, ord) JOIN run_items i ON i.run = k.run AND i.ord = k.ord JOIN runs r ON r.id = i.run
			LEFT JOIN checkpoints c ON c.item = i.item AND c.lane = r.lane
		ORDER BY i.run, i.ord FOR UPDATE OF i`, runs, ords)
}

func (k *pgSink) scanHeld(s scanner) error {
	var p place
	var at spot
	var version int64
	h := &heldItem{}
	err := s.Scan(append([]any{&p.run, &p.ord, &at.lane, &version, &h.state, &h.epoch, &h.item, &h.seq, &h.outcome, &h.warnings, &h.page, &h.live, &h.done, &h.total, &h.attempts, &h.throttles}, append(tallyInto(&h.tally), &h.quarantined)...)...)
	at.item = h.item
	if version > 0 {
		k.spots[at] = version
	}
	k.items[p] = h
	return err
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

const selectProbed = `SELECT k.at, d.number, d.version, d.deleted = 1, d.first_seen, d.item, d.hash FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(collection, id, at)
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
		err := s.Scan(&at, &d.number, &d.version, &d.deleted, &d.firstSeen, &d.item, &d.hash)
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
