package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

// dropped is a document that the item no longer lists.
type dropped struct {
	was     docState
	now     document // the tombstone
	listers []int64  // other items, whose it is first
}

// delete takes documents off the item's list. Those that no other item lists
// become tombstones, the others are theirs. before: they were never noted, so that
// only the item's own of before the pass are meant.
func (j *sweepJob) delete(ctx context.Context, ids []string, before bool) error {
	stop := ""
	err := j.write(ctx, func(t *tx, run liveRun) error {
		stop, j.out.Deleted, j.out.Kept = run.stop, 0, nil
		found, err := j.look(t, text(ids), before)
		if err != nil {
			return err
		}
		gone, err := j.keep(t, found)
		if err != nil || len(gone) == 0 {
			return err
		}
		return j.bury(t, gone)
	})
	if err == nil && stop != "" {
		err = rows.ErrStopped
	}
	return err
}

// look locks the documents and reads who lists them. What was listed or stored
// meanwhile is left out.
func (j *sweepJob) look(t *tx, ids string, before bool) (found []*dropped, err error) {
	lock := j.store.engine.locked
	if _, err = number(t, lock(`SELECT s.value FROM sequences s WHERE s.name = 'change'`, "s")); err != nil {
		return nil, err
	}
	if _, err = collect(t, scanText, lock(selectLocked, "d"), ids, j.Collection); err != nil {
		return nil, err
	}
	if _, err = t.exec(`DELETE FROM listings WHERE item = ? AND collection = ? AND pass < ? AND id IN (SELECT value FROM json_each(?))`, j.item, j.Collection, j.Pass, ids); err != nil {
		return nil, err
	}
	if found, err = collect(t, j.scanDropped, selectDropped, ids, j.Collection, j.item, before, j.item, j.item); err != nil {
		return nil, err
	}
	byID := make(map[string]*dropped, len(found))
	for _, d := range found {
		byID[d.now.ID] = d
		if d.was.item != j.item {
			d.listers = []int64{d.was.item}
		}
	}
	_, err = collect(t, func(s scanner) (none struct{}, err error) {
		id, item := "", int64(0)
		err = s.Scan(&id, &item)
		if d := byID[id]; d != nil {
			d.listers = append(d.listers, item)
		}
		return none, err
	}, selectListers, ids, j.Collection, j.item)
	return found, err
}

const (
	selectLocked = `SELECT d.id FROM json_each(?) j CROSS JOIN documents d WHERE d.collection = ? AND d.id = j.value AND d.deleted = 0 ORDER BY d.id`

	selectDropped = `SELECT d.id, d.number, d.version, d.first_seen, d.item, v.kind, v.url, v.title, v.parent
		FROM json_each(?) j CROSS JOIN documents d CROSS JOIN versions v CROSS JOIN items i WHERE d.collection = ? AND d.id = j.value AND v.number = d.number
		AND d.deleted = 0 AND i.id = ? AND (CAST(? AS BIGINT) = 0 OR d.item = ? AND v.at <= i.pass_begun)
		AND NOT EXISTS (SELECT 1 FROM listings l WHERE l.item = ? AND l.collection = d.collection AND l.id = d.id)`

	selectListers = `SELECT l.id, l.item FROM json_each(?) j CROSS JOIN listings l WHERE l.collection = ? AND l.id = j.value AND l.item <> ? ORDER BY l.id, l.item`
)

func (j *sweepJob) scanDropped(s scanner) (*dropped, error) {
	g := &dropped{now: document{probed: true, Document: harvest.Document{Deleted: true}}}
	d := &g.now
	err := s.Scan(&d.ID, &g.was.number, &g.was.version, &g.was.firstSeen, &g.was.item, &d.Kind, &d.URL, &d.Title, &d.Parent)
	d.name, d.hash = docName{j.Collection, d.ID}, packHash(d.Sum())
	return g, err
}

// keep hands what others list to them, and returns the rest.
func (j *sweepJob) keep(t *tx, found []*dropped) (gone []*dropped, err error) {
	theirs, grew := map[int64][]string{}, growth{}
	for _, d := range found {
		heir, who, err := j.heir(t, d)
		if err != nil {
			return nil, err
		}
		if heir == 0 {
			gone = append(gone, d)
			continue
		}
		j.out.Kept = rows.AddKept(j.out.Kept, []rows.Kept{{Item: who, Documents: 1}})
		if heir != d.was.item {
			now := d.was
			now.item = heir
			grew.passed(&d.was, &now)
			theirs[heir] = append(theirs[heir], d.now.ID)
		}
	}
	for _, heir := range slices.Sorted(maps.Keys(theirs)) {
		_, err := t.exec(`UPDATE documents SET item = ? WHERE collection = ? AND id IN (SELECT value FROM json_each(?))`, heir, j.Collection, text(theirs[heir]))
		if err != nil {
			return nil, err
		}
	}
	return gone, growAll(t, grew)
}

// growAll counts documents of items, in the order in which all do.
func growAll(t *tx, g growth) error {
	for _, item := range slices.Sorted(maps.Keys(g)) {
		if _, err := t.exec(`UPDATE items SET documents = documents + ? WHERE id = ?`, g[item], item); err != nil {
			return err
		}
	}
	return nil
}

// heir is the first item in a file that lists a document, 0 for none.
func (j *sweepJob) heir(t *tx, d *dropped) (int64, units.Item, error) {
	for _, item := range d.listers {
		who, known := j.filed[item]
		if !known {
			it, found, err := first(t, func(s scanner) (it units.Item, err error) { return it, s.Scan(&it.Campaign, &it.Entry, &it.Key) },
				selectFiled, item, j.Item.Campaign, j.entriesText(), j.Whole, j.Run, j.Run, splitKey)
			if err != nil {
				return 0, it, err
			}
			if found {
				who = &it
			}
			j.filed[item] = who
		}
		if who != nil {
			return item, *who, nil
		}
	}
	return 0, units.Item{}, nil
}

// splitKey is the key of the item that stands for the asking for an entry's items.
const splitKey = "split"

// selectFiled finds an item that is in a file. Of another campaign it is known only
// whether that was removed. A run of all items shows those that its entries have
// no longer; an entry of which it has none was not asked.
const selectFiled = `SELECT o.campaign, o.entry, o.key FROM items o LEFT JOIN campaigns c ON c.name = o.campaign WHERE o.id = ?
	AND (o.campaign <> ? AND coalesce(c.removed, 0) = 0 OR o.entry IN (SELECT value FROM json_each(?)) AND (CAST(? AS BIGINT) = 0
		OR EXISTS (SELECT 1 FROM run_items ri WHERE ri.run = ? AND ri.item = o.id)
		OR NOT EXISTS (SELECT 1 FROM run_items ri JOIN items s ON s.id = ri.item WHERE ri.run = ? AND s.entry = o.entry AND s.key <> ?)))`

// bury writes tombstones as a page with announced deletions would, and counts
// them for the item.
func (j *sweepJob) bury(t *tx, list []*dropped) (err error) {
	k := j.store.engine.sink(t)
	before, err := k.begin(nil)
	if err != nil {
		return err
	}
	b, grew := &batchWriter{sink: k, change: before}, growth{}
	page := &job{Write: rows.Write{Run: j.Run, At: j.At}}
	for _, g := range list {
		now := b.next(&g.now, &g.was, micros(j.At))
		now.item = j.item
		if ok, err := k.point(g.now.name, &g.was, now); err != nil || !ok {
			return fmt.Errorf("delete document %s: its version has moved inside a transaction: %w", g.now.ID, err)
		}
		if err := cmp.Or(k.unlist(g.now.name), b.append(page, j.item, &g.now, &g.was, now, opDeleted)); err != nil {
			return err
		}
		grew.passed(&g.was, now)
	}
	j.out.Deleted = len(list)
	if _, err = t.exec(`UPDATE run_items SET deleted = deleted + ?, live = live + ? WHERE run = ? AND ord = ?`, len(list), grew[j.item], j.Run, j.Ord); err != nil {
		return err
	}
	if err = k.noteChanges(j.item, grew[j.item], span{first: before, last: b.change}); err != nil {
		return err
	}
	delete(grew, j.item)
	if err = k.grow(grew); err != nil {
		return err
	}
	return k.finish(b.change)
}
