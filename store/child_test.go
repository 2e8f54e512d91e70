package store_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/store"
)

// What makes the test binary a worker: its role, the store it works on, and how
// long it may sleep in a transaction.
const (
	roleVariable  = "STORE_TEST_ROLE"
	storeVariable = "STORE_TEST_STORE"
	napVariable   = "STORE_TEST_NAP"
)

// roles are what a child does with the store at an address. It says a line after
// each step.
func roles() map[string]func(address string) error {
	return map[string]func(string) error{"pages": commitForever, "pass": passChild}
}

func TestMain(m *testing.M) {
	if work := roles()[os.Getenv(roleVariable)]; work != nil {
		if err := work(os.Getenv(storeVariable)); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := store.Cluster.Run(m)
	store.BenchCluster.Stop()
	os.Exit(code)
}

// child is a worker of its own that a test listens to. It is killed when the test
// ends, at the latest.
type child struct {
	*exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, role, address, nap string) *child {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := &child{Cmd: exec.Command(self)}
	c.Env = append(os.Environ(), roleVariable+"="+role, storeVariable+"="+address, napVariable+"="+nap)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() }) // it may be gone
	c.lines = bufio.NewScanner(out)
	return c
}

// next is what it says next; false once it is gone.
func (c *child) next() (line string, ok bool) {
	ok = c.lines.Scan()
	return c.lines.Text(), ok
}

// killAfter kills it after so many steps, hears what it said until then, and
// returns how it ended: nil when it came to its end by itself.
func (c *child) killAfter(steps int, hear func(line string)) error {
	for n := 1; ; n++ {
		line, ok := c.next()
		if !ok {
			return c.Wait()
		}
		hear(line)
		if n == steps {
			c.Process.Kill() // it may have ended by itself
		}
	}
}

// answers are the last pages that a child had an answer for, by item.
type answers map[string]int

// hear reads "ITEM PAGE".
func (a answers) hear(t *testing.T, line string) {
	t.Helper()
	var key string
	var seq int
	_, err := fmt.Sscanf(line, "%s %d", &key, &seq)
	require.NoError(t, err, line)
	a[key] = max(a[key], seq)
}
