package store_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/store/storetest"
)

// stopped is a process that commits pages and is stopped now and then.
type stopped struct {
	*child
	answered answers
}

// next reads an answer.
func (c *stopped) next(t *testing.T) bool {
	t.Helper()
	line, ok := c.child.next()
	if ok {
		c.answered.hear(t, line)
	}
	return ok
}

// stop stops the process such that the server waits for it in the middle of a
// transaction, and returns that session's number. A process that is stopped between
// two parts of one message is let go on: the server waits for the rest of it, in a
// state that no timeout ends (decision 005).
func (c *stopped) stop(t *testing.T, look *pgx.Conn, mine int) (session int) {
	t.Helper()
	for range 1000 {
		require.True(t, c.next(t), "it works")
		require.NoError(t, c.Process.Signal(syscall.SIGSTOP))
		var state, wait string
		require.Eventually(t, func() bool {
			err := look.QueryRow(t.Context(), `SELECT pid, state, coalesce(wait_event, '') FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%(writes)' AND pid <> $1`, mine).Scan(&session, &state, &wait)
			require.NoError(t, err)
			return state != "active" || wait == "ClientRead"
		}, time.Minute, time.Millisecond, "the server has taken all that was sent")
		if state == "idle in transaction" {
			return session
		}
		require.NoError(t, c.Process.Signal(syscall.SIGCONT))
	}
	require.Fail(t, "it was never stopped in a transaction")
	return 0
}

// A process that is stopped in a transaction holds what others need: the server
// ends its session, the others go on, and once it wakes up it does again what was
// lost.
func TestStopped(t *testing.T) {
	t.Parallel()
	const stops = 3
	store.Cluster.Cluster(t)
	s := storetest.Open(t, store.Cluster.Database(t), store.Options{Create: true})
	startRun(t, s.Store, "kill", "run", killItems)
	look, err := pgx.Connect(t.Context(), s.Address())
	require.NoError(t, err)
	defer look.Close(t.Context()) // it only reads
	var mine int
	require.NoError(t, look.QueryRow(t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%(writes)'`).Scan(&mine))
	child := &stopped{startChild(t, "pages", s.Address(), "1s"), answers{}}
	var longest time.Duration
	for n := range stops {
		session := child.stop(t, look, mine)
		begin := time.Now()
		_, err := s.ResetCheckpoints(t.Context(), rows.CheckpointFilter{Campaign: fmt.Sprint("none ", n)})
		require.NoError(t, err, "it waits for every other transaction")
		longest = max(longest, time.Since(begin))
		require.Eventually(t, func() bool {
			var left int
			err := look.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE pid = $1`, session).Scan(&left)
			return err == nil && left == 0
		}, time.Minute, time.Millisecond, "the session was ended")
		require.NoError(t, child.Process.Signal(syscall.SIGCONT))
		for range 2 * killItems { // answers may have waited in the pipe
			require.True(t, child.next(t), "it goes on")
		}
	}
	require.NoError(t, child.Process.Kill())
	for child.next(t) {
	}
	require.Error(t, child.Wait(), "it was killed")
	verify(t, s, child.answered)
	counts, err := s.Counts(t.Context(), "")
	require.NoError(t, err)
	t.Logf("%d stops, the others waited %v at most: %d pages, %d documents, %d changes; every page once, none lost", stops, longest.Round(time.Millisecond), counts.Pages, counts.Documents, counts.Changes)
}
