package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A disk that is full ends nothing: the worker says so, what was committed
// stays, nothing is invented, and the run goes on once there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 60, 3, 30, 0)
	h.storeDir = filepath.Join(h.dir, "small")
	h.smallDisk("size=2m")
	h.work()
	h.campaign("full", src, "processors: 4\nretry: [ { times: 20, wait: 1s } ]")
	run := h.start("full-1", steps.Start{Campaign: "full"})
	h.eventually("the worker says that the disk is full", 2*time.Minute, func() bool {
		text, err := os.ReadFile(filepath.Join(h.dir, "worker-1.log"))
		return err == nil && strings.Contains(string(text), "full")
	})
	counts, err := h.open().Counts(t.Context(), "full")
	require.NoError(t, err)
	t.Logf("full after %d pages and %d documents, which can be read", counts.Pages, counts.Documents)
	require.Equal(t, counts.Changes, counts.Documents, "nothing is half there")

	h.mount("-o", "remount,size=64m", h.storeDir)
	require.Equal(t, harvest.OutcomeDone, h.result(run).Outcome, "it went on by itself")
	requireOnce(t, h.open(), src, "full")
}

// smallDisk mounts a file system in memory, or skips where that is not allowed.
func (h *house) smallDisk(size string) {
	h.t.Helper()
	require.NoError(h.t, os.Mkdir(h.storeDir, 0o755))
	out, err := exec.CommandContext(h.t.Context(), "mount", "-t", "tmpfs", "-o", size, "tmpfs", h.storeDir).CombinedOutput()
	if err != nil {
		h.t.Skipf("no small disk here: %v: %s (the store's own tests fill a database file instead)", err, out)
	}
	h.t.Cleanup(func() {
		if h.store != nil {
			h.store.Close()
		}
		h.worker.Kill()
		require.NoError(h.t, exec.Command("umount", h.storeDir).Run())
	})
}

func (h *house) mount(args ...string) {
	h.t.Helper()
	out, err := exec.CommandContext(h.t.Context(), "mount", args...).CombinedOutput()
	require.NoError(h.t, err, string(out))
}
