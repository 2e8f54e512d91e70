package store

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// troubled remembers what the last write of this process ran into. It logs when
// a trouble begins and when it ends, and nothing in between.
type troubled struct {
	log *slog.Logger

	mu    sync.Mutex
	now   rows.Trouble
	since time.Time
}

// note takes in how a transaction ended. A refusal says nothing about the store.
func (t *troubled) note(err error) {
	trouble := rows.Trouble("")
	if err != nil {
		if trouble = diagnose(err).trouble; trouble == "" {
			return
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if trouble == "" && t.now != "" {
		t.log.Info("the store takes writes again", "after", time.Since(t.since).Round(time.Second))
	}
	if trouble != "" && t.now == "" {
		t.log.Error("the store takes no writes; what was not stored waits and is tried again", "error", err)
	}
	if trouble == "" || t.now == "" {
		t.since = time.Now()
	}
	t.now = trouble
}

// Trouble is what keeps this process from writing, and since when; "" when its
// last write was stored.
func (s *Store) Trouble() (rows.Trouble, time.Time) {
	s.trouble.mu.Lock()
	defer s.trouble.mu.Unlock()
	return s.trouble.now, s.trouble.since
}

// probeBytes is more than a page of pages: a full disk may have room for a row.
const probeBytes = 256 << 10

// Check reports whether the store can be read and written. After a write that
// failed it takes more than one row to convince it.
func (s *Store) Check(ctx context.Context) error {
	before, _ := s.Trouble()
	return s.write(ctx, "check store", s.Address(), func(t *tx) error {
		_, err := t.exec("UPDATE meta SET value = value WHERE name = 'id'")
		if err != nil || before == "" {
			return err
		}
		id, err := t.insert(`INSERT INTO packs (live, content) VALUES (0, ?)`, probe())
		if err == nil {
			_, err = t.exec(`DELETE FROM packs WHERE id = ?`, id)
		}
		return err
	})
}

// probe cannot be compressed away.
func probe() []byte {
	b := make([]byte, probeBytes)
	rand.Read(b) // it never fails
	return b
}
