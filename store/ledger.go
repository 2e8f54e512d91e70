package store

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

const selectLedger = `SELECT l.id, l.run, l.ord, l.seq, l.attempt, l.at, l.status, l.bytes, l.took, l.waited, l.retry_after, l.method, l.url, l.host, l.kind, l.error,
	l.raw, l.note, l.worker, coalesce(i.campaign, ''), coalesce(i.entry, ''), coalesce(i.key, ''), coalesce(r.workflow_id, '')
	FROM ledger l LEFT JOIN items i ON i.id = l.item LEFT JOIN runs r ON r.id = l.run`

func scanLedger(s scanner) (l rows.LedgerLine, err error) {
	var run, at, took, waited, rest int64
	err = s.Scan(&l.ID, &run, &l.Ord, &l.Seq, &l.Attempt, &at, &l.Status, &l.Bytes, &took, &waited, &rest, &l.Method, &l.URL, &l.Host, &l.Kind, &l.Error,
		&l.Raw, &l.Note, &l.Worker, &l.Campaign, &l.Entry, &l.Key, &l.Run)
	l.At = moment(at)
	l.Took, l.Waited, l.RetryAfter = time.Duration(took)*time.Microsecond, time.Duration(waited)*time.Microsecond, time.Duration(rest)*time.Microsecond
	return l, err
}

// Ledger yields exchanges in the order they were stored: for one item that is
// the order they were made in.
func (s *Store) Ledger(ctx context.Context, f rows.LedgerFilter) iter.Seq2[rows.LedgerLine, error] {
	return func(yield func(rows.LedgerLine, error) bool) {
		read, from, err := s.ledgerReader(ctx, f)
		if err != nil {
			yield(rows.LedgerLine{}, fault("read ledger", "", err))
			return
		}
		pages(from, f.Limit, read, func(l rows.LedgerLine) int64 { return l.ID }, yield)
	}
}

type ledgerRead = func(after int64, limit int) ([]rows.LedgerLine, error)

// ledgerReader returns what reads a page of the ledger, and where to begin. The
// lines of one run are looked up by their numbers: they may lie among millions
// of others.
func (s *Store) ledgerReader(ctx context.Context, f rows.LedgerFilter) (read ledgerRead, from int64, err error) {
	if f.Run == 0 {
		from, err = s.ledgerSince(ctx, f)
		return func(after int64, limit int) ([]rows.LedgerLine, error) {
			w := ledgerWhere(f)
			w.add("l.id > ?", after)
			return s.ledgerLines(ctx, w, limit)
		}, from, err
	}
	w := ledgerWhere(f)
	ids, err := collect(s.reader(ctx), scanNumber, `SELECT l.id FROM ledger l`+w.sql()+` ORDER BY l.id`, w.args...)
	return func(after int64, limit int) ([]rows.LedgerLine, error) {
		begin, _ := slices.BinarySearch(ids, after+1)
		part := ids[begin:min(begin+limit, len(ids))]
		if len(part) == 0 {
			return nil, nil
		}
		w := where{}
		w.in("l.id", numbers(part))
		return s.ledgerLines(ctx, w, limit)
	}, 0, err
}

func (s *Store) ledgerLines(ctx context.Context, w where, limit int) ([]rows.LedgerLine, error) {
	list, err := collect(s.reader(ctx), scanLedger, selectLedger+w.sql()+` ORDER BY l.id LIMIT ?`, append(w.args, limit)...)
	return list, fault("read ledger", "", err)
}

func numbers(list []int64) []any {
	args := make([]any, len(list))
	for i, n := range list {
		args[i] = n
	}
	return args
}

func ledgerWhere(f rows.LedgerFilter) where {
	w := where{}
	if f.Run != 0 {
		w.add("l.run = ?", f.Run)
	}
	if f.Ord != nil {
		w.add("l.ord = ?", *f.Ord)
	}
	w.ofItems("l.item", f.Campaign, "", "")
	w.text("l.host", f.Host)
	w.since("l.at", f.Since)
	return w
}

// ledgerSlack is how much earlier than the line before it a line may have been
// made: exchanges are stored with their page, or when their item ends.
const ledgerSlack = 24 * time.Hour

// ledgerSince finds a number that stands before every line since a moment.
// Numbers grow almost with time, so a search by halves needs no index.
func (s *Store) ledgerSince(ctx context.Context, f rows.LedgerFilter) (int64, error) {
	if f.Since.IsZero() || f.Run != 0 {
		return 0, nil
	}
	q, until := s.reader(ctx), micros(f.Since.Add(-ledgerSlack))
	low := int64(0)
	high, err := number(q, `SELECT coalesce(max(id), 0) FROM ledger`)
	for err == nil && low < high {
		middle := low + (high-low+1)/2
		var at int64
		at, err = number(q, `SELECT at FROM ledger WHERE id >= ? ORDER BY id LIMIT 1`, middle)
		if at < until {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, err
}
