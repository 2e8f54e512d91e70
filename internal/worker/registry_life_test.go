package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A job that goes while its run goes on: the run is told to end, and the schedule is
// removed once it has; what it collected stays, and it goes on there when it comes back.
func TestAJobThatGoes(t *testing.T) {
	t.Parallel()
	aJobThatGoes(t, newHouse(t))
}

func TestAJobThatGoesOverPostgres(t *testing.T) {
	t.Parallel()
	aJobThatGoes(t, newHouseOf(t, newSmokeOn(t, pgtest.New(t, pgtest.Options{}).Database(t))))
}

func aJobThatGoes(t *testing.T, h *house) {
	site := newTollgate(t)
	site.let("held")
	held := h.job("held")
	held["run"], held["params"] = "1", map[string]any{"url": site.site(0) + "/held"}
	h.service.Put(append(five(h), held)...)
	h.synced()
	require.Equal(t, outcomes.Done, h.ended("held").Outcome)
	before, err := h.store.Checkpoints(h.ctx, rows.CheckpointFilter{Campaign: "reg-house-held"})
	require.NoError(t, err)
	require.Len(t, before, 1)

	site.shut("held")
	h.service.Set("held", "run", "2")
	require.Equal(t, 1, h.synced().Applied.Started)
	h.until("the second run fetches", func() bool { return len(site.seen()) == 2 })
	h.service.Remove("held")
	require.Equal(t, 1, h.synced().Listed.Missing)
	require.Equal(t, "running", h.service.Last("held")["state"], "one listing is not enough")
	done := h.synced()
	require.Equal(t, 1, done.Applied.Closing)
	require.Zero(t, done.Applied.Removed)
	require.True(t, h.schedule("held").Schedule.State.Paused, "no further run begins")
	require.Equal(t, "closing", h.service.Last("held")["state"])
	require.Equal(t, outcomes.Cancelled, h.ended("held").Outcome)
	require.NotNil(t, h.schedule("held"), "until the next round has seen the end")
	require.Equal(t, 1, h.synced().Applied.Removed)
	require.Nil(t, h.schedule("held"))
	last := h.service.Last("held")
	require.Equal(t, "removed", last["state"])
	require.Equal(t, "terminated", last["ending"])
	after, err := h.store.Checkpoints(h.ctx, rows.CheckpointFilter{Campaign: "reg-house-held"})
	require.NoError(t, err)
	require.Equal(t, before, after)

	site.let("held")
	held["run"] = "3"
	h.service.Put(held)
	require.Equal(t, steps.JobsApplied{Created: 1, Started: 1, Unchanged: 5}, h.synced().Applied)
	require.Equal(t, outcomes.Unchanged, h.ended("held").Outcome, "it went on at its checkpoint")
	require.NotNil(t, h.schedule("held"))
}

// A definition that changes under a run: as a rule the run keeps its own; with on_change:
// restart it is told to end, and one with the new definition begins.
func TestADefinitionThatChangesUnderARun(t *testing.T) {
	t.Parallel()
	h, site := newHouse(t), newTollgate(t)
	for n, id := range []string{"keep", "again"} {
		j := h.job(id)
		j["run"], j["params"] = "1", map[string]any{"url": fmt.Sprint(site.site(n), "/", id)}
		h.service.Put(j)
	}
	h.service.Set("again", "on_change", "restart")
	h.synced()
	h.until("both fetch", func() bool { return len(site.seen()) == 2 })
	h.service.Set("keep", "timing", "every 3h")
	h.service.Set("again", "timing", "every 3h")
	require.Equal(t, steps.JobsApplied{Changed: 2, Stopped: 1}, h.synced().Applied)
	require.Equal(t, outcomes.Cancelled, h.ended("again").Outcome)
	site.let("again")
	h.until("it begins anew", func() bool {
		h.synced()
		return len(site.seen()) == 3
	})
	run := h.ended("again")
	require.Equal(t, outcomes.Done, run.Outcome)
	require.Equal(t, 2, run.Version)
	site.let("keep")
	run = h.ended("keep")
	require.Equal(t, outcomes.Done, run.Outcome)
	require.Equal(t, 1, run.Version, "the run kept the definition that it began with")
	require.Len(t, h.runs(), 3)
}

// A campaign that somebody made under a job's name stays as it is, and the registry is
// told why the job is not followed.
func TestACampaignMadeByHandIsNotTouched(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mine := h.news("a")
	mine.Name = "reg-house-1"
	h.apply(mine)
	before, err := h.store.Campaign(h.ctx, mine.Name)
	require.NoError(t, err)
	_, err = h.start(`{"campaign":"reg-house-1"}`)
	require.NoError(t, err)
	h.service.Put(five(h)...)
	h.service.Set("1", "run", "once")
	done := h.synced()
	require.Equal(t, 4, done.Applied.Created)
	require.Equal(t, 1, done.Applied.Problems)
	last := h.service.Last("1")
	require.Equal(t, "refused", last["state"])
	require.Contains(t, last["text"], "belongs to project \"test\"")
	require.Nil(t, last["ending"], "its run is nobody else's")
	h.service.Remove("1")
	h.synced()
	h.synced()
	h.synced()
	after, err := h.store.Campaign(h.ctx, mine.Name)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Nil(t, h.schedule("1"))
	require.Len(t, h.runs(), 1)
}

// A schedule that a registry asked for fires by itself.
func TestASchedulesOfARegistryFires(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	j := h.job("soon")
	j["timing"] = map[string]any{"every": "10s", "jitter": "0s"}
	h.service.Put(j)
	require.Equal(t, 1, h.synced().Applied.Created)
	h.until("it fires", func() bool {
		list, err := h.store.Runs(h.ctx, rows.RunFilter{Campaign: "reg-house-soon", Triggers: []string{string(steps.TriggerSchedule)}, States: []rows.RunState{rows.RunClosed}})
		return err == nil && len(list) > 0 && list[len(list)-1].Outcome == outcomes.Done && !list[len(list)-1].DueAt.IsZero() && list[0].ClosedAt.After(time.Time{})
	})
}
