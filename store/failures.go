package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

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
