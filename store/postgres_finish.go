package store

import (
	"maps"
	"slices"
)

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
	k.queueListings()
	k.queueDocuments(number) // with COMMIT: others wait for the numbers
	k.queueEnds(number)
	k.queueQuarantined()
	return nil
}

// queueQuarantined notes how much is quarantined, in the order of items.
func (k *pgSink) queueQuarantined() {
	for _, item := range slices.Sorted(maps.Keys(k.quarantined)) {
		k.w.out.do(`UPDATE items SET quarantined = $1 WHERE id = $2`, k.quarantined[item], item)
	}
	clear(k.quarantined)
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
	over(&k.w.out, documentColumns(number), fresh, `INSERT INTO documents (collection, id, number, version, deleted, first_seen, item, hash)
		SELECT k.collection, k.id, k.number, k.version, k.deleted, k.first_seen, k.item, k.hash FROM %s ON CONFLICT DO NOTHING`)
	over(&k.w.out, documentColumns(number), changed, `UPDATE documents t SET number = k.number, version = k.version, deleted = k.deleted, item = k.item, hash = k.hash
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
