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

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// How much shares one transaction, and how long it waits for other processes.
const (
	groupWrites    = 512
	groupDocuments = 4000
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

// withdraw takes a write back that no transaction has begun with.
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
	n, documents := 0, 0
	for n < len(g.pending) && n < groupWrites && (n == 0 || documents+len(g.pending[n].documents) <= groupDocuments) {
		documents += len(g.pending[n].documents)
		n++
	}
	batch := slices.Clone(g.pending[:n])
	g.pending = slices.Delete(g.pending, 0, n)
	return batch
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
	on := fmt.Sprintf("%s (run %d)", w.Item, w.Run)
	j, err := s.prepareJob(ctx, w)
	if err == nil {
		err = s.group.add(j)
	}
	if err != nil {
		return rows.Written{Err: fault("write page", on, err)}
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if s.group.withdraw(j) {
			return rows.Written{Err: fault("write page", on, context.Cause(ctx))}
		}
		<-j.done
	}
	j.answer.Err = fault("write page", on, j.answer.Err)
	return j.answer
}

// runGroups commits what waits, until the store is closed and nothing waits.
func (s *Store) runGroups() {
	for range s.group.wake {
		for batch := s.group.take(); len(batch) > 0; batch = s.group.take() {
			s.turn <- struct{}{}
			s.commit(batch)
			s.giveTurn()
		}
		if s.group.closed.Load() {
			return
		}
	}
}

// commit writes a batch in one transaction. When that fails, each write is tried
// again alone, so that one that is bad cannot hurt the others.
func (s *Store) commit(batch []*job) {
	slices.SortStableFunc(batch, func(a, b *job) int { return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Ord, b.Ord)) })
	if err := s.commitOnce(batch); err == nil {
		for _, j := range batch {
			close(j.done)
		}
		return
	} else if len(batch) > 1 {
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
	ctx, stop := context.WithTimeout(context.Background(), groupPatience)
	defer stop()
	return s.transact(ctx, func(t *tx) error {
		b := &batchWriter{t: t, runs: map[int64]liveRun{}}
		if err := b.load(batch); err != nil {
			return err
		}
		for _, j := range batch {
			j.answer = b.apply(j)
			if err := j.answer.Err; err != nil && !refusal(err) {
				return err
			}
		}
		return b.finish()
	})
}

// fenced says which write was refused.
func fenced(j *job) error {
	if j.Page != nil {
		return fmt.Errorf("page %d: %w", j.Page.Seq, rows.ErrFenced)
	}
	return rows.ErrFenced
}

var errGap = errors.New("a page is missing before this one")
