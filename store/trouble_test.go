package store

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// One line of log when the disk is full, one when there is space again, however
// often a write was tried in between; meanwhile the store does not pass its check.
func TestAFullDiskIsOneLineOfLogAndFailsTheCheck(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{Create: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	it := oneItem(t, s)
	pages, err := number(s.reader(t.Context()), "PRAGMA page_count")
	require.NoError(t, err)
	pragma(t, s, fmt.Sprintf("max_page_count = %d", pages+2))
	log.Reset()
	big := onePageOf(it, 100, strings.Repeat("t", 4000))
	for range 5 {
		var writes sync.WaitGroup
		for range 3 {
			writes.Go(func() {
				if got := s.Write(t.Context(), big); got.Err == nil {
					t.Error("there was space")
				}
			})
		}
		writes.Wait()
	}
	require.ErrorContains(t, s.Check(t.Context()), "the disk is full")
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())

	pragma(t, s, "max_page_count = 100000")
	require.NoError(t, s.Write(t.Context(), big).Err)
	require.NoError(t, s.Check(t.Context()))
	require.Equal(t, 2, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "takes writes again")
}
