package store

import (
	"context"
	"errors"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// before looks at documents that are the item's and were stored without being
// noted as listed.
func (j *sweepJob) before(ctx context.Context) error {
	q := j.store.reader(ctx)
	item, err := number(q, `SELECT i.id FROM run_items ri JOIN items i ON i.id = ri.item WHERE ri.run = ? AND ri.ord = ? AND i.unlisted > 0 AND i.unlisted <= i.pass_begun`, j.Run, j.Ord)
	if err != nil || item == 0 {
		j.out.Next.Done = true
		return err
	}
	ids, last, err := j.unlisted(q, item)
	if err != nil {
		return err
	}
	j.out.Next = rows.SweepPlace{Before: true, Number: last, Done: last == 0}
	if len(ids) > 0 {
		if err = j.delete(ctx, ids, true); err != nil && !errors.Is(err, rows.ErrStopped) {
			return err
		}
	}
	if last == 0 {
		return errors.Join(j.looked(ctx), err)
	}
	return err
}

// entriesText are the entries of the campaign, for a query.
func (j *sweepJob) entriesText() string { return text(append([]string{j.Item.Entry}, j.Entries...)) }

// unlisted are live documents of the item that it never listed while that was
// noted, by the number of their change. last is 0 when there are no more.
func (j *sweepJob) unlisted(q querier, item int64) (ids []string, last int64, err error) {
	type found struct {
		id     string
		number int64
	}
	list, err := collect(q, func(s scanner) (f found, err error) { return f, s.Scan(&f.id, &f.number) }, selectUnlisted,
		item, j.After.Number, j.Collection, sweepBatch)
	for _, f := range list {
		ids = append(ids, f.id)
	}
	if len(list) == sweepBatch {
		last = list[len(list)-1].number
	}
	return ids, last, err
}

const selectUnlisted = `SELECT v.id, v.number FROM items i CROSS JOIN versions v CROSS JOIN documents d
	WHERE v.number >= i.first_change AND v.number <= i.last_change AND d.collection = v.collection AND d.id = v.id AND i.id = ? AND v.number > ? AND v.item = i.id AND v.at <= i.pass_begun
	AND v.collection = ? AND d.number = v.number AND d.item = i.id AND d.deleted = 0
	AND NOT EXISTS (SELECT 1 FROM listings l WHERE l.item = i.id AND l.collection = v.collection AND l.id = v.id) ORDER BY v.number LIMIT ?`

// looked notes that all of them were looked at.
func (j *sweepJob) looked(ctx context.Context) error {
	return j.write(ctx, func(t *tx, _ liveRun) error {
		_, err := t.exec(`UPDATE items SET unlisted = 0 WHERE id = ?`, j.item)
		return err
	})
}
