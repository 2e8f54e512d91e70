package store

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// ask runs one statement on a connection of its own.
func ask(t *testing.T, address, query string, into ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer c.Close(context.Background())
	if len(into) == 0 {
		_, err = c.Exec(t.Context(), query)
	} else {
		err = c.QueryRow(t.Context(), query).Scan(into...)
	}
	require.NoError(t, err)
}

func openServer(t *testing.T, address string, o Options, files migrationSource) (*Store, error) {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	p, err := newPostgres(address, o, files)
	require.NoError(t, err)
	return open(t.Context(), p, o)
}

func newServed(t *testing.T, o Options) (*Store, string) {
	t.Helper()
	address := Cluster.Database(t)
	o.Create = true
	s, err := Open(t.Context(), address, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, address
}

func TestPostgresRefuses(t *testing.T) {
	t.Parallel()
	empty, theirs := Cluster.Database(t), Cluster.Database(t)
	ask(t, theirs, "CREATE TABLE theirs (x int)")
	with := func(address string, change func(*url.URL)) string {
		u, err := url.Parse(address)
		require.NoError(t, err)
		change(u)
		return u.String()
	}
	for _, c := range []struct {
		address, text string
		create        bool
		kind          harvest.Kind
	}{
		{empty, "there is no store here", false, harvest.KindMisconfigured},
		{theirs, "a database of another program", false, harvest.KindMisconfigured},
		{theirs, "a database of another program", true, harvest.KindMisconfigured},
		{with(empty, func(u *url.URL) { u.Path = "/nowhere" }), "createdb -E UTF8 -T template0", true, harvest.KindMisconfigured},
		{with(empty, func(u *url.URL) { u.User = url.UserPassword("nobody", "secret") }), "refuses this user", true, harvest.KindMisconfigured},
		{"postgres://u:secret@127.0.0.1:1/db", "cannot be reached", true, harvest.KindInternal},
		{"postgres://u:se%zzcret@127.0.0.1/db", "cannot be read", true, harvest.KindMisconfigured},
		{"postgres://u:sec/ret@127.0.0.1/db", "cannot be read", true, harvest.KindMisconfigured},
		{"postgres://u@127.0.0.1/db?password=secret&sslmode=nonsense", "cannot be read", true, harvest.KindMisconfigured},
	} {
		_, err := Open(t.Context(), c.address, Options{Create: c.create})
		require.ErrorContains(t, err, c.text, c.address)
		require.Equal(t, c.kind, harvest.KindOf(err), c.address)
		require.NotContains(t, err.Error(), "ret")
	}
	var n int
	ask(t, theirs, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace", &n)
	require.Equal(t, 1, n, "nothing was changed")
}

func TestPostgresAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://u:secret@h:5433/db":                          "postgres://u@h:5433/db",
		"postgresql://h/db?sslmode=disable&password=secret":      "postgresql://h/db?sslmode=disable",
		"postgres://:secret@h/db?sslpassword=secret&passfile=/x": "postgres://h/db",
	} {
		p, err := newPostgres(address, Options{}, migrationFiles("postgres"))
		require.NoError(t, err, address)
		require.Equal(t, want, p.address())
	}
}

func TestPostgresConnections(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{Connections: 3, Purpose: "test"})
	it := oneItem(t, s)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := s.RunByID(t.Context(), it.Run); err != nil {
					t.Error(err)
					return
				}
				if err := s.Record(t.Context(), rows.Event{Verb: "x"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	held := func() (n int) {
		ask(t, address, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'vendemmia test (%'", &n)
		return n
	}
	require.Eventually(t, func() bool { return held() >= 3 }, time.Minute, time.Millisecond)
	for range 20 {
		require.LessOrEqual(t, held(), 3)
	}
	close(stop)
	wg.Wait()
}

// Whoever closes leaves no trace among the writers, nor do those who could not.
func TestPostgresLeaves(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{})
	other, err := Open(t.Context(), address, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Check(t.Context()))
	ask(t, address, fmt.Sprintf("INSERT INTO writers VALUES ('killed', 1, %d), ('killed lately', 1, %d)",
		micros(time.Now().Add(-8*24*time.Hour)), micros(time.Now().Add(-time.Hour))))
	require.NoError(t, other.Check(t.Context()))
	left := func() (n int) {
		ask(t, address, "SELECT count(*) FROM writers", &n)
		return n
	}
	require.Equal(t, 4, left())
	require.NoError(t, other.Close())
	require.Equal(t, 2, left(), "it still works, or was killed lately")
	require.NoError(t, s.Check(t.Context()))
}

// Text that the server refuses never reaches it.
func TestPostgresOddText(t *testing.T) {
	t.Parallel()
	s, _ := newServed(t, Options{})
	require.NoError(t, s.Record(t.Context(), rows.Event{Verb: "a\x00b", On: "\xff", By: "x"}))
	it := oneItem(t, s)
	w := onePageOf(it, 0, "")
	w.Worker = "w\x00"
	w.Page.Params, w.Page.Page.Checkpoint = "\xfe", []byte("{\"a\":\"\xff\\u0000\"}")
	w.Page.Page.Warnings = []string{"w\x00\xff"}
	w.Ledger = []visit.Exchange{{URL: "\x00", Method: "\xff", Host: "\x00", Error: "\xff\x00"}}
	for i := range 5 { // as many as a reader looks for beforehand
		w.Page.Page.Documents = append(w.Page.Page.Documents, harvest.Document{ID: fmt.Sprint(i), Title: "\x00", Fields: map[string]any{"f": "\x00\xff"}, Body: []byte("b\x00\xff")})
	}
	require.NoError(t, s.Write(t.Context(), w).Err)
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{}) {
		require.NoError(t, err)
		require.Equal(t, "\uFFFD", d.Line.Title)
	}
}

func TestPostgresBlobsAreCleaned(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{})
	it := oneItem(t, s)
	big := strings.Repeat("big ", 20_000)
	w := onePageOf(it, 0, "")
	w.Page.Page.Documents = []harvest.Document{{ID: "kept", Body: []byte(big)}}
	require.NoError(t, s.Write(t.Context(), w).Err)
	orphan, err := s.putBlob(t.Context(), []byte("an orphan"))
	require.NoError(t, err)
	again, err := s.putBlob(t.Context(), []byte("put again"))
	require.NoError(t, err)
	ask(t, address, fmt.Sprintf("UPDATE blobs SET created = %d", micros(time.Now().Add(-25*time.Hour))))
	_, err = s.putBlob(t.Context(), []byte("put again"))
	require.NoError(t, err)
	removed, err := s.Clean(t.Context(), rows.Retention{})
	require.NoError(t, err)
	require.Equal(t, 1, removed.Blobs)
	_, err = s.Blob(t.Context(), orphan)
	require.ErrorIs(t, err, rows.ErrNotFound)
	for _, digest := range []string{again, harvest.Digest([]byte(big))} {
		r, err := s.Blob(t.Context(), digest)
		require.NoError(t, err)
		require.NoError(t, r.Close())
	}
	d, err := s.Document(t.Context(), "news", "kept")
	require.NoError(t, err)
	require.Equal(t, big, d.Line.Body)
}

func TestPostgresReadOnly(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{})
	it := oneItem(t, s)
	u, err := url.Parse(address)
	require.NoError(t, err)
	ask(t, address, "ALTER DATABASE "+strings.TrimPrefix(u.Path, "/")+" SET default_transaction_read_only = on")
	other, err := Open(t.Context(), address, Options{})
	require.NoError(t, err, "it can be read")
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	for _, err := range []error{other.Check(t.Context()), other.Write(t.Context(), onePageOf(it, 1, "x")).Err} {
		require.ErrorContains(t, err, "the database is read-only")
		require.Equal(t, harvest.KindInternal, harvest.KindOf(err))
	}
}
