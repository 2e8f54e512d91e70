package worker

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// house is a registry beside a real server, worker, store and source.
type house struct {
	*smoke
	service *replica.Service
	url     string
	syncs   int
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return newHouseOf(t, newSmoke(t))
}

func newHouseOf(t *testing.T, s *smoke) *house {
	t.Helper()
	h := &house{smoke: s, service: replica.New()}
	server := httptest.NewServer(h.service)
	t.Cleanup(server.Close)
	h.url = server.URL
	h.put(0)
	return h
}

// put follows the registry, with a bound on its runs.
func (h *house) put(maxRunning int) {
	h.t.Helper()
	require.NoError(h.t, h.store.PutRegistry(h.ctx, rows.Registry{Name: "house", URL: h.url, Format: "json", Every: time.Hour, MaxRunning: maxRunning, AddedAt: time.Now()}))
}

func (h *house) job(id string) replica.Job {
	return replica.Job{"id": id, "name": "Job " + id, "timing": "every 2h", "fetcher": "feed", "params": map[string]any{"url": h.source.URL + "/" + id}}
}

// sync is one round; failed is what the workflow failed with.
func (h *house) sync(accept bool) (done steps.RegistryDone, failed error) {
	h.t.Helper()
	h.syncs++
	run, err := h.client.ExecuteWorkflow(h.ctx, client.StartWorkflowOptions{
		ID: fmt.Sprintf("sync-%d", h.syncs), TaskQueue: steps.QueueControl,
	}, steps.RegistryWorkflow, steps.RegistryIn{Registry: "house", Accept: accept})
	require.NoError(h.t, err)
	return done, run.Get(h.ctx, &done)
}

func (h *house) synced() steps.RegistryDone {
	h.t.Helper()
	done, err := h.sync(false)
	require.NoError(h.t, err)
	return done
}

// schedule describes a job's schedule; nil: there is none.
func (h *house) schedule(id string) *client.ScheduleDescription {
	h.t.Helper()
	d, err := h.client.ScheduleClient().GetHandle(h.ctx, workflows.Instance{}.ScheduleID("reg-house-"+id)).Describe(h.ctx)
	if _, is := err.(*serviceerror.NotFound); is {
		return nil
	}
	require.NoError(h.t, err)
	return d
}

// ended waits until a job's last run has ended, and reports.
func (h *house) ended(id string) rows.Run {
	h.t.Helper()
	var last rows.Run
	require.Eventually(h.t, func() bool {
		list, err := h.store.Runs(h.ctx, rows.RunFilter{Campaign: "reg-house-" + id})
		if err != nil || len(list) == 0 || list[0].State != rows.RunClosed {
			return false
		}
		last = list[0]
		return true
	}, time.Minute, 50*time.Millisecond)
	return last
}

func five(h *house) []replica.Job {
	var jobs []replica.Job
	for i := range 5 {
		jobs = append(jobs, h.job(fmt.Sprint(i)))
	}
	return jobs
}

func TestARegistrySaysWhatToHarvest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.service.Put(five(h)...)

	done := h.synced()
	require.Equal(t, 5, done.Listed.Jobs)
	require.Equal(t, 5, done.Applied.Created)
	require.Equal(t, 5, done.Reported.Reported)
	require.NotNil(t, h.schedule("0"))
	require.Equal(t, "waiting", h.service.Last("0")["state"])
	require.NotEmpty(t, h.service.Last("0")["next"])

	done = h.synced()
	require.True(t, done.Listed.Unchanged)
	require.Equal(t, 1, done.Listed.Requests)
	require.Equal(t, steps.JobsApplied{Unchanged: 5}, done.Applied)

	// A run now, of a job that is disabled: once.
	h.service.Set("0", "enabled", false)
	h.service.Set("0", "run", "now-1")
	done = h.synced()
	require.Equal(t, steps.JobsApplied{Changed: 1, Started: 1, Unchanged: 4}, done.Applied)
	require.True(t, h.schedule("0").Schedule.State.Paused)
	run := h.ended("0")
	require.Equal(t, outcomes.Done, run.Outcome)
	require.Equal(t, string(steps.TriggerRegistry), run.Trigger)
	require.Zero(t, h.synced().Applied.Started, "a wish is fulfilled once")
	last := h.service.Last("0")
	require.Equal(t, "disabled", last["state"])
	require.Equal(t, "ok", last["ending"])
	require.EqualValues(t, 2, last["documents"])

	// Another definition.
	h.service.Set("1", "timing", "every 3h")
	require.Equal(t, 1, h.synced().Applied.Changed)
	require.Equal(t, 3*time.Hour, h.schedule("1").Schedule.Spec.Intervals[0].Every)

	// Gone: after two listings; what it collected stays.
	h.service.Remove("0")
	require.Equal(t, 1, h.synced().Listed.Missing)
	require.NotNil(t, h.schedule("0"), "one listing is not enough")
	require.Equal(t, 1, h.synced().Applied.Removed)
	require.Nil(t, h.schedule("0"))
	counts, err := h.store.Counts(h.ctx, "reg-house-0")
	require.NoError(t, err)
	require.EqualValues(t, 2, counts.Documents)
	checkpoints, err := h.store.Checkpoints(h.ctx, rows.CheckpointFilter{Campaign: "reg-house-0"})
	require.NoError(t, err)
	require.Len(t, checkpoints, 1)
	require.Equal(t, "removed", h.service.Last("0")["state"])
}

// Whatever a broken registry does, what runs here stays as it is.
func TestABrokenRegistryHarmsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.service.Put(five(h)...)
	h.service.Set("0", "run", "once")
	h.synced()
	h.ended("0")
	h.synced()
	before, err := h.store.RegistryJobs(h.ctx, "house")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		fault replica.Fault
		fails string
	}{
		"down":       {replica.Down(), "503"},
		"HTML":       {replica.HTML(), "HTML page"},
		"truncated":  {replica.Truncated(), "not JSON"},
		"empty once": {replica.Empty(), "lacks 5 of 5 jobs"},
		"twice":      {replica.Twice("2"), ""},
		"unreadable": {replica.Unreadable("2", false), ""},
		"nameless":   {replica.Unreadable("2", true), ""},
	} {
		h.service.Break(c.fault)
		_, err := h.sync(false)
		if c.fails == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.fails, name)
		}
		h.service.Break(nil)
		h.synced()
		now, err := h.store.RegistryJobs(h.ctx, "house")
		require.NoError(t, err)
		for i := range now {
			require.Equal(t, before[i].Applied, now[i].Applied, name)
			require.Equal(t, rows.JobActive, now[i].State, name)
			require.Zero(t, now[i].Missing, name)
			require.Empty(t, now[i].Problem, name)
			s := h.schedule(now[i].ID)
			require.NotNil(t, s, name)
			require.False(t, s.Schedule.State.Paused, name)
		}
	}
	r, err := h.store.Registry(h.ctx, "house")
	require.NoError(t, err)
	require.Empty(t, r.Error)
	require.Empty(t, r.Warning)
}

// A service that was away is told how things are when it is back, and in order.
func TestReportsCatchUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.service.Put(five(h)...)
	h.service.Set("0", "run", "once")
	h.synced()
	h.service.Break(replica.Down())
	h.ended("0")
	_, err := h.sync(false)
	require.Error(t, err)
	seen := len(h.service.Reports("0"))
	h.service.Break(nil)
	h.synced()
	all := h.service.Reports("0")
	require.Len(t, all, seen+1)
	require.Equal(t, "ok", all[seen]["ending"])
	last := 0.0
	for _, r := range all {
		require.Greater(t, r["sequence"], last)
		last = r["sequence"].(float64)
	}
}

// One that cannot be made is named; the others are made.
func TestAJobThatCannotBeMadeIsNamed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bad, worse := h.job("bad"), h.job("secret")
	bad["fetcher"] = "fede"
	worse["params"] = map[string]any{"url": "https://example.org/?k=${secret:env:HOME}"}
	h.service.Put(h.job("good"), bad, worse)
	done := h.synced()
	require.Equal(t, 2, done.Applied.Created)
	require.Equal(t, 1, done.Applied.Problems)
	require.NotNil(t, h.schedule("good"))
	require.Contains(t, h.service.Last("bad")["text"], "feed")
	require.Equal(t, "refused", h.service.Last("bad")["state"])
	c, err := h.store.Campaign(h.ctx, "reg-house-secret")
	require.NoError(t, err)
	require.Contains(t, string(c.Definition.Spec), "$${secret:", "a stranger's reference is text")
}
