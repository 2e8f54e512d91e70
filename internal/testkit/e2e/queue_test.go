package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A run of many items, which share a queue, under kills of workers, pauses and
// skips at random: a small one in `make test`, the whole in `make soak`.

func TestManyItems(t *testing.T) {
	t.Parallel()
	manyItems(t, newHouse(t), 1500, 2, 4)
}

func TestPostgresManyItems(t *testing.T) {
	t.Parallel()
	manyItems(t, newPostgresHouse(t), 1500, 2, 4)
}

func TestSoakManyItems(t *testing.T) {
	soak(t)
	manyItems(t, newHouse(t), 100_000, 4, 40)
}

func TestSoakPostgresManyItems(t *testing.T) {
	soak(t)
	manyItems(t, newPostgresHouse(t), 100_000, 4, 40)
}

func manyItems(t *testing.T, h *house, feeds, workers, blows int) {
	src := newSource(t, feeds, 1, 1, 10*time.Millisecond)
	fleet := h.fleet(workers)
	h.campaign("crash", src, "processors: 40")
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	kills, pauses, skips := 0, 0, 0
	for range blows {
		h.crashMoment(feeds / (2 * blows))
		switch i := h.chance.IntN(len(fleet)); h.chance.IntN(3) {
		case 0:
			fleet[i].Kill()
			fleet[i] = h.work()
			kills++
		case 1:
			pauses += h.pauseFor(run, time.Second)
		default:
			skips += h.skipSome(run, feeds)
		}
	}
	sum := h.result(run)
	require.Contains(t, []outcomes.Outcome{outcomes.Done, outcomes.Warnings}, sum.Outcome)
	h.requireEachClosedOnce(feeds)
	h.requireSmallHistories(run)
	t.Logf("%d items, %d kills of a worker (SIGKILL), %d pauses, %d skips: %v", feeds, kills, pauses, skips, sum.Items)
	stopAll(t, h, fleet)
}

func stopAll(t *testing.T, h *house, fleet []*dev.Process) {
	t.Helper()
	for _, p := range fleet {
		require.NoError(t, p.Stop(h.within(time.Minute)))
	}
}

func (h *house) pauseFor(run client.WorkflowRun, d time.Duration) (paused int) {
	h.t.Helper()
	if _, err := steps.Pause.Send(h.within(time.Minute), h.client, run.GetID(), "", steps.PauseIn{By: "test"}); err != nil {
		return 0 // it has ended
	}
	h.rest(d)
	_, err := steps.Resume.Send(h.within(time.Minute), h.client, run.GetID(), "", steps.ResumeIn{By: "test"})
	require.NoError(h.t, err)
	return 1
}

func (h *house) skipSome(run client.WorkflowRun, feeds int) (skipped int) {
	for range 5 {
		in := steps.SkipItemIn{Key: fmt.Sprintf("feed-%04d", h.chance.IntN(feeds)), By: "test"}
		if _, err := steps.Skip.Send(h.within(time.Minute), h.client, run.GetID(), "", in); err == nil {
			skipped++
		}
	}
	return skipped
}

// requireEachClosedOnce: done with its page, or skipped without.
func (h *house) requireEachClosedOnce(feeds int) {
	h.t.Helper()
	s := h.open()
	run, err := s.FindRun(h.t.Context(), "crash-1")
	require.NoError(h.t, err)
	items, err := s.RunItems(h.t.Context(), run.ID, rows.ItemFilter{})
	require.NoError(h.t, err)
	require.Len(h.t, items, feeds)
	done := 0
	for _, i := range items {
		require.Equal(h.t, rows.ItemClosed, i.State, i.Key)
		require.Contains(h.t, []outcomes.Outcome{outcomes.Done, outcomes.Skipped}, i.Outcome, "%s: %s", i.Key, i.Error)
		require.Equal(h.t, i.Seq, i.Tally.New, i.Key)
		done += i.Seq
	}
	documents := map[string]int{}
	for c, err := range s.Changes(h.t.Context(), rows.ChangeFilter{Campaign: "crash"}) {
		require.NoError(h.t, err)
		documents[c.Document.Line.ID]++
	}
	require.Len(h.t, documents, done, "a document for each page")
	for id, n := range documents {
		require.Equal(h.t, 1, n, id)
	}
}

// requireSmallHistories looks at all executions of a run: few events in all, and
// no large state.
func (h *house) requireSmallHistories(run client.WorkflowRun) {
	h.t.Helper()
	all, most := 0, 0
	for id := run.GetRunID(); id != ""; {
		next := ""
		events := h.client.GetWorkflowHistory(h.t.Context(), run.GetID(), id, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			require.NoError(h.t, err)
			all++
			raw, err := json.Marshal(e.GetWorkflowExecutionStartedEventAttributes().GetInput())
			require.NoError(h.t, err)
			most = max(most, len(raw))
			next = e.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
		}
		id = next
	}
	h.t.Logf("%d events, %d bytes of state at most", all, most)
	require.Less(h.t, all, 5000)
	require.Less(h.t, most, 256<<10)
}
