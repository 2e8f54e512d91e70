package store

import (
	"context"
	"fmt"
	"iter"
	"strconv"
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
		from, err := s.ledgerSince(ctx, f)
		if err != nil {
			yield(rows.LedgerLine{}, fault("read ledger", "", err))
			return
		}
		read := func(after int64, limit int) ([]rows.LedgerLine, error) {
			w := ledgerWhere(f)
			w.add("l.id > ?", after)
			list, err := collect(s.reader(ctx), scanLedger, selectLedger+w.sql()+` ORDER BY l.id LIMIT ?`, append(w.args, limit)...)
			return list, fault("read ledger", "", err)
		}
		pages(from, f.Limit, read, func(l rows.LedgerLine) int64 { return l.ID }, yield)
	}
}

func ledgerWhere(f rows.LedgerFilter) where {
	w := where{}
	if f.Run != 0 {
		w.add("l.run = ?", f.Run)
	}
	if f.Ord != nil {
		w.add("l.ord = ?", *f.Ord)
	}
	w.text("i.campaign", f.Campaign)
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

// Failures lists the records that could not be read, the newest first, without
// their bytes.
func (s *Store) Failures(ctx context.Context, f rows.FailureFilter) ([]rows.Failure, error) {
	w := where{}
	w.text("i.campaign", f.Campaign)
	w.text("i.key", f.Key)
	if f.Run != 0 {
		w.add("q.run = ?", f.Run)
	}
	list, err := collect(s.reader(ctx), scanFailure, selectFailure(`NULL`)+w.sql()+` ORDER BY q.id DESC LIMIT ?`, append(w.args, limited(f.Limit))...)
	return list, fault("list failures", f.Campaign, err)
}

func selectFailure(content string) string {
	return `SELECT q.id, coalesce(i.campaign, ''), coalesce(i.entry, ''), coalesce(i.key, ''), coalesce(r.workflow_id, ''), q.seq, q.at, q.kind, q.record, q.reason, q.size, ` +
		content + `, q.accepted FROM quarantine q LEFT JOIN items i ON i.id = q.item LEFT JOIN runs r ON r.id = q.run`
}

func scanFailure(s scanner) (f rows.Failure, err error) {
	var at, accepted int64
	err = s.Scan(&f.ID, &f.Item.Campaign, &f.Item.Entry, &f.Item.Key, &f.Run, &f.Seq, &at, &f.Kind, &f.Record, &f.Reason, &f.Size, &f.Bytes, &accepted)
	f.At, f.Accepted = moment(at), moment(accepted)
	return f, err
}

// Failure returns one of them with its bytes, or rows.ErrNotFound.
func (s *Store) Failure(ctx context.Context, id int64) (rows.Failure, error) {
	f, found, err := first(s.reader(ctx), scanFailure, selectFailure(`q.bytes`)+` WHERE q.id = ?`, id)
	if err == nil && !found {
		return f, notFound("failure q-%d", id)
	}
	return f, fault("read failure", "q-"+strconv.FormatInt(id, 10), err)
}

// AcceptFailure notes that a person has seen a failure and wants no more of it.
func (s *Store) AcceptFailure(ctx context.Context, id int64) error {
	return s.write(ctx, "accept failure", fmt.Sprintf("q-%d", id), func(t *tx) error {
		n, err := t.exec(`UPDATE quarantine SET accepted = CASE WHEN accepted = 0 THEN ? ELSE accepted END WHERE id = ?`, micros(time.Now()), id)
		if err == nil && n == 0 {
			return notFound("failure q-%d", id)
		}
		return err
	})
}

// Counts returns totals of one campaign, or ("") of the whole store. Versions
// are the older ones of documents; Changes the lines of the change feed.
func (s *Store) Counts(ctx context.Context, campaign string) (rows.Counts, error) {
	var c rows.Counts
	q := s.reader(ctx)
	deleted, err := s.countDeleted(ctx, campaign)
	if err != nil {
		return c, err
	}
	c.Documents, c.Deleted = deleted[0], deleted[1]
	for into, query := range map[*int64]string{
		&c.Changes: `SELECT count(*) FROM versions v WHERE ?1 = '' OR v.item IN (SELECT id FROM items WHERE campaign = ?1)`,
		&c.Pages: `SELECT coalesce(sum(coalesce((SELECT sum(seq) FROM run_items WHERE run = r.id), json_extract(nullif(r.tally, ''), '$.pages'), 0)), 0)
			FROM runs r WHERE ?1 = '' OR r.campaign = ?1`,
		&c.Exchanges: `SELECT count(*) FROM ledger l WHERE ?1 = '' OR l.item IN (SELECT id FROM items WHERE campaign = ?1)`,
	} {
		if *into, err = number(q, query, campaign); err != nil {
			return c, fault("count", campaign, err)
		}
	}
	c.Versions = c.Changes - c.Documents - c.Deleted
	return c, nil
}

func (s *Store) countDeleted(ctx context.Context, campaign string) (n [2]int64, err error) {
	for i, deleted := range []bool{false, true} {
		counts, err := s.CountDocuments(ctx, rows.DocumentFilter{Campaign: campaign, Deleted: &deleted}, "")
		if err != nil {
			return n, err
		}
		n[i] = counts[""]
	}
	return n, nil
}
