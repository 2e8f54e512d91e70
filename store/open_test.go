package store

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE theirs (x)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	before, err := os.ReadFile(other)
	require.NoError(t, err)

	for address, text := range map[string]string{
		filepath.Join(dir, "nowhere.db"):        "there is no store here",
		"sqlite:" + file("empty.db", ""):        "there is no store here",
		dir:                                     "this is a folder",
		other:                                   "another program",
		"postgres://user:se cret@host/db":       "cannot be read",
		"mysql://user:secret@host/db":           "unknown kind of store mysql",
		"sqlite:":                               "the path is empty",
		filepath.Join(dir, "a", "b", "none.db"): "there is no store here",
	} {
		_, err := Open(t.Context(), address, Options{})
		require.ErrorContains(t, err, text, address)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err), address)
		require.NotContains(t, err.Error(), "cret")
	}
	_, err = Open(t.Context(), other, Options{Create: true})
	require.ErrorContains(t, err, "another program", "not even when asked to create")
	after, err := os.ReadFile(other)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after), "and not a byte of it was changed")
	require.NoFileExists(t, filepath.Join(dir, "nowhere.db"))

	_, err = Open(t.Context(), file("text.db", "this is a text and no database, of some length at least, that goes on and on for more than a hundred bytes"), Options{})
	require.ErrorContains(t, err, "damaged or no database")
}

func TestOpenOddPath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder", "what? 50%25#1&mode=ro.db")
	s, err := Open(t.Context(), "sqlite:"+path, Options{Create: true})
	require.NoError(t, err)
	require.Equal(t, "sqlite:"+path, s.Address())
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, s.Close())
	require.FileExists(t, path)
}

func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new.db")
	ids := make([]string, 12)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			s, err := Open(t.Context(), path, Options{Create: true})
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = s.ID()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
}

// Two processes make one store; the first is between two migrations, or died
// there, when the second opens it.
func TestAStoreWithoutItsNameGetsOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new.db")
	for version := 1; version <= 3; version++ {
		s, err := openFile(t, path, Options{Create: true}, program(t, version))
		require.NoError(t, err, "version %d", version)
		require.NotEmpty(t, s.ID())
		require.NoError(t, s.Close())
		db, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), "DELETE FROM meta")
		require.NoError(t, errors.Join(err, db.Close()))
	}
}

// program is the migrations of a program of some version: the real first one,
// and made-up ones after it.
func program(t *testing.T, version int) migrationSource {
	t.Helper()
	first, err := embedded.ReadFile("migrations/sqlite/00001_first.sql")
	require.NoError(t, err)
	files := fstest.MapFS{"00001_first.sql": {Data: first}}
	for v := 2; v <= version; v++ {
		files[fmt.Sprintf("%05d_step.sql", v)] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- +goose Up\nCREATE TABLE step_%d (x INTEGER);\n", v)}
	}
	return migrationSource{files}
}

func openFile(t *testing.T, path string, o Options, files migrationSource) (*Store, error) {
	o.Log = slog.New(slog.DiscardHandler)
	return open(t.Context(), newSQLite(path, o, files), o)
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	start := func(version int, o Options) error {
		s, err := openFile(t, path, o, program(t, version))
		if err != nil {
			return err
		}
		if err := s.Record(t.Context(), rows.Event{Verb: "opened", On: fmt.Sprint(version)}); err != nil {
			return err
		}
		return s.Close()
	}
	require.NoError(t, start(1, Options{Create: true}))
	require.NoFileExists(t, path+".before-1", "a new store needs no copy")

	err := start(2, Options{Migrate: MigrateNever})
	require.ErrorContains(t, err, "its schema is version 1, older than this program's 2")
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.NoError(t, start(2, Options{}))
	require.FileExists(t, path+".before-1")
	require.NoError(t, start(2, Options{Migrate: MigrateNever}))
	require.NoError(t, start(1, Options{}), "one step newer than the program")

	require.NoError(t, start(4, Options{}))
	require.FileExists(t, path+".before-2")
	err = start(1, Options{})
	require.ErrorContains(t, err, "its schema is version 4, newer than this program's 1")

	copied, err := openFile(t, path+".before-1", Options{}, program(t, 1))
	require.NoError(t, err, "the copy is a whole store")
	events, err := copied.Events(t.Context(), "", time.Time{}, 0)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.NoError(t, copied.Close())
}

func TestMigrateFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := openFile(t, path, Options{Create: true}, program(t, 1))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	bad := program(t, 1)
	bad.FS.(fstest.MapFS)["00002_bad.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE half (x INTEGER);\nINSERT INTO nowhere VALUES (1);\n")}
	_, err = openFile(t, path, Options{}, bad)
	require.ErrorContains(t, err, "nowhere")
	require.Equal(t, harvest.KindInternal, harvest.KindOf(err))
	s, err = openFile(t, path, Options{}, program(t, 1))
	require.NoError(t, err, "as it was")
	n, err := number(s.reader(t.Context()), "SELECT count(*) FROM sqlite_schema WHERE name = 'half'")
	require.NoError(t, err)
	require.Zero(t, n)
	require.NoError(t, s.Close())
}
