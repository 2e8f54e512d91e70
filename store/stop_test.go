package store_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

// stopped is a process that commits pages and is stopped now and then.
type stopped struct {
	cmd      *exec.Cmd
	lines    *bufio.Scanner
	answered map[string]int
}

func startStopped(t *testing.T, address, nap string) *stopped {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := &stopped{cmd: exec.Command(self), answered: map[string]int{}}
	c.cmd.Env = append(os.Environ(), childVariable+"="+address, napVariable+"="+nap)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	t.Cleanup(func() { c.cmd.Process.Kill() }) //nolint:errcheck // it may be gone
	c.lines = bufio.NewScanner(out)
	return c
}

// next reads an answer.
func (c *stopped) next(t *testing.T) bool {
	t.Helper()
	if !c.lines.Scan() {
		return false
	}
	var key string
	var seq int
	_, err := fmt.Sscanf(c.lines.Text(), "%s %d", &key, &seq)
	require.NoError(t, err, c.lines.Text())
	c.answered[key] = max(c.answered[key], seq)
	return true
}

// stop stops the process such that the server waits for it in the middle of a
// transaction, and returns that session's number.
func (c *stopped) stop(t *testing.T, look *pgx.Conn, mine int) (session int) {
	t.Helper()
	for range 1000 {
		require.True(t, c.next(t), "it works")
		require.NoError(t, c.cmd.Process.Signal(syscall.SIGSTOP))
		var state string
		require.Eventually(t, func() bool {
			err := look.QueryRow(t.Context(), `SELECT pid, state FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%(writes)' AND pid <> $1`, mine).Scan(&session, &state)
			require.NoError(t, err)
			return state != "active"
		}, 20*time.Second, time.Millisecond)
		if state == "idle in transaction" {
			return session
		}
		require.NoError(t, c.cmd.Process.Signal(syscall.SIGCONT))
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
	s := openServed(t, store.Cluster.Database(t), store.Options{Create: true})
	startRun(t, s.Store, "kill", "run", killItems)
	look, err := pgx.Connect(t.Context(), s.Address())
	require.NoError(t, err)
	defer look.Close(t.Context()) //nolint:errcheck // it only reads
	var mine int
	require.NoError(t, look.QueryRow(t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%(writes)'`).Scan(&mine))
	child := startStopped(t, s.Address(), "1s")
	var longest time.Duration
	for n := range stops {
		session := child.stop(t, look, mine)
		begin := time.Now()
		require.NoError(t, s.Record(t.Context(), rows.Event{Verb: fmt.Sprint("stop ", n)}), "it stands alone: it waits for every other transaction")
		longest = max(longest, time.Since(begin))
		require.Eventually(t, func() bool {
			var left int
			err := look.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE pid = $1`, session).Scan(&left)
			return err == nil && left == 0
		}, 20*time.Second, time.Millisecond, "the session was ended")
		require.NoError(t, child.cmd.Process.Signal(syscall.SIGCONT))
		for range 2 * killItems { // answers may have waited in the pipe
			require.True(t, child.next(t), "it goes on")
		}
	}
	require.NoError(t, child.cmd.Process.Kill())
	for child.next(t) {
	}
	require.Error(t, child.cmd.Wait(), "it was killed")
	verify(t, opened(s), child.answered)
	counts, err := s.Counts(t.Context(), "")
	require.NoError(t, err)
	t.Logf("%d stops, the others waited %v at most: %d pages, %d documents, %d changes; every page once, none lost", stops, longest.Round(time.Millisecond), counts.Pages, counts.Documents, counts.Changes)
}
