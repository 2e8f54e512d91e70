package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// grown is a closed store with documents of all kinds, and its folder.
func grown(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), filepath.Join(dir, "store.db"), Options{Create: true})
	require.NoError(t, err)
	grow(t, s)
	require.NoError(t, s.Close())
	return dir
}

// grow writes documents of all kinds, and returns the item with the number of its pages.
func grow(t *testing.T, s *Store) (rows.ClaimedItem, int) {
	t.Helper()
	const pages = 8
	it := oneItem(t, s)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range pages {
		w := onePageOf(it, 0, "")
		w.Page.Seq, w.Page.Version = n+1, int64(n)
		for i := range 40 {
			body := make([]byte, 100+r.IntN(3000))
			for k := range body {
				body[k] = 'a' + byte(r.IntN(26))
			}
			if i == 7 {
				body = bytes.Repeat(body, 100) // a blob
			}
			w.Page.Page.Documents = append(w.Page.Page.Documents, harvest.Document{
				ID: fmt.Sprintf("d%d", (n%5)*40+i), Title: fmt.Sprint("title ", n, i), Body: body, Fields: map[string]any{"n": float64(n), "s": "text"},
			})
		}
		require.NoError(t, s.Write(t.Context(), w).Err)
	}
	return it, pages
}

// exported is all that a reader gets, or the error.
func exported(t *testing.T, path string) (out []byte, err error) {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close() // a broken one may not close
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{Bodies: true, Whole: true}) {
		if err != nil {
			return nil, err
		}
		line, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		out = append(append(out, line...), '\n')
	}
	for ch, err := range s.Changes(t.Context(), rows.ChangeFilter{Bodies: true, Whole: true}) {
		if err != nil {
			return nil, err
		}
		out = fmt.Appendf(out, "%d %s %s\n", ch.Number, ch.Op, ch.Document.Line.Body)
	}
	return out, nil
}

// sound says what Verify finds wrong.
func sound(t *testing.T, path string) (wrong int64) {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		return 1
	}
	defer s.Close() // a broken one may not close
	list, err := s.Verify(t.Context(), nil)
	if err != nil {
		return 1
	}
	for _, c := range list {
		wrong += c.Wrong
	}
	return wrong
}

// Bits are flipped in the file. A reader of everything gets what was written, or an
// error, and Verify finds what the error is about.
func TestBitRotIsNeverSilent(t *testing.T) {
	t.Parallel()
	from := grown(t)
	want, err := exported(t, filepath.Join(from, "store.db"))
	require.NoError(t, err)
	require.Zero(t, sound(t, filepath.Join(from, "store.db")))
	content, err := os.ReadFile(filepath.Join(from, "store.db"))
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	errorsSeen := 0
	for n := range 24 {
		path := filepath.Join(t.TempDir(), "store.db")
		rotten := bytes.Clone(content)
		for range 1 + 7*(n%2) {
			rotten[r.IntN(len(rotten))] ^= 1 << r.IntN(8)
		}
		require.NoError(t, os.WriteFile(path, rotten, 0o600))
		require.NoError(t, os.CopyFS(filepath.Join(filepath.Dir(path), "blobs"), os.DirFS(filepath.Join(from, "blobs"))))
		got, err := exported(t, path)
		switch {
		case err != nil:
			errorsSeen++
			require.Positive(t, sound(t, path), err)
		case !bytes.Equal(got, want):
			require.Fail(t, "other documents without an error", "of %d bytes %d", len(want), len(got))
		}
	}
	t.Logf("24 times 1 or 8 bits: %d times an error where it was read", errorsSeen)
}

func TestRottenBlobs(t *testing.T) {
	t.Parallel()
	dir := grown(t)
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, blobs)
	for _, blob := range blobs {
		content, err := os.ReadFile(blob)
		require.NoError(t, err)
		content[len(content)/2] ^= 4
		require.NoError(t, os.WriteFile(blob, content, 0o600))
		_, err = exported(t, filepath.Join(dir, "store.db"))
		require.ErrorIs(t, err, rows.ErrDamaged)
		require.Positive(t, sound(t, filepath.Join(dir, "store.db")))
		content[len(content)/2] ^= 4
		require.NoError(t, os.WriteFile(blob, content, 0o600))
	}
	require.NoError(t, os.Remove(blobs[0]))
	require.Positive(t, sound(t, filepath.Join(dir, "store.db")), "one is missing")
}
