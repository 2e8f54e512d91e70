package store

import (
	"cmp"
	"slices"
)

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
	var moved []noteRow
	for _, n := range k.notes {
		if n.end != nil && n.end.queue != "" {
			moved = append(moved, *n)
		}
		if n.end == nil {
			going = append(going, *n)
		} else {
			ended = append(ended, *n)
		}
	}
	counters, ends := counterColumns(), endColumns()
	over(&k.w.out, append(placeColumns(), counters...), going, `UPDATE run_items t SET `+assignments(counters)+` FROM %s WHERE t.run = k.run AND t.ord = k.ord`)
	all := append(counters, ends...)
	queue := []column[noteRow]{texts("queue", func(n *noteRow) string { return n.end.queue })}
	over(&k.w.out, append(placeColumns(), queue...), moved, `UPDATE run_items t SET queue = k.queue FROM %s WHERE t.run = k.run AND t.ord = k.ord`)
	over(&k.w.out, append(placeColumns(), all...), ended, `UPDATE run_items t SET `+assignments(all)+` FROM %s WHERE t.run = k.run AND t.ord = k.ord`)
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
		pass_tried = CASE WHEN k.void = '' THEN 0 ELSE k.at END, pass_held = CASE WHEN k.void = '' THEN k.held ELSE t.pass_held END FROM %s WHERE t.id = k.item AND t.pass = k.pass AND t.pass_state > 0`)
	clear(k.listed)
	clear(k.sights)
	k.passes = nil
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
	k.queueRaw()
	k.packed, k.ledger = nil, nil
	return nil
}
