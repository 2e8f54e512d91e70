package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// temporal runs the Temporal CLI against the house's server.
func (h *house) temporal(args ...string) string {
	h.t.Helper()
	cmd := exec.CommandContext(h.within(time.Minute), h.cli, append(args, "--address", h.server.Address)...)
	out, err := cmd.CombinedOutput()
	h.t.Logf("$ temporal %v\n%s", args, out)
	require.NoError(h.t, err)
	return string(out)
}

// scheduleIdle waits until a schedule has noticed that its last run is over: until
// then it skips by itself what would be next.
func (h *house) scheduleIdle(id string) {
	h.t.Helper()
	handle := h.client.ScheduleClient().GetHandle(h.t.Context(), id)
	h.eventually("the schedule knows that its run is over", time.Minute, func() bool {
		d, err := handle.Describe(h.t.Context())
		return err == nil && len(d.Info.RunningWorkflows) == 0
	})
}

// trigger does what the button of the Web UI does: by the schedule's own policy. The
// command line says "skip" by itself, and the server then starts nothing.
func (h *house) trigger(id string) {
	h.t.Helper()
	require.NoError(h.t, h.client.ScheduleClient().GetHandle(h.t.Context(), id).Trigger(h.t.Context(), client.ScheduleTriggerOptions{}))
}

// idsArePast reports whether the seconds that ids end in are over; starter takes
// one that is to come where the present one is taken.
func idsArePast(runs []rows.Run) bool {
	for _, r := range runs {
		at, err := time.Parse(time.RFC3339, strings.TrimPrefix(r.WorkflowID, r.Campaign+"-"))
		if err == nil && time.Since(at) <= time.Second {
			return false
		}
	}
	return true
}

// Two runs at once, by every pair of ways to start: one of them is skipped and
// says which run is going on.
func TestTwoRunsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 4, 1, 3, 0)
	h.work()
	ways := map[string]func(name string) string{
		"hand":     func(name string) string { return h.start(name, steps.Start{Campaign: "twice"}).GetID() },
		"schedule": func(string) string { h.trigger("campaign-twice"); return "" },
		"starter":  func(string) string { h.starter("trigger", "--campaign", "twice", "--detach", "--yes"); return "" },
	}
	h.campaign("twice", src, "schedule: every 24h\nprocessors: 1")
	s := h.open()
	for _, pair := range pairsOf("hand", "schedule", "starter") {
		first, second := pair[0], pair[1]
		_, err := s.ResetCheckpoints(t.Context(), checkpointsOf("twice"))
		require.NoError(t, err)
		known := len(h.runs(s))
		src.hold(0)
		h.scheduleIdle("campaign-twice")
		ways[first]("twice-" + first + "-" + second + "-1")
		h.eventually("the first run is open: "+first, time.Minute, func() bool { return h.openRun(s, "twice") })
		h.eventually("ids by the second differ", time.Minute, func() bool { return idsArePast(h.runs(s)) })
		ways[second]("twice-" + first + "-" + second + "-2")
		h.eventually("both have asked for their place: "+first+", "+second, time.Minute, func() bool { return len(h.runs(s)) >= known+2 })
		src.release()
		h.eventually("both runs have ended: "+first+", "+second, 2*time.Minute, func() bool {
			return !h.openRun(s, "twice")
		})
		h.requireOneSkipped(s, h.runs(s)[:2], first+", "+second)
	}
}

func TestTerminatedRunIsClosedAndItsPlaceTaken(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 10, 1, 3, 0)
	h.work()
	h.campaign("ended", src, "processors: 1")
	src.hold(1)
	h.start("ended-1", steps.Start{Campaign: "ended"})
	s := h.open()
	h.eventually("the run is open", time.Minute, func() bool { return h.openRun(s, "ended") })
	h.temporal("workflow", "terminate", "--workflow-id", "ended-1", "--reason", "a colleague")
	out, _ := h.starter("why", "ended")
	require.Contains(t, out, "ended in Temporal (Terminated)", "nobody is told that it goes on")
	src.release()

	sum := h.result(h.start("ended-2", steps.Start{Campaign: "ended"}))
	require.Equal(t, outcomes.Done, sum.Outcome, "the gate sees that its holder is gone")
	first, err := s.FindRun(t.Context(), "ended-1")
	require.NoError(t, err)
	require.Equal(t, outcomes.Cancelled, first.Outcome)
	require.Contains(t, first.Why, "terminated")
	requireOnce(t, s, src, "ended")
}

func TestCancelKeepsWhatWasCommitted(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 10, 3, 3, 0)
	h.work()
	h.campaign("stopped", src, "processors: 2")
	src.hold(5)
	run := h.start("stopped-1", steps.Start{Campaign: "stopped"})
	s := h.open()
	h.eventually("pages are committed", time.Minute, func() bool {
		c, err := s.Counts(t.Context(), "stopped")
		return err == nil && c.Pages >= 3
	})
	h.temporal("workflow", "cancel", "--workflow-id", "stopped-1")
	require.Error(t, run.Get(h.within(time.Minute), nil), "Temporal shows it as canceled")
	first, err := s.FindRun(t.Context(), "stopped-1")
	require.NoError(t, err)
	require.Equal(t, outcomes.Cancelled, first.Outcome)
	require.NotZero(t, first.Tally.New)

	src.release()
	sum := h.result(h.start("stopped-2", steps.Start{Campaign: "stopped"}))
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Equal(t, 10*3*3, first.Tally.New+sum.Documents.New, "the second run brings what the first did not")
	requireOnce(t, s, src, "stopped")
}

// Reset makes a new execution of the same run: only items that are not done are
// fetched again.
func TestResetFetchesOnlyWhatIsNotDone(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 8, 1, 3, 0)
	h.work()
	h.campaign("reset", src, "processors: 1")
	src.hold(2)
	h.start("reset-1", steps.Start{Campaign: "reset"})
	s := h.open()
	h.eventually("some items are done", time.Minute, func() bool {
		c, err := s.Counts(t.Context(), "reset")
		return err == nil && c.Pages >= 2
	})
	h.temporal("workflow", "reset", "--workflow-id", "reset-1", "--type", "FirstWorkflowTask", "--reason", "the blue button")
	src.release()
	h.eventually("the run ends", 2*time.Minute, func() bool { return h.closed("reset-1") })
	requireOnce(t, s, src, "reset")
	_, repeated := src.twice()
	require.LessOrEqual(t, repeated, 1, "only the page in flight")
}

func TestWithoutSearchAttributesEverythingWorks(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 3, 1, 2, 0)
	h.work("--search-attributes", "Campaign=,Outcome=,Trigger=,Tags=,Documents=,FailedItems=")
	h.campaign("plain", src, "schedule: every 1h")
	sum := h.result(h.start("plain-1", steps.Start{Campaign: "plain"}))
	require.Equal(t, outcomes.Done, sum.Outcome)
}

func TestPausedScheduleStillRunsByHand(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 2, 1, 2, 0)
	h.work()
	h.campaign("asleep", src, "schedule: every 1h\npaused: feeds under repair")
	handle := h.client.ScheduleClient().GetHandle(t.Context(), "campaign-asleep")
	d, err := handle.Describe(t.Context())
	require.NoError(t, err)
	require.True(t, d.Schedule.State.Paused)
	require.Contains(t, d.Schedule.State.Note, "feeds under repair")
	h.temporal("schedule", "trigger", "--schedule-id", "campaign-asleep")
	s := h.open()
	h.eventually("the triggered run is done", time.Minute, func() bool {
		runs := h.runs(s)
		return len(runs) == 1 && runs[0].Outcome == outcomes.Done
	})
	require.Equal(t, "hand", h.runs(s)[0].Trigger, "the UI's Trigger button is no fire of the schedule")
}

func TestPauseAndResumeARun(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 12, 1, 2, 0)
	h.work()
	h.campaign("held", src, "processors: 1")
	src.hold(2)
	run := h.start("held-1", steps.Start{Campaign: "held"})
	s := h.open()
	h.eventually("the run is open", time.Minute, func() bool { return h.openRun(s, "held") })
	_, code := h.starter("runs", "pause", "held", "--yes")
	require.Equal(t, 0, code)
	_, code = h.starter("runs", "resume", "held", "--yes")
	require.Equal(t, 0, code)
	src.release()
	require.Equal(t, outcomes.Done, h.result(run).Outcome)
	requireOnce(t, s, src, "held")
}

// pairsOf are all ordered pairs, also of a way with itself.
func pairsOf(ways ...string) (pairs [][2]string) {
	for _, first := range ways {
		for _, second := range ways {
			pairs = append(pairs, [2]string{first, second})
		}
	}
	return pairs
}

// runs are all runs of the store, the newest first.
func (h *house) runs(s *store.Store) []rows.Run {
	h.t.Helper()
	runs, err := s.Runs(h.t.Context(), rows.RunFilter{Limit: 100})
	require.NoError(h.t, err)
	return runs
}

func checkpointsOf(campaign string) rows.CheckpointFilter {
	return rows.CheckpointFilter{Campaign: campaign}
}

func (h *house) requireOneSkipped(s *store.Store, two []rows.Run, ways string) {
	h.t.Helper()
	skipped := 0
	for _, r := range two {
		if r.Outcome == outcomes.Skipped {
			skipped++
			require.Contains(h.t, r.Why, "is going on", ways)
		}
	}
	require.Equal(h.t, 1, skipped, "%s: %+v", ways, two)
}

func (h *house) openRun(s *store.Store, campaign string) bool {
	runs, err := s.OpenRuns(h.t.Context())
	require.NoError(h.t, err)
	for _, r := range runs {
		if r.Campaign == campaign {
			return true
		}
	}
	return false
}

// A run asked for later waits in Temporal, with no worker at all; it counts from the
// time it was asked for, and can be taken back.
func TestRunsForLater(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 2, 1, 3, 0)
	h.work()
	h.campaign("later", src, "processors: 1")
	s := h.open()
	out, code := h.starter("trigger", "later", "--in", "1h")
	require.Zero(t, code, out)
	h.eventually("the run is planned", time.Minute, func() bool {
		out, _ = h.starter("runs", "planned", "-o", "json")
		return strings.Contains(out, `"later-`)
	})
	var planned []struct{ Run string }
	require.NoError(t, json.Unmarshal([]byte(out), &planned))
	out, code = h.starter("runs", "cancel", planned[0].Run)
	require.Zero(t, code, out)
	require.Contains(t, out, "taken back: it was to start at")
	require.Empty(t, h.runs(s), "it never began")

	out, code = h.starter("trigger", "later", "--in", "3s")
	require.Zero(t, code, out)
	h.eventually("the run has ended", time.Minute, func() bool {
		all := h.runs(s)
		return len(all) == 1 && all[0].State == rows.RunClosed
	})
	run := h.runs(s)[0]
	require.Equal(t, outcomes.Done, run.Outcome, run.Why)
	require.Equal(t, run.DueAt, run.StartedAt, "not from when it was asked for")
	requireOnce(t, s, src, "later")
}

// What does not stop when it is asked to is terminated, and loses nothing.
func TestCancelAfterTerminates(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 4, 1, 3, 0)
	worker := h.work()
	h.campaign("hangs", src, "processors: 1")
	src.hold(1)
	h.start("hangs-1", steps.Start{Campaign: "hangs"})
	s := h.open()
	h.eventually("the run is open", time.Minute, func() bool { return h.openRun(s, "hangs") })
	worker.Kill()
	out, code := h.starter("runs", "cancel", "hangs-1", "--after", "1s", "--note", "hangs")
	require.Zero(t, code, out)
	require.Contains(t, out, "terminated: did not stop within 1s after cancel")
	src.release()
	h.work()
	require.Equal(t, outcomes.Done, h.result(h.start("hangs-2", steps.Start{Campaign: "hangs"})).Outcome)
	first, err := s.FindRun(t.Context(), "hangs-1")
	require.NoError(t, err)
	require.Equal(t, outcomes.Cancelled, first.Outcome)
	requireOnce(t, s, src, "hangs")
}
