package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// post puts messages into the outbox, with the alerts that they announce or end.
func post(t *tx, run int64, at time.Time, messages []rows.Message) error {
	for _, m := range messages {
		if m.Created.IsZero() {
			m.Created = at
		}
		for _, id := range m.Replaces {
			if err := drop(t, id); err != nil {
				return err
			}
		}
		id, err := t.insert(`INSERT INTO outbox (run, campaign, address, payload, created, next_at, rule) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			run, m.Campaign, m.To, string(m.Payload), micros(m.Created), micros(m.NextAt), m.Rule)
		if err != nil {
			return err
		}
		if err := announce(t, id, m); err != nil {
			return err
		}
	}
	return nil
}

func announce(t *tx, id int64, m rows.Message) error {
	for _, a := range m.Begins {
		_, err := t.exec(`INSERT INTO alerts (campaign, rule, entry, key, outcome, message, at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (campaign, rule, entry, key) DO UPDATE SET outcome = excluded.outcome, message = excluded.message, at = excluded.at`,
			m.Campaign, m.Rule, a.Entry, a.Key, string(a.Outcome), id, micros(m.Created))
		if err != nil {
			return err
		}
	}
	return endAlerts(t, m.Ends)
}

func endAlerts(t *tx, list []rows.Alert) error {
	for _, a := range list {
		if _, err := t.exec(`DELETE FROM alerts WHERE campaign = ? AND rule = ? AND entry = ? AND key = ?`, a.Campaign, a.Rule, a.Entry, a.Key); err != nil {
			return err
		}
	}
	return nil
}

// drop removes a message that was not sent, and the alerts that only it announced.
func drop(t *tx, id int64) error {
	n, err := t.exec(`DELETE FROM outbox WHERE id = ? AND sent_at = 0`, id)
	if err == nil && n == 1 {
		_, err = t.exec(`DELETE FROM alerts WHERE message = ?`, id)
	}
	return err
}

// Alerts lists what people were told, or were to be told, is wrong with a campaign.
func (s *Store) Alerts(ctx context.Context, campaign string) ([]rows.Alert, error) {
	list, err := collect(s.reader(ctx), func(sc scanner) (a rows.Alert, err error) {
		var at int64
		err = sc.Scan(&a.Campaign, &a.Rule, &a.Entry, &a.Key, &a.Outcome, &a.Message, &at, &a.Untold)
		a.At = moment(at)
		return a, err
	}, `SELECT a.campaign, a.rule, a.entry, a.key, a.outcome, a.message, a.at, coalesce(o.given_up, 0) > 0
		FROM alerts a LEFT JOIN outbox o ON o.id = a.message WHERE a.campaign = ? ORDER BY a.rule, a.entry, a.key`, campaign)
	return list, fault("list alerts of", campaign, err)
}

const messageColumns = `m.id, m.run, m.campaign, m.address, m.payload, m.created, m.attempts, m.next_at, m.sent_at, m.error, m.rule, m.given_up, coalesce(r.workflow_id, '')`

// Outbox lists what is due and unsent, the oldest first; run 0 is all runs.
func (s *Store) Outbox(ctx context.Context, run int64, now time.Time) ([]rows.Message, error) {
	list, err := collect(s.reader(ctx), scanMessage, `SELECT `+messageColumns+` FROM outbox m LEFT JOIN runs r ON r.id = m.run
		WHERE m.sent_at = 0 AND m.next_at <= ? AND (CAST(? AS BIGINT) = 0 OR m.run = ?) ORDER BY m.id`, micros(now), run, run)
	return list, fault("read outbox", "", err)
}

// Messages lists notifications, the newest first.
func (s *Store) Messages(ctx context.Context, f rows.MessageFilter) ([]rows.Message, error) {
	w := where{}
	w.text("m.campaign", f.Campaign)
	if f.Run != 0 {
		w.add("m.run = ?", f.Run)
	}
	if f.Unsent {
		w.add("m.sent_at = 0")
	}
	if f.Failed {
		w.add("m.sent_at = 0 AND m.error <> ''")
	}
	list, err := collect(s.reader(ctx), scanMessage, `SELECT `+messageColumns+` FROM outbox m LEFT JOIN runs r ON r.id = m.run`+w.sql()+` ORDER BY m.id DESC LIMIT ?`,
		append(w.args, limited(f.Limit))...)
	return list, fault("list notifications", f.Campaign, err)
}

func scanMessage(s scanner) (m rows.Message, err error) {
	var payload string
	var created, next, sent, given int64
	err = s.Scan(&m.ID, &m.Run, &m.Campaign, &m.To, &payload, &created, &m.Attempts, &next, &sent, &m.Error, &m.Rule, &given, &m.RunName)
	m.Payload, m.Created, m.SentAt, m.GivenUp = raw(payload), moment(created), moment(sent), moment(given)
	if given == 0 {
		m.NextAt = moment(next)
	}
	return m, err
}

// Sent notes one attempt to send a message. sendErr "" is success; otherwise the
// message is due again at next, or never when next is zero. A message that was
// sent stays sent.
func (s *Store) Sent(ctx context.Context, id int64, sendErr string, next time.Time) error {
	now := micros(time.Now())
	sent, due, given := now, int64(0), int64(0)
	if sendErr != "" {
		sent, due = 0, micros(next)
		if next.IsZero() {
			due, given = math.MaxInt64, now
		}
	}
	return s.write(ctx, "note message", fmt.Sprint(id), func(t *tx) error {
		n, err := t.exec(`UPDATE outbox SET attempts = attempts + 1, sent_at = ?, next_at = ?, given_up = ?, error = ? WHERE id = ? AND sent_at = 0`, sent, due, given, sendErr, id)
		if err != nil || n > 0 {
			return err
		}
		return known(t, id)
	})
}

func known(t *tx, id int64) error {
	n, err := number(t, `SELECT count(*) FROM outbox WHERE id = ?`, id)
	if err == nil && n == 0 {
		return notFound("message %d", id)
	}
	return err
}

// RetryMessages makes messages due at once that were not sent, with all their
// attempts before them; those that were sent stay so. rows.ErrNotFound when one is
// not there: then nothing has changed.
func (s *Store) RetryMessages(ctx context.Context, ids ...int64) error {
	return s.eachMessage(ctx, "retry message", ids, func(t *tx, id int64) error {
		_, err := t.exec(`UPDATE outbox SET next_at = 0, attempts = 0, given_up = 0 WHERE id = ? AND sent_at = 0`, id)
		return err
	})
}

// DropMessages removes messages that were not sent. What they announced counts as
// never told: where it still holds, the next run tells it again.
func (s *Store) DropMessages(ctx context.Context, ids ...int64) error {
	return s.eachMessage(ctx, "drop message", ids, drop)
}

func (s *Store) eachMessage(ctx context.Context, op string, ids []int64, do func(*tx, int64) error) error {
	return s.write(ctx, op, "", func(t *tx) error {
		for _, id := range ids {
			if err := known(t, id); err != nil {
				return err
			}
			if err := do(t, id); err != nil {
				return err
			}
		}
		return nil
	})
}
