package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
)

var cluster pgtest.Shared

func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_CHILD") != "" {
		child()
	}
	os.Exit(cluster.Run(m))
}

// child has a cluster and waits to be killed.
func child() {
	c, err := pgtest.Start(context.Background(), pgtest.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(c.SocketAddress("postgres"))
	select {}
}

func name(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return strings.TrimPrefix(u.Path, "/")
}

func TestDatabasesAreEmptyAndApart(t *testing.T) {
	t.Parallel()
	c := cluster.Cluster(t)
	one, two := name(t, cluster.Database(t)), name(t, cluster.Database(t))
	require.NotEqual(t, one, two)
	_, err := c.SQL(t.Context(), one, "CREATE TABLE here (id int)")
	require.NoError(t, err)
	_, err = c.SQL(t.Context(), two, "SELECT * FROM here")
	require.ErrorContains(t, err, `relation "here" does not exist`)
	shown, err := c.SQL(t.Context(), two, "SHOW server_encoding; SHOW lc_collate; SHOW fsync; SHOW max_connections")
	require.NoError(t, err)
	require.Equal(t, "UTF8\nC\non\n100", shown)
}

func TestDatabaseIsDroppedAtTheTestsEnd(t *testing.T) {
	t.Parallel()
	var database string
	t.Run("inner", func(t *testing.T) { database = name(t, cluster.Database(t)) }) // its end is what is tested
	left, err := cluster.Cluster(t).SQL(t.Context(), "postgres", "SELECT count(*) FROM pg_database WHERE datname = '"+database+"'")
	require.NoError(t, err)
	require.Equal(t, "0", left)
}

// What was committed is there after a kill, what was not is not, and nobody of
// the killed server is left, however busy.
func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, pgtest.Options{Settings: []string{"application_name=pgtest"}})
	database := name(t, c.Database(t))
	_, err := c.SQL(t.Context(), database, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (1), (2)")
	require.NoError(t, err)

	busy := make(chan error)
	go func() {
		_, err := c.SQL(context.Background(), database, "BEGIN; INSERT INTO kept VALUES (3); SELECT count(*) FROM generate_series(1, 100000000000)")
		busy <- err
	}()
	require.Eventually(t, func() bool {
		n, err := c.SQL(t.Context(), "postgres", "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series(1, 100%' AND pid <> pg_backend_pid()")
		return err == nil && n == "1"
	}, time.Minute, 20*time.Millisecond)
	c.Kill()
	require.Error(t, <-busy)
	c.Kill()
	_, err = c.SQL(t.Context(), database, "SELECT 1")
	require.Error(t, err)

	require.NoError(t, c.Restart(t.Context()))
	kept, err := c.SQL(t.Context(), database, "SELECT count(*) FROM kept")
	require.NoError(t, err)
	require.Equal(t, "2", kept)
	require.NoError(t, c.Restart(t.Context()), "also while it runs")
	sessions, err := c.SQL(t.Context(), "postgres", "SHOW application_name; SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
	require.NoError(t, err)
	require.Equal(t, "psql\n1", sessions)
}

func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(*pgtest.Cluster){"running": func(*pgtest.Cluster) {}, "killed": (*pgtest.Cluster).Kill} {
		c := pgtest.New(t, pgtest.Options{})
		folder := folderOf(t, c.SocketAddress("postgres"))
		segment := segmentOf(t, folder)
		end(c)
		c.Stop()
		c.Stop()
		require.NoDirExists(t, folder, what)
		require.NotContains(t, segments(t), segment, what)
	}
}

// A test process that is killed takes its cluster along.
func TestDiesWithItsProcess(t *testing.T) {
	t.Parallel()
	cluster.Cluster(t) // skips without PostgreSQL
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "PGTEST_CHILD=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	folder := folderOf(t, strings.TrimSpace(line))
	postmaster := postmasterOf(t, folder)

	require.NoError(t, cmd.Process.Kill())
	_, _ = io.Copy(io.Discard, out)
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool { return syscall.Kill(postmaster, 0) != nil }, time.Minute, 20*time.Millisecond, "the server is still there")
	require.Eventually(t, func() bool { _, err := os.Stat(folder); return os.IsNotExist(err) }, time.Minute, 20*time.Millisecond)
}

func folderOf(t *testing.T, socket string) string {
	t.Helper()
	_, query, ok := strings.Cut(socket, "?")
	require.True(t, ok)
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	return values.Get("host")
}

func postmasterLines(t *testing.T, folder string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "data", "postmaster.pid"))
	require.NoError(t, err)
	return strings.Split(string(text), "\n")
}

func postmasterOf(t *testing.T, folder string) (pid int) {
	t.Helper()
	_, err := fmt.Sscan(postmasterLines(t, folder)[0], &pid)
	require.NoError(t, err)
	return pid
}

// segmentOf is the id of the server's small segment of shared memory.
func segmentOf(t *testing.T, folder string) string {
	t.Helper()
	fields := strings.Fields(postmasterLines(t, folder)[6])
	require.Len(t, fields, 2)
	return fields[1]
}

// segments are the ids of all segments of the machine.
func segments(t *testing.T) (ids []string) {
	t.Helper()
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			ids = append(ids, fields[1])
		}
	}
	return ids
}
