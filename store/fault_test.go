package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// fileOf is the engine under a store that is a file.
func fileOf(s *Store) *sqliteFile { return s.engine.(*sqliteFile) }

// pragma sets something on the writing connection.
func pragma(t *testing.T, s *Store, text string) {
	t.Helper()
	require.NoError(t, s.takeTurn(t.Context()))
	defer s.giveTurn()
	_, err := fileOf(s).writer.conn.ExecContext(t.Context(), "PRAGMA "+text)
	require.NoError(t, err)
}

// oneItem opens a run and claims its only item.
func oneItem(t *testing.T, s *Store) rows.ClaimedItem {
	t.Helper()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "r", WorkflowID: "news-1", Campaign: "news"}})
	require.NoError(t, err)
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, []rows.RunItem{{Entry: "feed", Key: "a", Fetcher: "feed"}}))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Epoch: 1, Max: 1})
	require.NoError(t, err)
	require.Len(t, got.Items, 1)
	return got.Items[0]
}

func onePageOf(it rows.ClaimedItem, n int, body string) rows.Write {
	w := rows.Write{Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, At: time.Now(), Page: &rows.PageWrite{Seq: it.Seq + 1, Version: it.Checkpoint.Version, Collection: "news"}}
	for i := range n {
		w.Page.Page.Documents = append(w.Page.Page.Documents, harvest.Document{ID: fmt.Sprintf("%d-%d", it.Seq, i), Title: body})
	}
	return w
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	it := oneItem(t, s)
	pages, err := number(s.reader(t.Context()), "PRAGMA page_count")
	require.NoError(t, err)
	pragma(t, s, fmt.Sprintf("max_page_count = %d", pages+2))
	big := onePageOf(it, 100, strings.Repeat("t", 4000))
	got := s.Write(t.Context(), big)
	require.ErrorContains(t, got.Err, "the disk is full")
	require.Equal(t, harvest.KindInternal, harvest.KindOf(got.Err))
	require.Contains(t, got.Err.Error(), "free some space")
	counts, err := s.Counts(t.Context(), "")
	require.NoError(t, err)
	require.Zero(t, counts, "nothing was half written")
	require.Equal(t, rows.TroubleFull, troubleOf(t, got.Err))
	now, since := s.Trouble()
	require.Equal(t, rows.TroubleFull, now)
	require.WithinDuration(t, time.Now(), since, time.Minute)
	require.ErrorContains(t, s.Check(t.Context()), "the disk is full", "room for one row is not enough")

	pragma(t, s, "max_page_count = 100000")
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, s.Write(t.Context(), big).Err, "and goes on when there is space")
	now, _ = s.Trouble()
	require.Empty(t, now)
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	it := oneItem(t, s)
	pragma(t, s, "query_only = 1")
	for _, err := range []error{s.Check(t.Context()), s.Write(t.Context(), onePageOf(it, 1, "x")).Err} {
		require.ErrorContains(t, err, "the store cannot be written")
		require.Equal(t, harvest.KindInternal, harvest.KindOf(err))
		require.Equal(t, rows.TroubleReadOnly, troubleOf(t, err))
		require.Contains(t, err.Error(), "owner and mode")
	}
	pragma(t, s, "query_only = 0")
	require.NoError(t, s.Check(t.Context()))
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 8192; i < len(content); i++ {
		content[i] = 0xA5
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	_, err = Open(t.Context(), path, Options{})
	require.ErrorContains(t, err, "damaged")
	require.Contains(t, err.Error(), "restore the last backup")
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}: "the disk is full",
		&os.PathError{Op: "open", Path: "x", Err: syscall.EROFS}:   "the store cannot be written",
		&os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}:  "the store cannot be written",
		errors.New("something else"):                               "",
	} {
		require.Equal(t, want, diagnose(err).text)
	}
	require.NoError(t, fault("x", "y", nil))
	require.ErrorIs(t, fault("x", "y", fmt.Errorf("z: %w", rows.ErrFenced)), rows.ErrFenced)
	require.ErrorIs(t, fault("x", "y", context.Canceled), context.Canceled)
}

// Another process holds the file: writes wait for it, as long as they may.
func TestAnotherWriter(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	other, err := Open(t.Context(), fileOf(s).path, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	require.NoError(t, other.takeTurn(t.Context()))
	require.NoError(t, fileOf(other).writer.begin(t.Context()))

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Record(ctx, rows.Event{Verb: "x"}) }()
	require.Eventually(t, func() bool { return len(s.turn) == 1 }, time.Minute, time.Millisecond, "it waits for the file only")
	stop()
	err = <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "holds the file for writing")
	if _, unknown := os.Stat("/proc/locks"); unknown == nil {
		require.ErrorContains(t, err, fmt.Sprintf("process %d (", os.Getpid()))
	}
	go func() { done <- s.Record(t.Context(), rows.Event{Verb: "y"}) }()
	_, err = fileOf(other).writer.exec("COMMIT")
	require.NoError(t, err)
	other.giveTurn()
	require.NoError(t, <-done)
}

// A busy process must not keep another one from writing.
func TestNobodyStarves(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	other, err := Open(t.Context(), fileOf(s).path, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.Record(t.Context(), rows.Event{Verb: "busy"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	patient, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	slowest := time.Duration(0)
	for range 20 {
		start := time.Now()
		require.NoError(t, other.Record(patient, rows.Event{Verb: "other"}))
		slowest = max(slowest, time.Since(start))
	}
	close(stop)
	wg.Wait()
	t.Logf("the slowest write beside a busy process took %v", slowest)
}

func TestBlobsAreCleaned(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	it := oneItem(t, s)
	big := strings.Repeat("big ", 20_000)
	w := onePageOf(it, 0, "")
	w.Page.Page.Documents = []harvest.Document{{ID: "kept", Body: []byte(big)}}
	raw, err := s.putBlob(t.Context(), []byte("a raw answer"))
	require.NoError(t, err)
	w.Ledger = []visit.Exchange{{At: time.Now(), Method: "GET", Host: "example.org", Raw: raw}}
	require.NoError(t, s.Write(t.Context(), w).Err)
	orphan, err := s.putBlob(t.Context(), []byte("an orphan"))
	require.NoError(t, err)
	young, err := s.putBlob(t.Context(), []byte("a young orphan"))
	require.NoError(t, err)
	foreign := filepath.Join(s.engine.folder().root, "README")
	require.NoError(t, os.WriteFile(foreign, []byte("not ours"), 0o600))
	left := filepath.Join(s.engine.folder().root, "ab", ".part-1")
	require.NoError(t, os.MkdirAll(filepath.Dir(left), 0o755))
	require.NoError(t, os.WriteFile(left, []byte("half"), 0o600))
	age := func(path string) {
		old := time.Now().Add(-25 * time.Hour)
		require.NoError(t, os.Chtimes(path, old, old))
	}
	for _, digest := range []string{harvest.Digest([]byte(big)), raw, orphan} {
		path, err := s.engine.folder().file(digest)
		require.NoError(t, err)
		age(path)
	}
	age(foreign)
	age(left)

	removed, err := s.Clean(t.Context(), rows.Retention{Campaign: "news"})
	require.NoError(t, err)
	require.Zero(t, removed.Blobs, "blobs belong to all campaigns")
	removed, err = s.Clean(t.Context(), rows.Retention{})
	require.NoError(t, err)
	require.Equal(t, 2, removed.Blobs, "the orphan and what a killed write left")
	for _, digest := range []string{harvest.Digest([]byte(big)), raw, young} {
		r, err := s.Blob(t.Context(), digest)
		require.NoError(t, err)
		require.NoError(t, r.Close())
	}
	require.FileExists(t, foreign)
	removed, err = s.Clean(t.Context(), rows.Retention{Raw: time.Now().Add(time.Hour)})
	require.NoError(t, err)
	require.Equal(t, 1, removed.Blobs, "the raw answer, once its line lets go of it")
}

func TestHashes(t *testing.T) {
	t.Parallel()
	for _, hash := range []string{harvest.Digest([]byte("x")), "v1", "", "sha256:short", strings.ToUpper(harvest.Digest(nil)), strings.Repeat("y", 32), strings.Repeat("z", 33), "\x01" + strings.Repeat("q", 32)} {
		require.Equal(t, hash, unpackHash(packHash(hash)))
	}
	require.Len(t, packHash(harvest.Digest(nil)), 33)
}

// A page of the old holder and the claim of the new one in one transaction: the
// page comes first, and the claim goes on from it.
func TestClaimBesidePage(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	it := oneItem(t, s)
	page, err := s.prepareJob(t.Context(), onePageOf(it, 1, "x"))
	require.NoError(t, err)
	claim := &job{claim: &rows.Claim{Run: it.Run, Epoch: 2, Worker: "new", Max: 1, Now: time.Now()}, Write: rows.Write{Run: it.Run}, done: make(chan struct{})}
	require.NoError(t, s.takeTurn(t.Context()))
	s.commit([]*job{claim, page})
	s.giveTurn()
	require.NoError(t, page.answer.Err)
	require.Len(t, claim.claimed.Items, 1)
	require.Equal(t, 1, claim.claimed.Items[0].Seq)
	require.EqualValues(t, 1, claim.claimed.Items[0].Checkpoint.Version)
	it.Seq, it.Checkpoint.Version = 1, 1
	require.ErrorIs(t, s.Write(t.Context(), onePageOf(it, 1, "later")).Err, rows.ErrFenced)
}

func troubleOf(t *testing.T, err error) rows.Trouble {
	t.Helper()
	var e *rows.TroubleError
	require.ErrorAs(t, err, &e)
	return e.Trouble
}
