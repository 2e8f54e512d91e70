package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// maxTries is how many attempts of an item are kept, the last ones.
const maxTries = 200

// insertAttempt keeps the attempts of claimed items that a condition selects.
const insertAttempt = `INSERT INTO attempts (run, ord, began, ended, worker, how, kind, error, pages)
	SELECT run, ord, claimed_at, CAST(? AS BIGINT), worker, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), seq FROM run_items WHERE claimed_at > 0 AND `

// keepTry keeps an attempt that does not close its item. One that was only deferred, as
// its host rests, has asked for nothing.
func (b *batchWriter) keepTry(j *job, h *heldItem) error {
	s, how := j.Settle, ""
	switch {
	case s.State != rows.ItemOpen:
		return nil
	case s.Attempts+s.Throttles > 0:
		how = rows.TryFailed
	case s.Error == "" && s.NotBefore.IsZero():
		how = rows.TryHandedBack
	default:
		return nil
	}
	if err := b.sink.do(insertAttempt+`run = ? AND ord = ? ON CONFLICT DO NOTHING`, micros(j.At), how, string(s.Kind), clean(s.Error), j.Run, j.Ord); err != nil {
		return err
	}
	if h.attempts+h.throttles < maxTries {
		return nil
	}
	return b.sink.do(`DELETE FROM attempts WHERE run = ? AND ord = ? AND began <= (SELECT began FROM attempts WHERE run = ? AND ord = ? ORDER BY began DESC LIMIT 1 OFFSET ?)`,
		j.Run, j.Ord, j.Run, j.Ord, maxTries)
}

// Tries lists the attempts at items of a run, by item and time; no ordinals: at all
// items.
func (s *Store) Tries(ctx context.Context, run int64, ords ...int64) ([]rows.Try, error) {
	w := where{}
	w.add("t.run = ?", run)
	if len(ords) > 0 {
		w.in("t.ord", anyOf(ords))
	}
	past, err := collect(s.reader(ctx), scanTry, `SELECT t.ord, i.entry, i.key, ri.label, t.worker, t.began, t.ended, t.how, t.kind, t.error, t.pages
		FROM attempts t JOIN run_items ri ON ri.run = t.run AND ri.ord = t.ord JOIN items i ON i.id = ri.item`+w.sql()+` ORDER BY t.ord, t.began`, w.args...)
	if err != nil {
		return nil, fault("list attempts of run", fmt.Sprint(run), err)
	}
	last, err := collect(s.reader(ctx), scanTry, `SELECT t.ord, i.entry, i.key, t.label, t.worker, t.claimed_at, t.closed_at,
		CASE WHEN t.state = 'closed' THEN t.outcome ELSE '`+rows.TryGoingOn+`' END, t.kind, t.error, t.seq
		FROM run_items t JOIN items i ON i.id = t.item`+w.sql()+` AND t.state <> 'open' AND t.claimed_at > 0`, w.args...)
	if err != nil {
		return nil, fault("list attempts of run", fmt.Sprint(run), err)
	}
	return numberedTries(append(past, last...)), nil
}

func anyOf[T any](list []T) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

func scanTry(s scanner) (t rows.Try, err error) {
	var began, ended int64
	err = s.Scan(&t.Ord, &t.Entry, &t.Key, &t.Label, &t.Worker, &began, &ended, &t.How, &t.Kind, &t.Error, &t.Pages)
	t.Began, t.Ended = moment(began), moment(ended)
	return t, err
}

// numberedTries sorts attempts; one that is closed from outside while it waits for the
// next attempt has no last one.
func numberedTries(list []rows.Try) []rows.Try {
	slices.SortStableFunc(list, func(a, b rows.Try) int { return cmp.Or(cmp.Compare(a.Ord, b.Ord), a.Began.Compare(b.Began)) })
	list = slices.CompactFunc(list, func(a, b rows.Try) bool { return a.Ord == b.Ord && a.Began.Equal(b.Began) })
	for i := range list {
		list[i].N = 1
		if i > 0 && list[i-1].Ord == list[i].Ord {
			list[i].N = list[i-1].N + 1
		}
	}
	return list
}
