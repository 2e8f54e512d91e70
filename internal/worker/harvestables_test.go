package worker

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// library is the XML service beside a real server, worker, store and repository.
type library struct {
	*house
	xml     *replica.Harvestables
	records *oai.Repository
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{house: &house{smoke: newSmoke(t)}, xml: replica.NewHarvestables()}
	var err error
	l.records, err = oai.Start(oai.Config{Records: 30, Page: 10})
	require.NoError(t, err)
	t.Cleanup(l.records.Close)
	server := httptest.NewServer(l.xml)
	t.Cleanup(server.Close)
	require.NoError(t, l.store.PutRegistry(l.ctx, rows.Registry{
		Name: "house", URL: server.URL + "/harvester/records", Format: registry.FormatHarvestables, Every: time.Hour, AddedAt: time.Now(),
	}))
	return l
}

func (l *library) put(ids ...string) {
	for _, id := range ids {
		l.xml.Put(replica.OAI(id, l.records.URL()))
	}
}

func TestAnXMLServiceSaysWhatToHarvest(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.put("1", "2", "3", "4", "5")
	bulk := replica.OAI("6", "https://example.org/dump.xml")
	bulk.Kind = "xmlBulk"
	l.xml.Put(bulk)
	l.xml.Edit("2", replica.Field{Name: "scheduleString", XML: "0 0 17 6 3"})

	done := l.synced()
	require.Equal(t, 6, done.Listed.Jobs)
	require.Equal(t, 5, done.Applied.Created)
	require.Equal(t, 1, done.Applied.Problems)
	jobs, err := l.store.RegistryJobs(l.ctx, "house")
	require.NoError(t, err)
	require.Equal(t, "xmlBulk: not supported yet, job 6", jobs[5].Problem)
	require.Empty(t, l.xml.Writes("6"), "another harvester's job")

	// What is printed as the next time is what the engine keeps.
	schedule := l.schedule("2")
	want, err := registry.ParseAnd([]string{"0", "0", "17", "6", "3"})
	require.NoError(t, err)
	for i, at := range want.Next(time.Now(), len(schedule.Info.NextActionTimes)) {
		require.WithinDuration(t, at, schedule.Info.NextActionTimes[i], 2*time.Minute+time.Second, "a day that is both, but for the jitter")
	}
	require.NotEmpty(t, schedule.Info.NextActionTimes)

	// A run now, of a job that is disabled: once, and told.
	l.xml.Edit("1", replica.Field{Name: "enabled", XML: "false"}, replica.Field{Name: "harvestImmediately", XML: "true"})
	done = l.synced()
	require.Equal(t, 1, done.Applied.Started)
	require.True(t, l.schedule("1").Schedule.State.Paused)
	require.Equal(t, outcomes.Done, l.ended("1").Outcome)
	require.Zero(t, l.synced().Applied.Started, "a wish is fulfilled once")
	record := l.xml.Job("1")
	require.Equal(t, "OK", record.Text("currentStatus"))
	require.Equal(t, "30", record.Text("amountHarvested"))
	require.Equal(t, "false", record.Text("harvestImmediately"))
	require.Empty(t, record.Text("message"), "the try that succeeds is no error")
	require.NotEmpty(t, record.Text("lastHarvestFinished"))
	require.Zero(t, l.synced().Listed.Changed, "what was written back is no change")

	// The id of a job with another type: it is held, and comes back.
	other := replica.OAI("3", "https://example.org/dump.xml")
	other.Kind = "xmlBulk"
	l.xml.Put(other)
	l.xml.Edit("3")
	require.Equal(t, 1, l.synced().Applied.Held)
	require.True(t, l.schedule("3").Schedule.State.Paused)
	l.put("3")
	l.xml.Edit("3")
	require.Equal(t, 1, l.synced().Applied.Changed)
	require.False(t, l.schedule("3").Schedule.State.Paused)

	// Gone: after two listings; checkpoints stay.
	l.xml.Remove("1")
	l.synced()
	require.Equal(t, 1, l.synced().Applied.Removed)
	require.Nil(t, l.schedule("1"))
	checkpoints, err := l.store.Checkpoints(l.ctx, rows.CheckpointFilter{Campaign: "reg-house-1"})
	require.NoError(t, err)
	require.Len(t, checkpoints, 1)
}

// A new lastUpdated and nothing else ends the run; with harvestImmediately another
// one begins once it has ended.
func TestARunIsStoppedAndBegunAnew(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hang.Close)
	l.xml.Put(replica.OAI("1", hang.URL))
	l.xml.Edit("1", replica.Field{Name: "scheduleString", XML: ""})
	require.Equal(t, 1, l.synced().Applied.Started, "an empty schedule means once now")
	l.running("1")
	l.synced()
	require.Equal(t, "RUNNING", l.xml.Job("1").Text("currentStatus"))
	l.xml.Edit("1")
	require.Equal(t, steps.JobsApplied{Stopped: 1}, l.synced().Applied)
	require.Equal(t, outcomes.Cancelled, l.ended("1").Outcome)
	l.synced()
	require.Equal(t, "KILLED", l.xml.Job("1").Text("currentStatus"))

	l.xml.Edit("1", replica.Field{Name: "harvestImmediately", XML: "true"})
	l.synced()
	first := l.running("1")
	l.xml.Edit("1", replica.Field{Name: "harvestImmediately", XML: "true"})
	require.Equal(t, 1, l.synced().Applied.Stopped)
	require.Equal(t, outcomes.Cancelled, l.ended("1").Outcome)
	require.Equal(t, 1, l.synced().Applied.Started)
	require.NotEqual(t, first, l.running("1"))
}

// running waits until a job has a run that goes on.
func (h *house) running(id string) (workflow string) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		open, _, err := h.store.RegistryRuns(h.ctx, "house")
		workflow = open["reg-house-"+id].WorkflowID
		return err == nil && workflow != ""
	}, time.Minute, 50*time.Millisecond)
	return workflow
}

// Whatever a broken XML service does, what runs here stays as it is.
func TestABrokenXMLServiceHarmsNothing(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.put("1", "2", "3", "4", "5")
	l.xml.Edit("1", replica.Field{Name: "harvestImmediately", XML: "true"})
	l.synced()
	l.ended("1")
	l.synced()
	before := l.state()
	for _, c := range []struct {
		name  string
		fault replica.Fault
		fails string
	}{
		{"down", replica.Down(), "503"},
		{"HTML", replica.HTML(), "HTML page"},
		{"truncated XML", replica.Cut(), "not a list of harvestables"},
		{"shorter than it counts", replica.Shorter(), "changed while it was read"},
		{"an empty list, once", replica.EmptyHarvestables(), "lacks 5 of 5 jobs"},
		{"the same id twice", replica.ListedTwice("2"), ""},
		{"one unreadable record", replica.UnreadableRecord("2"), ""},
		{"one record fails", replica.FailingRecord("2"), ""},
	} {
		l.xml.Edit("2") // else its record is not asked for
		l.xml.Break(c.fault)
		_, err := l.sync(false)
		if c.fails == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.fails, c.name)
		}
		broken := l.state()
		l.xml.Break(nil)
		l.synced()
		require.Equal(t, before, broken, c.name)
		require.Equal(t, before, l.state(), "%s, healed", c.name)
		t.Logf("%-24s schedules %d as before, 0 paused; runs %d; checkpoints %d", c.name, broken.schedules, broken.runs, broken.checkpoints)
	}
}

// state is what a broken registry could harm.
type state struct {
	schedules, paused, runs, checkpoints int
	applied                              string
}

func (l *library) state() (s state) {
	l.t.Helper()
	jobs, err := l.store.RegistryJobs(l.ctx, "house")
	require.NoError(l.t, err)
	for _, j := range jobs {
		s.applied += j.Applied + string(j.State)
		if d := l.schedule(j.ID); d != nil {
			s.schedules++
			if d.Schedule.State.Paused {
				s.paused++
			}
		}
		checkpoints, err := l.store.Checkpoints(l.ctx, rows.CheckpointFilter{Campaign: j.Campaign})
		require.NoError(l.t, err)
		s.checkpoints += len(checkpoints)
		runs, err := l.store.Runs(l.ctx, rows.RunFilter{Campaign: j.Campaign})
		require.NoError(l.t, err)
		s.runs += len(runs)
	}
	return s
}
