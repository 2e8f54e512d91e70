package store

import (
	"context"
	"errors"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// before deletes documents that no item ever listed, one owner after the other.
func (j *sweepJob) before(ctx context.Context) error {
	q := j.store.reader(ctx)
	owner := j.After.Owner
	if owner == 0 {
		waits, err := j.waits(q)
		if err != nil || waits {
			j.out.Next.Done = true
			return err
		}
		if owner, err = j.owner(q); err != nil || owner == 0 {
			j.out.Next.Done = true
			return err
		}
	}
	ids, last, err := j.unlisted(q, owner)
	if err != nil {
		return err
	}
	j.out.Next = rows.SweepPlace{Owner: owner, Number: last}
	if len(ids) > 0 {
		if err = j.delete(ctx, ids, owner); err != nil && !errors.Is(err, rows.ErrStopped) {
			return err
		}
	}
	if last == 0 { // all of them: the next owner
		j.out.Next = rows.SweepPlace{ID: j.After.ID}
		return errors.Join(j.looked(ctx, owner), err)
	}
	return err
}

// entriesText are the entries with passes, for a query; an item's own is always
// among them.
func (j *sweepJob) entriesText() string { return text(append([]string{j.Item.Entry}, j.Entries...)) }

// waits reports whether another item is still to finish its first pass: it might
// list what seems to be nobody's. In a run that holds them all, those that are not
// in it are no more.
func (j *sweepJob) waits(q querier) (bool, error) {
	whole := 0
	if j.Whole {
		whole = 1
	}
	n, err := number(q, `SELECT count(*) FROM items i WHERE i.campaign = ? AND i.entry IN (SELECT value FROM json_each(?)) AND i.passed_at = 0 AND i.pass_state <> ?
		AND (? = 1 OR i.pass > 0 OR i.documents > 0) AND (? = 0 OR EXISTS (SELECT 1 FROM run_items ri WHERE ri.run = ? AND ri.item = i.id))`,
		j.Item.Campaign, j.entriesText(), passDeletes, whole, whole, j.Run)
	return n > 0, err
}

// owner is an item that may have documents which were stored without being noted
// before its pass began, and whose list is whole; 0: there is none.
func (j *sweepJob) owner(q querier) (int64, error) {
	return number(q, `SELECT id FROM items WHERE campaign = ? AND entry IN (SELECT value FROM json_each(?)) AND unlisted > 0 AND unlisted <= pass_begun
		AND (pass_state = ? OR pass_state = 0 AND passed_at > 0 AND pass_tried = 0) ORDER BY id LIMIT 1`, j.Item.Campaign, j.entriesText(), passDeletes)
}

// unlisted are live documents of an owner that no item lists, by the number of
// their change. last is 0 when there are no more.
func (j *sweepJob) unlisted(q querier, owner int64) (ids []string, last int64, err error) {
	type found struct {
		id     string
		number int64
	}
	list, err := collect(q, func(s scanner) (f found, err error) { return f, s.Scan(&f.id, &f.number) }, selectUnlisted,
		owner, j.After.Number, j.Collection, sweepBatch)
	for _, f := range list {
		ids = append(ids, f.id)
	}
	if len(list) == sweepBatch {
		last = list[len(list)-1].number
	}
	return ids, last, err
}

const selectUnlisted = `SELECT v.id, v.number FROM items i CROSS JOIN versions v CROSS JOIN documents d
	WHERE v.number >= i.first_change AND v.number <= i.last_change AND d.collection = v.collection AND d.id = v.id AND i.id = ? AND v.number > ? AND v.item = i.id AND v.at <= i.pass_begun AND v.collection = ? AND d.number = v.number AND d.deleted = 0
	AND NOT EXISTS (SELECT 1 FROM listings l WHERE l.collection = v.collection AND l.id = v.id) ORDER BY v.number LIMIT ?`

// looked notes that all documents of an owner were looked at.
func (j *sweepJob) looked(ctx context.Context, owner int64) error {
	return j.write(ctx, func(t *tx, _ liveRun) error {
		_, err := t.exec(`UPDATE items SET unlisted = 0 WHERE id = ?`, owner)
		return err
	})
}
