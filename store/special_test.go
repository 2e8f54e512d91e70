package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// What stands in the place of a body's file is read as a file of that size, or not
// at all: nobody waits for a pipe, and nothing fills the memory.
func TestASpecialFileIsNoBody(t *testing.T) {
	t.Parallel()
	dir := grown(t)
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, blobs)
	for name, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"huge": func(path string) error {
			f, err := os.Create(path)
			require.NoError(t, err)
			require.NoError(t, f.Truncate(1<<40))
			return f.Close()
		},
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		require.NoError(t, os.Remove(blobs[0]))
		require.NoError(t, put(blobs[0]))
		_, err = exported(t, filepath.Join(dir, "store.db"))
		require.ErrorIs(t, err, rows.ErrDamaged, name)
		require.Positive(t, sound(t, filepath.Join(dir, "store.db")), name)
	}
}

// A row that its key does not find any more is in no list: who reads everything is
// told so.
func TestAMissingRowIsNoShorterList(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a document":                    `DELETE FROM documents WHERE id = 'd7'`,
		"the key of a document":         `UPDATE documents SET id = 'd7777' WHERE id = 'd7'`,
		"the collection of a document":  `UPDATE documents SET collection = 'newt' WHERE id = 'd7'`,
		"the number of a document":      `UPDATE documents SET number = number + 1000000 WHERE id = 'd7'`,
		"the collection of a version":   `UPDATE versions SET collection = 'newt' WHERE number = (SELECT number FROM documents WHERE id = 'd7')`,
		"a version":                     `DELETE FROM versions WHERE number = (SELECT number FROM documents WHERE id = 'd7')`,
		"the span of an item's changes": `UPDATE items SET last_change = first_change`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(grown(t), "store.db")
			_, err := exported(t, path)
			require.NoError(t, err)
			s, err := Open(t.Context(), path, Options{})
			require.NoError(t, err)
			require.NoError(t, s.write(t.Context(), "spoil", "", func(tx *tx) error {
				_, err := tx.exec(statement)
				return err
			}))
			for _, f := range []rows.DocumentFilter{{Whole: true}, {Whole: true, Collection: "news"}, {Whole: true, Campaign: "news"}} {
				if name == "the span of an item's changes" && f.Campaign == "" {
					continue // not read
				}
				var last error
				for _, err := range s.Documents(t.Context(), f) {
					last = err
				}
				require.ErrorIs(t, last, rows.ErrDamaged, "%+v", f)
			}
			require.NoError(t, s.Close())
		})
	}
}

// An index that does not lead to a row hides it from every list. It is found without
// the extension that looks at indexes.
func TestPostgresVerifyReadsIndexes(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Cluster.Database(t), Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	it := oneItem(t, s)
	require.NoError(t, s.Write(t.Context(), onePageOf(it, 20, "x")).Err)
	require.Empty(t, wrongIndexes(t, s))
	ready := func(yes bool) {
		require.NoError(t, s.write(t.Context(), "spoil", "", func(tx *tx) error {
			_, err := tx.exec(`UPDATE pg_index SET indisready = ? = 1 WHERE indexrelid IN ('documents_pkey'::regclass, 'versions_pkey'::regclass)`, yes)
			return err
		}))
	}
	ready(false)
	it.Seq++
	it.Checkpoint.Version++
	require.NoError(t, s.Write(t.Context(), onePageOf(it, 3, "hidden")).Err)
	ready(true)
	require.Subset(t, wrongIndexes(t, s), []string{
		"index documents_pkey: the table has 23 rows for it, and it leads to 20, or to others",
		"index versions_pkey: the table has 23 rows for it, and it leads to 20, or to others",
	})
}

func wrongIndexes(t *testing.T, s *Store) (all []string) {
	t.Helper()
	list, err := s.Verify(t.Context(), nil)
	require.NoError(t, err)
	for _, c := range list {
		all = append(all, c.Examples...)
	}
	return all
}
