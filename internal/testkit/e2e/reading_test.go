package e2e

import (
	"bytes"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/dev"
)

// reading is a command, what it wrote and how it ended.
type reading struct {
	args   []string
	out    []byte
	errors string
	code   int
	memory int // at most, in MiB
}

// read runs a command; its two streams are kept apart.
func (h *house) read(args ...string) reading {
	h.t.Helper()
	h.recover()
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(h.within(time.Minute), h.cliBinary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = h.dir, &out, &problems
	cmd.Env = append(dev.Environment(h.server.Address), "VENDEMMIA_STORE="+h.storeAddress())
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		require.NoError(h.t, err)
	}
	used, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return reading{args: args, out: out.Bytes(), errors: problems.String(), code: cmd.ProcessState.ExitCode(), memory: int(used.Maxrss >> 10)}
}

// recover waits for the server of the database, which a page may have made crash.
func (h *house) recover() {
	h.t.Helper()
	if h.cluster == nil {
		return
	}
	h.eventually("PostgreSQL is back", time.Minute, func() bool {
		_, err := h.cluster.SQL(h.t.Context(), "postgres", "SELECT 1")
		return err == nil
	})
}
