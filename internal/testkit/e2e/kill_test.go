package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// The kill tests: a few kills in `make test`, twenty of each in `make soak`.

func TestKillWorker(t *testing.T) {
	t.Parallel()
	killWorker(t, 3, 120)
}

func TestKillServer(t *testing.T) {
	t.Parallel()
	killServer(t, 2, 80)
}

func TestSoakKillWorkerTwentyTimes(t *testing.T) {
	soak(t)
	killWorker(t, 20, 600)
}

func TestSoakKillServerTwentyTimes(t *testing.T) {
	soak(t)
	killServer(t, 20, 600)
}

func soak(t *testing.T) {
	t.Helper()
	if os.Getenv("VENDEMMIA_SOAK") == "" {
		t.Skip("a long crash test: make soak")
	}
}

const (
	processors  = 10
	killPages   = 3
	killEntries = 10
	killDelay   = 250 * time.Millisecond // of every answer, so that kills find work in flight
)

func killWorker(t *testing.T, kills, feeds int) {
	h, src := newHouse(t), newSource(t, feeds, killPages, killEntries, killDelay)
	h.work()
	h.campaign("crash", src, fmt.Sprint("processors: ", processors))
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	for range kills {
		h.crashMoment(feeds * killPages / kills)
		h.worker.Kill()
		h.work()
	}
	sum := h.result(run)
	require.Equal(t, outcomes.Done, sum.Outcome)
	h.requireAllClosedOnce(src, feeds)
	pages, requests := src.twice()
	require.LessOrEqual(t, requests, kills*2*processors, "a kill repeats at most the page in flight of each processor, and the head of its feed")
	t.Logf("%d kills of the worker (SIGKILL): %d pages asked twice, %d requests repeated", kills, pages, requests)
}

func killServer(t *testing.T, kills, feeds int) {
	h, src := newHouse(t), newSource(t, feeds, killPages, killEntries, killDelay)
	h.work()
	h.campaign("crash", src, fmt.Sprint("processors: ", processors))
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	for range kills {
		h.crashMoment(feeds * killPages / kills)
		h.server.Kill()
		require.NoError(t, h.server.Restart(h.within(time.Minute)))
	}
	sum := h.result(h.client.GetWorkflow(t.Context(), run.GetID(), run.GetRunID()))
	require.Equal(t, outcomes.Done, sum.Outcome)
	h.requireAllClosedOnce(src, feeds)
	pages, requests := src.twice()
	t.Logf("%d kills of the server (SIGKILL): %d pages asked twice, %d requests repeated", kills, pages, requests)
}

// crashMoment waits for a random moment of the run: until some more pages, at
// most so many, have been committed, or the run has ended.
func (h *house) crashMoment(most int) {
	h.t.Helper()
	s := h.open()
	var before rows.Counts
	h.eventually("the store answers", time.Minute, func() (ok bool) {
		var err error
		before, err = s.Counts(h.t.Context(), "crash")
		return err == nil
	})
	more := 1 + h.chance.Int64N(int64(most))
	h.eventually("the run goes on after a kill", 2*time.Minute, func() bool {
		now, err := s.Counts(h.t.Context(), "crash")
		if err != nil || now.Pages >= before.Pages+more {
			return err == nil
		}
		run, err := s.FindRun(h.t.Context(), "crash")
		return err == nil && run.State == rows.RunClosed // it ended while a worker was started
	})
}

func (h *house) requireAllClosedOnce(src *source, feeds int) {
	h.t.Helper()
	s := h.open()
	counts := requireOnce(h.t, s, src, "crash")
	require.EqualValues(h.t, feeds*killPages, counts.Pages, "each page committed once")
	run, err := s.FindRun(h.t.Context(), "crash-1")
	require.NoError(h.t, err)
	items, err := s.RunItems(h.t.Context(), run.ID, rows.ItemFilter{})
	require.NoError(h.t, err)
	require.Len(h.t, items, feeds)
	for _, i := range items {
		require.Equal(h.t, rows.ItemClosed, i.State, i.Key)
		require.Equal(h.t, outcomes.Done, i.Outcome, i.Key)
	}
	h.t.Logf("%d items, each closed once as done", len(items))
}

// A worker that is stopped past the heartbeat timeout and then continued is
// fenced: another one has its items, and it commits nothing.
func TestZombieCommitsNothing(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 20, killPages, killEntries, killDelay)
	zombie := h.work("--item-slots", "5")
	h.campaign("crash", src, "processors: 5")
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	h.crashMoment(10)
	h.freeze(zombie)
	h.work()
	h.requireZombieFenced(zombie)
	require.Equal(t, outcomes.Done, h.result(run).Outcome)
	h.requireAllClosedOnce(src, 20)
}

// requireZombieFenced lets another worker finish, wakes the zombie up and sees
// that it changes nothing.
func (h *house) requireZombieFenced(zombie *dev.Process) {
	h.t.Helper()
	h.eventually("the other worker finishes", 3*time.Minute, func() bool { return h.closed("crash-1") })
	before, err := h.open().Counts(h.t.Context(), "crash")
	require.NoError(h.t, err)
	zombie.Signal(syscall.SIGCONT)
	require.NoError(h.t, zombie.Stop(h.within(time.Minute)), "the zombie drains and ends")
	after, err := h.open().Counts(h.t.Context(), "crash")
	require.NoError(h.t, err)
	require.Equal(h.t, before.Pages, after.Pages, "the zombie committed a page")
	require.Equal(h.t, before.Changes, after.Changes, "the zombie changed a document")
}

// freeze stops a process (SIGSTOP) at a moment at which it does not hold the
// lock of the store's file: there all others would wait for it, as for any
// process that is stopped while it writes.
func (h *house) freeze(p *dev.Process) {
	h.t.Helper()
	for try := 1; ; try++ {
		p.Signal(syscall.SIGSTOP)
		h.eventually("the process is stopped", time.Minute, func() bool { return stopped(h.t, p.PID()) })
		ctx, cancel := context.WithTimeout(h.t.Context(), 2*time.Second)
		err := h.open().Check(ctx)
		cancel()
		if err == nil {
			return
		}
		h.t.Logf("stopped in the middle of a write (try %d): %v", try, err)
		require.Less(h.t, try, 50, "the process always holds the store")
		p.Signal(syscall.SIGCONT)
		h.eventually("the process goes on", time.Minute, func() bool { return !stopped(h.t, p.PID()) })
	}
}

// stopped: is every thread of the process?
func stopped(t *testing.T, pid int) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	require.NoError(t, err)
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if _, rest, _ := strings.Cut(string(text), ") "); err != nil || !strings.HasPrefix(rest, "T") {
			return false
		}
	}
	return len(threads) > 0 || runtime.GOOS != "linux" // who does not tell is believed
}

func (h *house) closed(workflowID string) bool {
	run, err := h.open().FindRun(h.t.Context(), workflowID)
	return err == nil && run.State == rows.RunClosed
}
