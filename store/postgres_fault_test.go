package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/pgtest"
)

// boundCommit is in the message that runs COMMIT: the driver prepares statements
// under the digest of their text, and runs them by that name on the portal "".
var boundCommit = fmt.Appendf(nil, "\x00stmtcache_%x\x00", sha256Of("COMMIT")[:24])

func sha256Of(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// cutter stands between a store and its server. When it is armed, it cuts the
// line at the next COMMIT: before the server has it, or before the answer.
type cutter struct {
	listener net.Listener
	server   string
	before   atomic.Bool
	after    atomic.Bool
	cuts     atomic.Int32
}

func newCutter(t *testing.T, address string) (*cutter, string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{listener: l, server: u.Host}
	go c.serve()
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	u.Host = l.Addr().String()
	return c, u.String()
}

func (c *cutter) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			client.Close()
			continue
		}
		go c.forward(client, server)
		go func() {
			io.Copy(client, server) //nolint:errcheck // the line ends somehow
			client.Close()
		}()
	}
}

func (c *cutter) forward(client, server net.Conn) {
	defer server.Close()
	defer client.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		commits := bytes.Contains(buffer[:n], boundCommit)
		if commits && c.before.CompareAndSwap(true, false) {
			c.cuts.Add(1)
			return
		}
		cut := commits && c.after.CompareAndSwap(true, false)
		if cut {
			client.Close()
			c.cuts.Add(1)
		}
		if _, err := server.Write(buffer[:n]); err != nil || cut {
			return
		}
	}
}

func TestLostCommit(t *testing.T) {
	t.Parallel()
	for name, arm := range map[string]func(*cutter){
		"before the server had it": func(c *cutter) { c.before.Store(true) },
		"before the answer came":   func(c *cutter) { c.after.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, address := newCutter(t, Cluster.Database(t))
			s, err := Open(t.Context(), address, Options{Create: true})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			g, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "r", WorkflowID: "news-1", Campaign: "news"}})
			require.NoError(t, err)
			arm(c)
			require.NoError(t, s.AddItems(t.Context(), g.Run.ID, []rows.RunItem{{Entry: "feed", Key: "a", Fetcher: "feed"}, {Ord: 1, Entry: "feed", Key: "b", Fetcher: "feed"}}))
			arm(c)
			_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
			require.NoError(t, err)
			arm(c)
			got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Hi: 9, Epoch: 1, Max: 1})
			require.NoError(t, err)
			require.Len(t, got.Items, 1, "the claim holds")
			require.Zero(t, got.Items[0].Lost)
			require.Equal(t, 1, got.Left)
			arm(c)
			w := s.Write(t.Context(), onePageOf(got.Items[0], 3, "x"))
			require.NoError(t, w.Err)
			require.Equal(t, 3, w.Tally.New)
			arm(c)
			require.NoError(t, s.Record(t.Context(), rows.Event{Verb: "once"}))
			require.EqualValues(t, 5, c.cuts.Load())
			counts, err := s.Counts(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, rows.Counts{Documents: 3, Changes: 3, Pages: 1}, counts)
			events, err := s.Events(t.Context(), "", time.Time{}, 0)
			require.NoError(t, err)
			require.Len(t, events, 1)
		})
	}
}

// The server is killed and started again while pages are written: none is lost,
// none is stored twice, and nobody is told of it.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, Cluster.Options)
	s, err := Open(t.Context(), cluster.Database(t), Options{Create: true, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	const items, kills = 4, 3
	run := runOf(t, s, items)
	var pages atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for ord := range int64(items) {
		wg.Go(func() {
			got, err := s.Claim(t.Context(), rows.Claim{Run: run, Lo: ord, Hi: ord, Epoch: 1, Max: 1})
			if err != nil || len(got.Items) != 1 {
				t.Error(err, got)
				return
			}
			it := got.Items[0]
			for {
				select {
				case <-stop:
					return
				default:
				}
				w := onePageOf(it, 6, "x")
				for i := range w.Page.Page.Documents {
					w.Page.Page.Documents[i].ID += it.Key
				}
				if err := s.Write(t.Context(), w).Err; err != nil {
					t.Error(err)
					return
				}
				it.Seq++
				it.Checkpoint.Version++
				pages.Add(1)
			}
		})
	}
	for range kills {
		enough := pages.Load() + 20
		require.Eventually(t, func() bool { return pages.Load() >= enough }, time.Minute, time.Millisecond)
		cluster.Kill()
		require.NoError(t, cluster.Restart(t.Context()))
	}
	enough := pages.Load() + 20
	require.Eventually(t, func() bool { return pages.Load() >= enough }, time.Minute, time.Millisecond)
	close(stop)
	wg.Wait()
	counts, err := s.Counts(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, rows.Counts{Documents: 6 * pages.Load(), Changes: 6 * pages.Load(), Pages: pages.Load()}, counts)
	last, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.Equal(t, 6*pages.Load(), last)
}

// runOf opens a run with n items.
func runOf(t *testing.T, s *Store, n int) int64 {
	t.Helper()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "r", WorkflowID: "news-1", Campaign: "news"}})
	require.NoError(t, err)
	items := make([]rows.RunItem, n)
	for i := range items {
		items[i] = rows.RunItem{Ord: int64(i), Entry: "feed", Key: fmt.Sprintf("k%03d", i), Fetcher: "feed"}
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	return g.Run.ID
}

// A session that the server ended in the middle, as it does with one that slept,
// is begun again, and so is a transaction that stood in another one's way.
func TestBegunAgain(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{})
	for _, harm := range []string{
		"SELECT pg_terminate_backend(pg_backend_pid())", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$",
	} {
		calls := 0
		require.NoError(t, s.write(t.Context(), "try", "", func(tx *tx) error {
			if calls++; calls == 1 {
				if err := record(tx, rows.Event{Verb: "lost"}); err != nil {
					return err
				}
				_, err := tx.exec(harm)
				return err
			}
			return record(tx, rows.Event{Verb: "kept"})
		}), harm)
		require.Equal(t, 2, calls)
	}
	events, err := s.Events(t.Context(), "", time.Time{}, 0)
	require.NoError(t, err)
	require.Len(t, events, 3)
	for _, e := range events {
		require.Equal(t, "kept", e.Verb)
	}
	var value string
	require.NoError(t, s.write(t.Context(), "look", "", func(tx *tx) error {
		return scanOne(tx, []any{&value}, "SHOW idle_in_transaction_session_timeout")
	}))
	require.Equal(t, "15s", value)
	ask(t, address, "SELECT 1")
}

// A patient store says what is wrong when the server stays away.
func TestServerAway(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, Cluster.Options)
	s, err := Open(t.Context(), cluster.Database(t), Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	it := oneItem(t, s)
	cluster.Kill()
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	err = s.Check(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = s.RunByID(ctx, it.Run)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	done := make(chan error, 1)
	go func() { done <- s.Write(t.Context(), onePageOf(it, 9, "x")).Err }()
	require.NoError(t, cluster.Restart(t.Context()))
	require.NoError(t, <-done, "it waited")
	require.NoError(t, s.Check(t.Context()))
}

// One transaction holds numbers while others wait for theirs: a follower sees
// every number once, in order, and none before the slow one's.
func TestSlowCommitter(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{})
	slow, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer slow.Close(context.Background())
	const writers, pages, docs, holds = 4, 12, 3, 5
	run := runOf(t, s, writers)
	var wg sync.WaitGroup
	for ord := range int64(writers) {
		st, err := Open(t.Context(), address, Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, st.Close()) })
		wg.Go(func() { writePages(t, st, run, ord, pages, docs) })
	}
	done, followed := make(chan struct{}), make(chan []int64, 1)
	go func() { followed <- followAll(t, s, done) }()
	held := 0
	for range holds { // numbers are taken, and their rows appear only much later
		tx, err := slow.Begin(t.Context())
		require.NoError(t, err)
		var n int64
		require.NoError(t, tx.QueryRow(t.Context(), `UPDATE sequences SET value = value + 1 WHERE name = 'change' RETURNING value`).Scan(&n))
		_, err = tx.Exec(t.Context(), `INSERT INTO versions SELECT $1, 0, 0, 0, 0, 1, 0, 0, NULL, 0, 0, 0, 'slow', 'slow', '', '', '', '', '', ''::bytea, '', '', NULL`, n)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `SELECT pg_sleep(0.05)`)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
		held++
	}
	wg.Wait()
	close(done)
	seen := <-followed
	require.Len(t, seen, writers*pages*docs+held)
	for i, n := range seen {
		require.EqualValues(t, i+1, n, "no number is skipped")
	}
}

func writePages(t *testing.T, s *Store, run, ord int64, pages, docs int) {
	got, err := s.Claim(t.Context(), rows.Claim{Run: run, Lo: ord, Hi: ord, Epoch: 1, Max: 1})
	if err != nil || len(got.Items) != 1 {
		t.Error(err, got)
		return
	}
	it := got.Items[0]
	for range pages {
		w := onePageOf(it, docs, "x")
		for i := range w.Page.Page.Documents {
			w.Page.Page.Documents[i].ID += it.Key
		}
		w.Ledger = []harvest.Exchange{{At: time.Now(), Method: "GET", Host: "example.org", Status: 200}}
		if err := s.Write(t.Context(), w).Err; err != nil {
			t.Error(err)
			return
		}
		it.Seq++
		it.Checkpoint.Version++
	}
}

func followAll(t *testing.T, s *Store, done chan struct{}) (seen []int64) {
	after := int64(0)
	for last := false; ; {
		n := 0
		for c, err := range s.Changes(t.Context(), rows.ChangeFilter{After: after}) {
			if err != nil {
				t.Error(err)
				return seen
			}
			seen, after = append(seen, c.Number), c.Number
			n++
		}
		if last && n == 0 {
			return seen
		}
		select {
		case <-done:
			last = true
		default:
		}
	}
}
