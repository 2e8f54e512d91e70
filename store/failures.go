package store

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

// Failures lists what is in quarantine, the newest first, without the bytes.
func (s *Store) Failures(ctx context.Context, f rows.FailureFilter) ([]rows.Failure, error) {
	w := where{}
	w.text("i.campaign", f.Campaign)
	w.text("i.entry", f.Entry)
	w.text("i.key", f.Key)
	w.text("q.kind", string(f.Kind))
	if f.Run != 0 {
		w.add("q.run = ?", f.Run)
	}
	if f.Open {
		w.add("q.accepted = 0 AND q.resolved = 0")
	}
	if f.IDs != nil {
		w.add("CAST(q.id AS TEXT) IN (SELECT value FROM json_each(?))", text(textIDs(f.IDs)))
	}
	list, err := collect(s.reader(ctx), scanFailure, selectFailure(`NULL`)+w.sql()+` ORDER BY q.at DESC, q.id DESC LIMIT ?`, append(w.args, limited(f.Limit))...)
	return list, fault("list failures", f.Campaign, err)
}

func textIDs(ids []int64) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strconv.FormatInt(id, 10)
	}
	return list
}

func selectFailure(content string) string {
	return `SELECT q.id, coalesce(i.campaign, ''), coalesce(i.entry, ''), coalesce(i.key, ''), q.lane, coalesce(r.workflow_id, ''), q.seq, q.at, q.since, q.times, q.kind,
		q.record, q.name = '', q.place, q.reason, q.size, ` + content + `, q.accepted, q.resolved FROM quarantine q LEFT JOIN items i ON i.id = q.item LEFT JOIN runs r ON r.id = q.run`
}

func scanFailure(s scanner) (f rows.Failure, err error) {
	var at, since, accepted, resolved int64
	err = s.Scan(&f.ID, &f.Item.Campaign, &f.Item.Entry, &f.Item.Key, &f.Lane, &f.Run, &f.Seq, &at, &since, &f.Times, &f.Kind,
		&f.Record, &f.Answer, &f.Where, &f.Reason, &f.Size, &f.Bytes, &accepted, &resolved)
	f.At, f.Since, f.Accepted, f.Resolved = moment(at), moment(since), moment(accepted), moment(resolved)
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

// AcceptFailures notes that a person has seen failures and wants no more of them:
// their items are no longer partial for their sake, from the next run on, also when
// the records are rejected again. All of them are accepted or, when one is not
// there (rows.ErrNotFound), none.
func (s *Store) AcceptFailures(ctx context.Context, ids ...int64) error {
	return s.write(ctx, "accept failures", "", func(t *tx) error {
		if err := s.lockQuarantines(t, ids); err != nil {
			return err
		}
		for _, id := range ids {
			n, err := t.exec(`UPDATE quarantine SET accepted = CASE WHEN accepted = 0 THEN ? ELSE accepted END WHERE id = ?`, micros(time.Now()), id)
			if err == nil && n == 0 {
				err = notFound("failure q-%d", id)
			}
			if err == nil {
				err = recount(t, `id = (SELECT item FROM quarantine WHERE quarantine.id = ?)`, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// lockQuarantines makes pages of the items of failures wait.
func (s *Store) lockQuarantines(t *tx, failures []int64) error {
	items, err := collect(t, scanNumber, `SELECT DISTINCT item FROM quarantine WHERE id IN `+theKeys+` ORDER BY item`, text(failures))
	k := s.engine.sink(t)
	for _, item := range items {
		err = cmp.Or(err, k.lockQuarantine(item))
	}
	return err
}

// Unread lists records of an item to be asked for again, those that were not met
// for longest first, and counts all of them; run tells which are Unread.Now.
func (s *Store) Unread(ctx context.Context, item units.Item, lane string, run int64) (list []harvest.Unread, u rows.Unread, err error) {
	q := s.reader(ctx)
	id, err := number(q, selectItem, item.Campaign, item.Entry, item.Key)
	if err == nil {
		u, err = unreadOf(q, id, lane, run)
	}
	if err == nil {
		list, err = collect(q, scanUnread, `SELECT CASE WHEN record = '' THEN name ELSE record END, place, since FROM quarantine
			WHERE item = ? AND `+isOpen+` AND name <> '' AND (? = '' OR lane = ?) ORDER BY at, id LIMIT ?`, id, lane, lane, harvest.MaxUnread)
	}
	return list, u, fault("read unread records of", item.String(), err)
}

func scanUnread(s scanner) (u harvest.Unread, err error) {
	var since int64
	err = s.Scan(&u.ID, &u.Where, &since)
	u.Since = moment(since)
	return u, err
}
