package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

var errDisk = errors.New("the disk made a noise")

// noisy is an engine on which, once it is armed, queries of a kind fail, some after
// the first few.
type noisy struct {
	engine
	text  string
	well  int // how many go well before
	armed atomic.Bool
}

// newNoisy has one item claimed through an engine that is noisy once it is armed.
func newNoisy(t *testing.T, text string, well int) *Store {
	t.Helper()
	s := newStore(t)
	n := &noisy{engine: s.engine, text: text, well: well}
	s.engine = n // before the first group: the store's goroutine reads it from then on
	oneItem(t, s)
	n.armed.Store(true)
	return s
}

func (n *noisy) fails(query string) bool {
	if !n.armed.Load() || !strings.Contains(query, n.text) {
		return false
	}
	n.well--
	return n.well < 0
}

func (n *noisy) read(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if n.fails(query) {
		return nil, errDisk
	}
	return n.engine.read(ctx, query, args...)
}

func (n *noisy) transact(ctx context.Context, l lock, fn func(*tx) error) error {
	return n.engine.transact(ctx, l, func(t *tx) error { return fn(&tx{noisySession{t.session, n}}) })
}

type noisySession struct {
	session
	by *noisy
}

func (w noisySession) rows(query string, args ...any) (*sql.Rows, error) {
	if w.by.fails(query) {
		return nil, errDisk
	}
	return w.session.rows(query, args...)
}

// Whether there is room in the line is not known: the run is not turned away.
func TestGateTellsErrors(t *testing.T) {
	t.Parallel()
	s := newNoisy(t, "SELECT count(*) FROM runs", 0)
	second := rows.NewRun{Exclusive: true, MayWait: true, MaxWaiting: 1, Run: rows.Run{RunID: "r2", WorkflowID: "news-2", Campaign: "news"}}
	_, err := s.OpenRun(t.Context(), second)
	require.ErrorIs(t, err, errDisk)
}

// A run that could not be looked for is not one that is not there.
func TestFindRunTellsErrors(t *testing.T) {
	t.Parallel()
	s := newNoisy(t, "OFFSET", 1)
	_, err := s.FindRun(t.Context(), "news~3")
	require.ErrorIs(t, err, errDisk)
	require.NotErrorIs(t, err, rows.ErrNotFound)
}

// A long walk through a folder full of young blobs can be interrupted.
func TestCleanHearsItsContext(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	_, err := s.putBlob(t.Context(), []byte("young"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.engine.folder().clean(ctx, time.Time{}, s.named)
	require.ErrorIs(t, err, context.Canceled)
}
