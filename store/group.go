package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// How much shares one transaction, and how long it waits for other processes.
const (
	groupWrites    = 512
	groupDocuments = 4000
	groupBytes     = 4 << 20 // compressed
	groupPatience  = time.Minute
)

// group holds the writes that wait for the next transaction.
type group struct {
	mu      sync.Mutex
	pending []*job
	wake    chan struct{} // holds one token when pending may be filled
	closed  atomic.Bool
}

func (g *group) init() { g.wake = make(chan struct{}, 1) }

func (g *group) signal() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

func (g *group) add(j *job) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed.Load() {
		return errClosed
	}
	g.pending = append(g.pending, j)
	g.signal()
	return nil
}

// withdraw removes a write that is not part of a transaction yet.
func (g *group) withdraw(j *job) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.pending, j)
	if i >= 0 {
		g.pending = slices.Delete(g.pending, i, i+1)
	}
	return i >= 0
}

// take returns the writes of the next transaction.
func (g *group) take() []*job {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, documents, bytes := 0, 0, 0
	for n < len(g.pending) && n < groupWrites {
		j := g.pending[n]
		documents, bytes = documents+len(j.documents), bytes+j.size
		if n > 0 && (documents > groupDocuments || bytes > groupBytes) {
			break
		}
		n++
	}
	batch := slices.Clone(g.pending[:n])
	g.pending = slices.Delete(g.pending, 0, n)
	return batch
}

// linger waits until no write has come for delay, so that one transaction serves many
// writers: those that were answered together write again at about the same time.
// expected: more than one writer may come.
func (g *group) linger(delay time.Duration, expected bool) {
	if delay == 0 {
		return
	}
	before := 0
	if expected {
		before = -1
	}
	for n := g.waiting(); n > before && n < groupWrites; n = g.waiting() {
		before = n
		time.Sleep(delay)
	}
}

func (g *group) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.pending)
}

func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed.Store(true)
	if g.wake != nil {
		g.signal()
	}
}

// Write makes one step of an item durable. It blocks until the transaction that
// holds it, with writes of other callers, has ended; each write succeeds or
// fails alone. When ctx ends before the transaction has begun, nothing was
// written and Err is the context's.
func (s *Store) Write(ctx context.Context, w rows.Write) rows.Written {
	if w.At.IsZero() {
		w.At = time.Now()
	}
	j, err := s.prepareJob(ctx, w)
	if err == nil {
		err = s.wait(ctx, j)
	}
	if err == nil && errors.Is(j.answer.Err, errMoved) && ctx.Err() == nil {
		return s.Write(ctx, w)
	}
	if err != nil {
		return rows.Written{Err: fault("write page", fmt.Sprintf("%s (run %d)", w.Item, w.Run), err)}
	}
	if j.answer.Err != nil {
		j.answer.Err = fault("write page", fmt.Sprintf("%s (run %d)", w.Item, w.Run), j.answer.Err)
	}
	return j.answer
}

// Claim hands out due items; see rows.Claim.
func (s *Store) Claim(ctx context.Context, c rows.Claim) (rows.Claimed, error) {
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	j := &job{claim: &c, Write: rows.Write{Run: c.Run, Ord: c.Ord}, done: make(chan struct{})}
	err := s.wait(ctx, j)
	if err == nil {
		err = j.answer.Err
	}
	if err != nil {
		return rows.Claimed{}, fault("claim items of run", fmt.Sprint(c.Run), err)
	}
	return j.claimed, nil
}

// wait puts a job into the group and waits for its answer. An error means that
// no transaction has begun with it.
func (s *Store) wait(ctx context.Context, j *job) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.group.add(j); err != nil {
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if s.group.withdraw(j) {
			return context.Cause(ctx)
		}
		<-j.done
	}
	return nil
}

// runGroups commits what waits, until the store is closed and nothing waits.
func (s *Store) runGroups() {
	for range s.group.wake {
		for batch := s.group.take(); len(batch) > 0; batch = s.group.take() {
			s.turn <- struct{}{}
			s.commit(batch)
			s.giveTurn()
			s.group.linger(s.engine.batchDelay(), len(batch) > 1)
		}
		if s.group.closed.Load() {
			return
		}
	}
}

// inOrder sorts a batch by key, with claims after all writes, so that no claim of the
// batch takes an item from a write of the batch.
func inOrder(a, b *job) int {
	switch {
	case a.claim == nil && b.claim != nil:
		return -1
	case a.claim != nil && b.claim == nil:
		return 1
	default:
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Ord, b.Ord))
	}
}

// commit writes a batch in one transaction. If that fails, it tries each write in a
// transaction of its own, so that one bad write fails alone.
func (s *Store) commit(batch []*job) {
	slices.SortStableFunc(batch, inOrder)
	err := s.commitOnce(batch)
	// Alone, each would wait as long again, or meet the same full disk.
	if err == nil || errors.Is(err, errPatience) || diagnose(err).trouble != "" {
		for _, j := range batch {
			j.answer.Err = cmp.Or(err, j.answer.Err)
			close(j.done)
		}
		return
	}
	if len(batch) > 1 {
		s.log.Warn("a group of writes failed; each is tried alone", "writes", len(batch), "error", err)
	}
	for _, j := range batch {
		if err := s.commitOnce([]*job{j}); err != nil {
			j.answer = rows.Written{Err: err}
		}
		close(j.done)
	}
}

func (s *Store) commitOnce(batch []*job) error {
	ctx, stop := context.WithTimeoutCause(context.Background(), groupPatience, errPatience)
	defer stop()
	begun := false
	err := s.engine.transact(ctx, lockShared, func(t *tx) error {
		if begun {
			forget(batch)
		}
		begun = true
		return harvest.Safely("write pages", "", func() error { return writeBatch(s.engine.sink(t), batch) })
	})
	s.trouble.note(err)
	return err
}

// forget makes the next try read again the documents that the batch changes: they may
// be outdated, which would fail every try.
func forget(batch []*job) {
	for _, j := range batch {
		for i := range j.documents {
			if d := &j.documents[i]; !d.unchanged() {
				d.probed, d.was = false, nil
			}
		}
	}
}
