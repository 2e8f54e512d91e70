package store

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// A copy that is made while pages are written is whole: it opens, Verify finds
// nothing, and it has all that was there when it was begun.
func TestBackupWhileOthersWrite(t *testing.T) {
	t.Parallel()
	for name, house := range map[string]struct {
		create  func(t *testing.T) string
		putBack func(t *testing.T, copied string) (address string)
	}{
		"sqlite": {
			create:  func(t *testing.T) string { return filepath.Join(t.TempDir(), "store.db") },
			putBack: func(_ *testing.T, copied string) string { return copied },
		},
		"postgres": {
			create: func(t *testing.T) string { Cluster.Cluster(t); return Cluster.Database(t) },
			putBack: func(t *testing.T, copied string) string {
				t.Helper()
				empty := Cluster.Database(t)
				out, err := exec.CommandContext(t.Context(), "pg_restore", "--no-owner", "--exit-on-error", "--dbname", empty, copied).CombinedOutput()
				require.NoError(t, err, string(out))
				return empty
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), house.create(t), Options{Create: true})
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			it, pages := grow(t, s)
			before, err := s.Counts(t.Context(), "")
			require.NoError(t, err)
			stop := writing(t, s, it, pages)
			folder := filepath.Join(t.TempDir(), "copies")
			made, err := s.Backup(t.Context(), BackupOptions{Folder: folder, Now: time.Now()})
			stop()
			require.NoError(t, err)
			require.Positive(t, made.Bytes)
			require.Zero(t, sound(t, house.putBack(t, made.Path)))
			copied, err := Open(t.Context(), house.putBack(t, made.Path), Options{})
			require.NoError(t, err)
			defer copied.Close() // only read
			after, err := copied.Counts(t.Context(), "")
			require.NoError(t, err)
			require.GreaterOrEqual(t, after.Documents, before.Documents)
			again, err := s.Backup(t.Context(), BackupOptions{Folder: folder, Now: time.Now().Add(time.Second), Keep: 1})
			require.NoError(t, err)
			require.Zero(t, again.Blobs, "those of before are not copied again")
			require.Equal(t, []string{made.Path}, again.Removed)
			require.NoFileExists(t, made.Path)
		})
	}
}

// writing commits pages until the returned function is called.
func writing(t *testing.T, s *Store, it rows.ClaimedItem, pages int) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		for n := pages; ctx.Err() == nil; n++ {
			w := onePageOf(it, 5, strings.Repeat("x", n))
			w.Page.Seq, w.Page.Version = n+1, int64(n)
			if err := s.Write(context.WithoutCancel(ctx), w).Err; err != nil {
				t.Errorf("write beside the backup: %v", err)
				return
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// A copy that does not come to its end leaves nothing that looks like one.
func TestBackupInterrupted(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	grow(t, s)
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Backup(ctx, BackupOptions{Folder: folder, Now: time.Now()})
	require.Error(t, err)
	list, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range list {
		require.Equal(t, "blobs", entry.Name())
	}
}
