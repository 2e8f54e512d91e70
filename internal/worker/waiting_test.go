package worker

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/store"
)

// held is a station whose store another one is writing to, until release.
func held(t *testing.T) (s *service, log *buffer, release func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "v.db")
	opened, err := store.Open(t.Context(), path, store.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	other, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	other.SetMaxOpenConns(1)
	_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	p, log := newProgram(t, nil)
	s = &service{serviceParts: serviceParts{Store: opened, Log: p.newLog(config.Settings{})}}
	s.does("")
	return s, log, func() {
		_, err := other.ExecContext(t.Context(), "ROLLBACK")
		require.NoError(t, err)
	}
}

// A worker that waits for the store says so, says who holds it, and goes on by
// itself.
func TestWaitsForTheStore(t *testing.T) {
	t.Parallel()
	s, log, release := held(t)
	done := make(chan error, 1)
	go func() { done <- s.waitStore(t.Context()) }()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "waits for the store") }, time.Minute, 20*time.Millisecond)
	require.Contains(t, log.String(), "holds the file for writing")
	require.Contains(t, s.state(), "holds the file for writing")
	release()
	require.NoError(t, <-done)
	require.Contains(t, log.String(), "waits no longer for the store")
}

func TestWaitingForTheStoreEndsWhenToldTo(t *testing.T) {
	t.Parallel()
	s, log, release := held(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.waitStore(ctx) }()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "waits for the store") }, time.Minute, 20*time.Millisecond)
	stop()
	<-done
	require.NotContains(t, log.String(), "waits no longer")
	release()
}

// A server that is away is waited for, and its password is not shown.
func TestWorkerWaitsForAServerOfTheStore(t *testing.T) {
	t.Parallel()
	p, out := newProgram(t, nil, "--store", "postgres://u:s3cr3t@127.0.0.1:1/law")
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int)
	go func() { code <- Main(ctx, p.Env, p.fetchers) }()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "waits for the store") }, time.Minute, 20*time.Millisecond)
	stop()
	require.Equal(t, process.OK, <-code, "told to stop, it stops")
	require.NotContains(t, out.String(), "s3cr3t")
}
