package store

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func TestPostgresCreateAtOnce(t *testing.T) {
	t.Parallel()
	address := Cluster.Database(t)
	atOnce := func(files migrationSource, o Options) {
		ids := make([]string, 8)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				o := o
				o.Log = slog.New(slog.DiscardHandler)
				p, err := newPostgres(address, o, files)
				if err != nil {
					t.Error(err)
					return
				}
				s, err := open(t.Context(), p, o)
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
	atOnce(serverProgram(t, 1), Options{Create: true})
	atOnce(serverProgram(t, 2), Options{Migrate: MigrateAlways})
	var n int
	ask(t, address, "SELECT count(*) FROM goose_db_version WHERE version_id = 2", &n)
	require.Equal(t, 1, n)
}

// serverProgram is the migrations of a program of some version.
func serverProgram(t *testing.T, version int) migrationSource {
	t.Helper()
	first, err := embedded.ReadFile("migrations/postgres/00001_first.sql")
	require.NoError(t, err)
	files := fstest.MapFS{"00001_first.sql": {Data: first}}
	for v := 2; v <= version; v++ {
		files[fmt.Sprintf("%05d_step.sql", v)] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- +goose Up\nCREATE TABLE step_%d (x bigint);\n", v)}
	}
	return migrationSource{files}
}

func TestPostgresMigrate(t *testing.T) {
	t.Parallel()
	address := Cluster.Database(t)
	start := func(version int, o Options) error {
		s, err := openServer(t, address, o, serverProgram(t, version))
		if err != nil {
			return err
		}
		if err := s.Record(t.Context(), rows.Event{Verb: "opened"}); err != nil {
			return err
		}
		return s.Close()
	}
	require.NoError(t, start(1, Options{Create: true}))
	err := start(2, Options{Migrate: MigrateNever})
	require.ErrorContains(t, err, "its schema is version 1, older than this program's 2")
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	always := Options{Migrate: MigrateAlways}
	require.NoError(t, start(2, always))
	require.NoError(t, start(2, Options{Migrate: MigrateNever}))
	require.NoError(t, start(1, Options{}), "one step newer than the program")
	require.NoError(t, start(4, always))
	require.ErrorContains(t, start(1, Options{}), "its schema is version 4, newer than this program's 1")

	bad := serverProgram(t, 4)
	bad.FS.(fstest.MapFS)["00005_bad.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE half (x bigint);\nINSERT INTO nowhere VALUES (1);\n")}
	_, err = openServer(t, address, always, bad)
	require.ErrorContains(t, err, "nowhere")
	require.NoError(t, start(4, Options{}), "as it was")
}

// Who only opens a shared store leaves its schema alone, whatever it may on a file,
// and says what to type.
func TestPostgresIsNotMigratedByTheWay(t *testing.T) {
	t.Parallel()
	address := Cluster.Database(t)
	s, err := openServer(t, address, Options{Create: true}, serverProgram(t, 1))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for _, o := range []Options{{}, {Create: true}, {Migrate: MigrateAuto}, {Migrate: MigrateNever}} {
		_, err := openServer(t, address, o, serverProgram(t, 3))
		require.ErrorContains(t, err, "its schema is version 1, older than this program's 3; migrate it first: starter setup --migrate")
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	}
	var version int
	ask(t, address, "SELECT max(version_id) FROM goose_db_version", &version)
	require.Equal(t, 1, version)
}

// A creator that died half way leaves no store: the next that may create goes on.
func TestPostgresCreationIsGoneOnWith(t *testing.T) {
	t.Parallel()
	address := Cluster.Database(t)
	s, err := openServer(t, address, Options{Create: true}, serverProgram(t, 1))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	var gone int
	ask(t, address, "WITH d AS (DELETE FROM meta RETURNING 1) SELECT count(*) FROM d", &gone)
	require.Equal(t, 2, gone)
	s, err = openServer(t, address, Options{Create: true}, serverProgram(t, 3))
	require.NoError(t, err)
	require.NotEmpty(t, s.ID())
	require.NoError(t, s.Close())
}

// Both engines have the same tables with the same columns, step by step.
func TestSchemasAreAlike(t *testing.T) {
	t.Parallel()
	served, _ := newServed(t, Options{})
	file := newStore(t)
	has := func(s *Store, query string) map[string]bool {
		list, err := collect(s.reader(t.Context()), scanText, query)
		require.NoError(t, err)
		set := map[string]bool{}
		for _, name := range list {
			set[name] = true
		}
		return set
	}
	want := has(file, `SELECT m.name || '.' || p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name <> 'goose_db_version'`)
	got := has(served, `SELECT table_name::text || '.' || column_name::text FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT IN ('goose_db_version', 'writers')`)
	require.Equal(t, want, got)
	a, err := file.Schema(t.Context())
	require.NoError(t, err)
	b, err := served.Schema(t.Context())
	require.NoError(t, err)
	require.Equal(t, a, b)
}

// Teams share a database by a schema each: the address names it, and neither sees
// the other's store.
func TestPostgresSchemaForEachTeam(t *testing.T) {
	t.Parallel()
	address := Cluster.Database(t)
	var ids []string
	for _, team := range []string{"team_a", "team_b"} {
		_, err := Cluster.Cluster(t).SQL(t.Context(), databaseIn(address), "CREATE SCHEMA "+team)
		require.NoError(t, err)
		s, err := Open(t.Context(), address+"&search_path="+team, Options{Create: true})
		require.NoError(t, err)
		require.NoError(t, s.Record(t.Context(), rows.Event{Verb: team}))
		require.NoError(t, s.Close())
		ids = append(ids, s.ID())
	}
	require.NotEqual(t, ids[0], ids[1])
	for i, team := range []string{"team_a", "team_b"} {
		s, err := Open(t.Context(), address+"&search_path="+team, Options{})
		require.NoError(t, err)
		require.Equal(t, ids[i], s.ID())
		require.NoError(t, s.Close())
		var events int
		ask(t, address, "SELECT count(*) FROM "+team+".events WHERE verb = '"+team+"'", &events)
		require.Equal(t, 1, events)
	}
	_, err := Open(t.Context(), address, Options{})
	require.ErrorContains(t, err, "there is no store here", "the public schema is nobody's")
}

func databaseIn(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Path, "/")
}
