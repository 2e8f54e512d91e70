package store

import (
	"fmt"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// rename moves what `was` says: campaigns, then entries. Items carry their
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
	entries := make([]string, 0, len(c.WasEntry))
	for to := range c.WasEntry {
		entries = append(entries, to)
	}
	slices.Sort(entries)
	for _, to := range entries {
		n, err := moveItems(t, named{c.Name, c.WasEntry[to]}, named{c.Name, to})
		if err != nil {
			return 0, err
		}
		moved += n
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
	return moved, moveRuns(t, was, now)
}

type named struct{ campaign, entry string }

// moveItems renames the items of an entry. An item of the new name that never
// committed a page gives way; one that did is somebody's work and stops it.
func moveItems(t *tx, from, to named) (int, error) {
	taken, found, err := first(t, scanText, `SELECT n.key FROM items o JOIN items n ON n.campaign = ? AND n.entry = ? AND n.key = o.key
		JOIN checkpoints c ON c.item = n.id WHERE o.campaign = ? AND o.entry = ? LIMIT 1`,
		to.campaign, to.entry, from.campaign, from.entry)
	if err != nil {
		return 0, err
	}
	if found {
		return 0, refuse("rename", from.campaign+" / "+from.entry,
			"take `was` out of the file, or reset the checkpoints of "+to.campaign,
			"%s / %s / %s has a checkpoint of its own already", to.campaign, to.entry, taken)
	}
	if err := giveWay(t, from, to); err != nil {
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

// giveWay lets items of the new name, which have no checkpoint and so no
// documents, become the old ones: their traces point at the old item from now on.
func giveWay(t *tx, from, to named) error {
	const pairs = `(SELECT o.id FROM items n JOIN items o ON o.campaign = ? AND o.entry = ? AND o.key = n.key
		WHERE n.id = %s.item AND n.campaign = ? AND n.entry = ?)`
	args := []any{from.campaign, from.entry, to.campaign, to.entry}
	if err := mergeQuarantine(t, from, to); err != nil {
		return err
	}
	for _, table := range []string{"ledger", "quarantine", "run_items"} {
		old := fmt.Sprintf(pairs, table)
		_, err := t.exec(`UPDATE `+table+` SET item = `+old+` WHERE `+old+` IS NOT NULL`, append(slices.Clone(args), args...)...)
		if err != nil {
			return err
		}
	}
	if err := recount(t, `campaign = ? AND entry = ?`, from.campaign, from.entry); err != nil {
		return err
	}
	if err := keepPauses(t, from, to); err != nil {
		return err
	}
	_, err := t.exec(`DELETE FROM items WHERE campaign = ? AND entry = ? AND key IN (SELECT key FROM items WHERE campaign = ? AND entry = ?)`,
		to.campaign, to.entry, from.campaign, from.entry)
	return err
}

// mergeQuarantine removes what the old item has in quarantine too.
func mergeQuarantine(t *tx, from, to named) error {
	_, err := t.exec(`DELETE FROM quarantine WHERE EXISTS (SELECT 1 FROM items n JOIN items o ON o.campaign = ? AND o.entry = ? AND o.key = n.key
		JOIN quarantine q ON q.item = o.id AND q.lane = quarantine.lane AND q.name = quarantine.name
		WHERE n.id = quarantine.item AND n.campaign = ? AND n.entry = ?)`, from.campaign, from.entry, to.campaign, to.entry)
	return err
}

// keepPauses lets an old item be paused where the one that gives way was.
func keepPauses(t *tx, from, to named) error {
	const given = `(SELECT n.paused FROM items n WHERE n.campaign = ? AND n.entry = ? AND n.key = items.key AND n.paused <> '')`
	_, err := t.exec(`UPDATE items SET paused = `+given+` WHERE campaign = ? AND entry = ? AND paused = '' AND `+given+` IS NOT NULL`,
		to.campaign, to.entry, from.campaign, from.entry, to.campaign, to.entry)
	return err
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
