package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// post puts the messages of a finish into the outbox.
func post(t *tx, f rows.Finish) error {
	for _, m := range f.Outbox {
		if m.Created.IsZero() {
			m.Created = f.At
		}
		_, err := t.exec(`INSERT INTO outbox (run, campaign, address, payload, created, next_at) VALUES (?, ?, ?, ?, ?, ?)`,
			f.Run, m.Campaign, m.To, string(m.Payload), micros(m.Created), micros(m.NextAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// Outbox lists what is due and unsent, the oldest first; run 0 is all runs.
func (s *Store) Outbox(ctx context.Context, run int64, now time.Time) ([]rows.Message, error) {
	list, err := collect(s.reader(ctx), scanMessage, `SELECT id, run, campaign, address, payload, created, attempts, next_at, sent_at, error FROM outbox
		WHERE sent_at = 0 AND next_at <= ? AND (CAST(? AS BIGINT) = 0 OR run = ?) ORDER BY id`, micros(now), run, run)
	return list, fault("read outbox", "", err)
}

func scanMessage(s scanner) (m rows.Message, err error) {
	var payload string
	var created, next, sent int64
	err = s.Scan(&m.ID, &m.Run, &m.Campaign, &m.To, &payload, &created, &m.Attempts, &next, &sent, &m.Error)
	m.Payload, m.Created, m.NextAt, m.SentAt = raw(payload), moment(created), moment(next), moment(sent)
	return m, err
}

// Sent notes one attempt to send a message. sendErr "" is success; otherwise the
// message is due again at next, or never when next is zero. A message that was
// sent stays sent.
func (s *Store) Sent(ctx context.Context, id int64, sendErr string, next time.Time) error {
	sent, due := micros(time.Now()), int64(0)
	if sendErr != "" {
		sent, due = 0, micros(next)
		if next.IsZero() {
			due = math.MaxInt64
		}
	}
	return s.write(ctx, "note message", fmt.Sprint(id), func(t *tx) error {
		n, err := t.exec(`UPDATE outbox SET attempts = attempts + 1, sent_at = ?, next_at = ?, error = ? WHERE id = ? AND sent_at = 0`, sent, due, sendErr, id)
		if err != nil || n > 0 {
			return err
		}
		known, err := number(t, `SELECT count(*) FROM outbox WHERE id = ?`, id)
		if err == nil && known == 0 {
			return notFound("message %d", id)
		}
		return err
	})
}
