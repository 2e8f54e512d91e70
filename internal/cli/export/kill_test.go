//go:build unix

package export

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// killed names the folder that a process of its own writes into until it is
// killed.
const killed = "EXPORT_UNTIL_KILLED"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killed); dir != "" {
		batch, _ := strconv.Atoi(os.Getenv("EXPORT_BATCH")) // 0 is no batch
		untilKilled(dir, batch)
		return
	}
	os.Exit(m.Run())
}

func many() *feed {
	f := &feed{id: "7f3a"}
	for n := range 30 {
		f.add(fmt.Sprintf("oai:x:%d", n%20), "text/xml", record(n))
	}
	return f
}

// untilKilled tells each step and waits for a line before it.
func untilKilled(dir string, batch int) {
	said := bufio.NewReader(os.Stdin)
	var one sync.Mutex
	_, err := Run(context.Background(), many(), Options{Dir: dir, Layout: Flat, Batch: batch, step: func(what string) error {
		one.Lock()
		defer one.Unlock()
		fmt.Println(what)
		_, err := said.ReadString('\n')
		return err
	}})
	fmt.Println("ended:", err)
}

func TestKill(t *testing.T) {
	t.Parallel()
	for _, batch := range []int{0, 7} {
		whole := Options{Dir: t.TempDir(), Layout: Flat, Batch: batch}
		run(t, many(), whole)
		for _, after := range []int{1, 3, 10, 12, 20} {
			o := Options{Dir: t.TempDir(), Layout: Flat, Batch: batch}
			killAfter(t, o, after)
			run(t, many(), o)
			require.Equal(t, tree(t, whole.Dir), tree(t, o.Dir), "killed after step %d, batches of %d", after, batch)
		}
	}
}

// killAfter starts an export as a process and kills it after some of its steps.
func killAfter(t *testing.T, o Options, steps int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), killed+"="+o.Dir, "EXPORT_BATCH="+strconv.Itoa(o.Batch))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for range steps {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.False(t, strings.HasPrefix(line, "ended"), line)
		fmt.Fprintln(in)
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
}
