package pgtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// install puts programs into a folder, as a package would.
func install(t *testing.T, folder string, names ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o755))
	}
}

func TestTheNewestWholeServerIsTaken(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	pattern := filepath.Join(dir, "*", "bin")
	_, err := binaries(pattern)
	require.ErrorIs(t, err, ErrMissing)
	require.ErrorContains(t, err, "install package postgresql")

	install(t, filepath.Join(dir, "9", "bin"), "initdb", "postgres", "pg_ctl", "psql")
	install(t, filepath.Join(dir, "16", "bin"), "initdb", "postgres", "pg_ctl", "psql")
	install(t, filepath.Join(dir, "17", "bin"), "pg_dump", "psql")
	found, err := binaries(pattern)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "16", "bin"), found)

	install(t, filepath.Join(dir, "bin"), "initdb", "postgres", "pg_ctl", "psql")
	found, err = binaries(pattern)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "bin"), found, "PATH outranks packages")
}

// watched remembers how a test was ended.
type watched struct {
	testing.TB
	skipped, failed bool
}

func (w *watched) Helper()      {}
func (w *watched) Skip(...any)  { w.skipped = true }
func (w *watched) Fatal(...any) { w.failed = true }

func TestWithoutServerTestsAreSkippedAndFailInCI(t *testing.T) {
	t.Setenv("CI", "")
	var w watched
	available(&w, ErrMissing)
	require.Equal(t, watched{skipped: true}, w)
	t.Setenv("CI", "true")
	w = watched{}
	available(&w, ErrMissing)
	require.Equal(t, watched{failed: true}, w)
	w = watched{}
	available(&w, nil)
	require.Equal(t, watched{}, w)
}
