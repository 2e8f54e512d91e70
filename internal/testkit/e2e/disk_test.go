package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/internal/outcomes"
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
	require.Equal(t, outcomes.Done, h.result(run).Outcome, "it went on by itself")
	requireOnce(t, h.open(), src, "full")
}

// A disk that is full for seven minutes costs a run few actions of Temporal: those
// who have nothing to write to wait longer each time.
func TestSoakFullDiskForSevenMinutes(t *testing.T) {
	soak(t)
	h, src := newHouse(t), newSource(t, 60, 3, 30, 0)
	h.storeDir = filepath.Join(h.dir, "small")
	h.smallDisk("size=2m")
	h.work()
	h.campaign("full", src, "processors: 4")
	run := h.start("full-1", steps.Start{Campaign: "full"})
	h.eventually("the worker says that the disk is full", 2*time.Minute, func() bool {
		text, err := os.ReadFile(filepath.Join(h.dir, "worker-1.log"))
		return err == nil && strings.Contains(string(text), "full")
	})
	before := h.actions(run)
	h.rest(7 * time.Minute)
	cost := h.actions(run) - before
	h.mount("-o", "remount,size=64m", h.storeDir)
	freed := time.Now()
	require.Equal(t, outcomes.Done, h.result(run).Outcome, "it went on by itself")
	requireOnce(t, h.open(), src, "full")
	t.Logf("a run over seven minutes of a full disk: %d actions, %d before; it ended %s after there was room", cost, before, time.Since(freed).Round(time.Second))
	require.Less(t, cost, 100, "actions of Temporal")
}

// actions are what Temporal counts of a run so far: its start, tries of activities,
// timers, what was told to it.
func (h *house) actions(run client.WorkflowRun) (n int) {
	h.t.Helper()
	events := h.client.GetWorkflowHistory(h.t.Context(), run.GetID(), run.GetRunID(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		require.NoError(h.t, err)
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED:
			n += int(e.GetActivityTaskStartedEventAttributes().GetAttempt())
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enumspb.EVENT_TYPE_TIMER_STARTED, enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
			enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, enumspb.EVENT_TYPE_MARKER_RECORDED,
			enumspb.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED:
			n++
		}
	}
	now, err := h.client.DescribeWorkflowExecution(h.t.Context(), run.GetID(), run.GetRunID())
	require.NoError(h.t, err)
	for _, a := range now.GetPendingActivities() {
		n += int(a.GetAttempt())
	}
	return n
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
