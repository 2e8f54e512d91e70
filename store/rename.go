package store

import (
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// rename moves what `was` says: campaigns, then entries, then items. Items carry their
// checkpoints, documents and ledger along, because those point at the item. It
// returns how many checkpoints moved; what is not there moves nothing, so that
// applying twice is harmless.
func rename(t *tx, c rows.ApplyCampaign) (moved int, err error) {
	for _, was := range c.Was {
		n, err := renameCampaign(t, was, c.Name)
		if err != nil {
			return 0, err
		}
		moved += n
	}
	for _, to := range slices.Sorted(maps.Keys(c.WasEntry)) {
		if _, err := t.exec(`UPDATE spending SET entry = ? WHERE campaign = ? AND entry = ?`, to, c.Name, c.WasEntry[to]); err != nil {
			return 0, err
		}
		n, err := moveItems(t, named{c.Name, c.WasEntry[to]}, named{c.Name, to})
		if err != nil {
			return 0, err
		}
		moved += n
	}
	n, err := renameItems(t, c)
	return moved + n, err
}

func renameItems(t *tx, c rows.ApplyCampaign) (moved int, err error) {
	for _, entry := range slices.Sorted(maps.Keys(c.WasItem)) {
		for _, key := range slices.Sorted(maps.Keys(c.WasItem[entry])) {
			n, err := moveItem(t, named{c.Name, entry}, c.WasItem[entry][key], key)
			if err != nil {
				return 0, err
			}
			moved += n
		}
	}
	return moved, nil
}

func renameCampaign(t *tx, was, now string) (int, error) {
	if was == now {
		return 0, nil
	}
	entries, err := collect(t, scanText, `SELECT DISTINCT entry FROM items WHERE campaign = ? ORDER BY entry`, was)
	if err != nil {
		return 0, err
	}
	moved := 0
	for _, entry := range entries {
		n, err := moveItems(t, named{was, entry}, named{now, entry})
		if err != nil {
			return 0, err
		}
		moved += n
	}
	if err := moveCollection(t, was, now); err != nil {
		return 0, err
	}
	if err := renameSpending(t, was, now); err != nil {
		return 0, err
	}
	return moved, moveRuns(t, was, now)
}

type named struct{ campaign, entry string }

// moveItems renames the items of an entry.
func moveItems(t *tx, from, to named) (int, error) {
	twins, err := collect(t, scanTwin, `SELECT o.id, n.id, n.key, CASE WHEN EXISTS (SELECT 1 FROM checkpoints c WHERE c.item = n.id) THEN 1 ELSE 0 END
		FROM items o JOIN items n ON n.campaign = ? AND n.entry = ? AND n.key = o.key WHERE o.campaign = ? AND o.entry = ?`,
		to.campaign, to.entry, from.campaign, from.entry)
	if err != nil {
		return 0, err
	}
	if err := giveWay(t, from.campaign+" / "+from.entry, to, twins); err != nil {
		return 0, err
	}
	checkpoints, err := number(t, `SELECT count(*) FROM checkpoints c JOIN items i ON i.id = c.item WHERE i.campaign = ? AND i.entry = ?`, from.campaign, from.entry)
	if err != nil {
		return 0, err
	}
	if _, err = t.exec(`UPDATE alerts SET entry = ? WHERE campaign = ? AND entry = ?`, to.entry, from.campaign, from.entry); err != nil {
		return 0, err
	}
	_, err = t.exec(`UPDATE items SET campaign = ?, entry = ? WHERE campaign = ? AND entry = ?`, to.campaign, to.entry, from.campaign, from.entry)
	return int(checkpoints), err
}

// moveItem gives one item of an entry another key.
func moveItem(t *tx, at named, was, key string) (int, error) {
	old, found, err := first(t, scanNumber, `SELECT id FROM items WHERE campaign = ? AND entry = ? AND key = ?`, at.campaign, at.entry, was)
	if err != nil || !found {
		return 0, err
	}
	twins, err := collect(t, scanTwin, `SELECT o.id, n.id, n.key, CASE WHEN EXISTS (SELECT 1 FROM checkpoints c WHERE c.item = n.id) THEN 1 ELSE 0 END
		FROM items o JOIN items n ON n.campaign = o.campaign AND n.entry = o.entry AND n.key = ? WHERE o.id = ?`, key, old)
	if err != nil {
		return 0, err
	}
	if err := giveWay(t, at.campaign+" / "+at.entry+" / "+was, at, twins); err != nil {
		return 0, err
	}
	checkpoints, err := number(t, `SELECT count(*) FROM checkpoints WHERE item = ?`, old)
	if err != nil {
		return 0, err
	}
	if _, err = t.exec(`DELETE FROM alerts WHERE campaign = ? AND entry = ? AND key = ?`, at.campaign, at.entry, key); err != nil {
		return 0, err
	}
	if _, err = t.exec(`UPDATE alerts SET key = ? WHERE campaign = ? AND entry = ? AND key = ?`, key, at.campaign, at.entry, was); err != nil {
		return 0, err
	}
	_, err = t.exec(`UPDATE items SET key = ? WHERE id = ?`, key, old)
	return int(checkpoints), err
}

// twin is an item and the one that stands under its new name already.
type twin struct {
	old, new   int64
	key        string
	checkpoint int64 // 1: the new one has one of its own
}

func scanTwin(s scanner) (w twin, err error) {
	return w, s.Scan(&w.old, &w.new, &w.key, &w.checkpoint)
}

// giveWay lets items of the new name that never committed a page, and so have no
// documents, become the old ones: their traces point at the old item from now on.
// One that did commit a page stops the rename.
func giveWay(t *tx, was string, to named, twins []twin) error {
	for _, w := range twins {
		if w.checkpoint > 0 {
			return refuse("rename", was, "take `was` out of the file, or reset the checkpoints of "+to.campaign,
				"%s / %s / %s has a checkpoint of its own already", to.campaign, to.entry, w.key)
		}
	}
	for _, w := range twins {
		if err := w.merge(t); err != nil {
			return err
		}
	}
	return nil
}

// merge keeps the old item: with the traces of the new one, and paused where
// either is. What both have in quarantine stays once.
func (w twin) merge(t *tx) error {
	steps := []struct {
		query string
		args  []any
	}{
		{`DELETE FROM quarantine WHERE item = ? AND EXISTS (SELECT 1 FROM quarantine q WHERE q.item = ? AND q.lane = quarantine.lane AND q.name = quarantine.name)`, []any{w.new, w.old}},
		{`UPDATE quarantine SET item = ? WHERE item = ?`, []any{w.old, w.new}},
		{`UPDATE ledger SET item = ? WHERE item = ?`, []any{w.old, w.new}},
		{`UPDATE run_items SET item = ? WHERE item = ?`, []any{w.old, w.new}},
		{`UPDATE items SET paused = (SELECT n.paused FROM items n WHERE n.id = ?) WHERE id = ? AND paused = ''`, []any{w.new, w.old}},
		{`DELETE FROM items WHERE id = ?`, []any{w.new}},
	}
	for _, step := range steps {
		if _, err := t.exec(step.query, step.args...); err != nil {
			return err
		}
	}
	return recount(t, `id = ?`, w.old)
}

// moveCollection moves the documents of the collection that bore the campaign's
// name.
func moveCollection(t *tx, was, now string) error {
	id, found, err := first(t, scanText, `SELECT o.id FROM documents o JOIN documents n ON n.collection = ? AND n.id = o.id WHERE o.collection = ? LIMIT 1`, now, was)
	if err != nil {
		return err
	}
	if found {
		return refuse("rename", was, "take `was` out of the file, or give the campaign a collection of its own (add: {collection: …})",
			"collection %s holds a document %s already", now, id)
	}
	if _, err := t.exec(`UPDATE documents SET collection = ? WHERE collection = ?`, now, was); err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE versions SET collection = ? WHERE collection = ?`, now, was); err != nil {
		return err
	}
	return moveListings(t, was, now)
}

// moveRuns moves runs, definitions and the campaign's row. Where the new name
// has definitions already, they become the younger ones.
func moveRuns(t *tx, was, now string) error {
	older, err := number(t, `SELECT coalesce(max(version), 0) FROM definitions WHERE campaign = ?`, was)
	if err != nil {
		return err
	}
	steps := []struct {
		query string
		args  []any
	}{
		{`UPDATE runs SET version = version + ? WHERE campaign = ?`, []any{older, now}},
		{`UPDATE definitions SET version = -(version + ?) WHERE campaign = ?`, []any{older, now}},
		{`UPDATE definitions SET version = -version WHERE campaign = ? AND version < 0`, []any{now}},
		{`UPDATE definitions SET campaign = ? WHERE campaign = ?`, []any{now, was}},
		{`UPDATE runs SET campaign = ? WHERE campaign = ?`, []any{now, was}},
		{`UPDATE outbox SET campaign = ? WHERE campaign = ?`, []any{now, was}},
		{`DELETE FROM alerts WHERE campaign = ?`, []any{now}},
		{`UPDATE alerts SET campaign = ? WHERE campaign = ?`, []any{now, was}},
		{`INSERT INTO campaigns (name, project, version, paused) SELECT ?, project, version, paused FROM campaigns WHERE name = ?
			ON CONFLICT (name) DO UPDATE SET paused = CASE WHEN campaigns.paused = '' THEN excluded.paused ELSE campaigns.paused END`, []any{now, was}},
		{`DELETE FROM campaigns WHERE name = ?`, []any{was}},
	}
	for _, step := range steps {
		if _, err := t.exec(step.query, step.args...); err != nil {
			return err
		}
	}
	return nil
}
