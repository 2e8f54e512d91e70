package e2e

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// rosterLine is a worker as `starter workers -o json` shows it.
type rosterLine struct {
	Identity string           `json:"identity"`
	State    rows.WorkerState `json:"state"`
	Why      string           `json:"why"`
	Slots    int              `json:"slots"`
	Used     int              `json:"used"`
	Free     int              `json:"free"`
	Items    []rows.HeldItem  `json:"items"`
}

func (h *house) roster() map[string]rosterLine {
	h.t.Helper()
	out, code := h.starter("workers", "-o", "json")
	require.Equal(h.t, 0, code)
	var list []rosterLine
	require.NoError(h.t, json.Unmarshal([]byte(out), &list))
	byName := map[string]rosterLine{}
	for _, w := range list {
		byName[w.Identity] = w
	}
	return byName
}

// Three workers: one is killed and disappears, and what it held others take; one is
// drained from afar and finishes what it has; what each did is on record.
func TestRoster(t *testing.T) {
	t.Parallel()
	const feeds = 12
	h, src := newHouse(t), newSource(t, feeds, 1, 2, 0)
	src.hold(0)
	killed := h.work("--item-slots", "4")
	h.work("--item-slots", "4")
	h.campaign("crash", src, "processors: 16")
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	h.eventually("both workers hold all that they can", time.Minute, func() bool {
		all := h.roster()
		return all["worker-1"].Used == 4 && all["worker-2"].Used == 4
	})
	both := h.roster()
	require.Equal(t, rows.WorkerWorking, both["worker-1"].State)
	require.Equal(t, 0, both["worker-1"].Free)
	require.Len(t, both["worker-1"].Items, 4)
	require.Equal(t, "crash-1", both["worker-1"].Items[0].Run)
	require.WithinDuration(t, time.Now(), both["worker-1"].Items[0].Since, 5*time.Minute)
	h.starter("workers")

	killed.Kill()
	h.eventually("the dead one disappears", time.Minute, func() bool { return len(h.roster()) == 1 })
	_, code := h.starter("workers", "drain", "worker-1")
	require.Equal(t, 2, code, "it is not there")

	h.work("--item-slots", "4")
	h.eventually("another one takes what it held", 2*time.Minute, func() bool { return h.roster()["worker-3"].Used == 4 })
	_, code = h.starter("workers", "drain", "worker-2", "--note", "new kernel")
	require.Equal(t, 0, code)
	h.eventually("it drains", time.Minute, func() bool { return h.roster()["worker-2"].State == rows.WorkerDraining })
	h.starter("workers")
	mine := h.roster()["worker-2"].Items
	src.release()
	_, code = h.starter("workers", "drain", "worker-2", "--note", "new kernel", "--wait")
	require.Equal(t, 0, code)
	sum := h.result(run)
	require.Equal(t, outcomes.Done, sum.Outcome)
	h.starter("workers")
	require.Equal(t, rows.WorkerDrained, h.roster()["worker-2"].State)
	require.Contains(t, h.roster()["worker-2"].Why, "new kernel")
	h.requireDoneBy(mine, "worker-2")

	again := h.start("crash-2", steps.Start{Campaign: "crash", ForceRefresh: true})
	h.result(again)
	for _, it := range h.items("crash-2") {
		require.Equal(t, "worker-3", it.Worker, "a drained worker takes nothing")
	}
	_, code = h.starter("workers", "resume", "worker-2")
	require.Equal(t, 0, code)
	h.eventually("it works again", time.Minute, func() bool { return h.roster()["worker-2"].State == rows.WorkerWorking })
	out, _ := h.starter("runs", "show", "crash-1", "-a")
	require.Contains(t, out, "worker lost", "the attempts of the killed one are on record")
	out, _ = h.starter("runs", "logs", "crash-2") // of the other, the killed one took its last second along
	require.Contains(t, out, "run opened")
	require.Contains(t, out, "run closed")
	h.starter("items", "show", "feed-0001")
}

func (h *house) items(run string) []rows.RunItem {
	h.t.Helper()
	s := h.open()
	r, err := s.FindRun(h.t.Context(), run)
	require.NoError(h.t, err)
	items, err := s.RunItems(h.t.Context(), r.ID, rows.ItemFilter{})
	require.NoError(h.t, err)
	return items
}

// requireDoneBy: what a draining worker held it finished itself, and began nothing
// more.
func (h *house) requireDoneBy(held []rows.HeldItem, worker string) {
	h.t.Helper()
	var before, after []string
	for _, it := range held {
		before = append(before, it.Key)
	}
	for _, it := range h.items("crash-1") {
		require.Equal(h.t, outcomes.Done, it.Outcome)
		if it.Worker == worker {
			after = append(after, it.Key)
		}
	}
	slices.Sort(before)
	slices.Sort(after)
	require.NotEmpty(h.t, before)
	require.Equal(h.t, before, after)
}

// A worker above its share of memory takes nothing new; `workers` and `why` say so.
func TestFullWorkerTakesNothing(t *testing.T) {
	t.Parallel()
	h, src := newHouse(t), newSource(t, 3, 1, 2, 0)
	h.work("--memory", "1MiB") // it has more already
	h.eventually("it is full", time.Minute, func() bool { return h.roster()["worker-1"].State == rows.WorkerFull })
	h.campaign("crash", src, "processors: 2")
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	h.eventually("the run is open", time.Minute, func() bool {
		r, err := h.open().FindRun(t.Context(), "crash-1")
		return err == nil && r.State == rows.RunOpen
	})
	out, _ := h.starter("workers")
	require.Contains(t, out, "it takes no new item")
	out, _ = h.starter("why", "crash")
	require.Contains(t, out, "takes anything new")
	require.Contains(t, out, "worker-1 is full: memory: ")
	require.Empty(t, src.asked)
	h.work()
	require.Equal(t, outcomes.Done, h.result(run).Outcome)
	for _, it := range h.items("crash-1") {
		require.Equal(t, "worker-2", it.Worker)
	}
}
