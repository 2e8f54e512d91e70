package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
	"github.com/vendemmia/vendemmia/internal/registry"
)

const (
	followed   = 60 // jobs of the registry
	followRuns = 12 // of them are to be run at once
)

// crash is a moment at which a worker is killed: when the server has done so many calls
// of a method, and the answer to one more is lost.
type crash struct {
	method string
	calls  int
}

// TestSoakKillWorkerInMidReconcile: a registry is followed twice, once by workers that
// are killed (SIGKILL) while they make schedules, start runs, change schedules and
// remove them, and once by one that is not. In the end all is the same.
func TestSoakKillWorkerInMidReconcile(t *testing.T) {
	soak(t)
	src, due := newSource(t, followed, 1, 2, 0), time.Now().UTC().Add(12*time.Hour).Format("15:04")
	disturbed := newFollowing(t, src, due)
	disturbed.rounds([][]crash{
		{{"CreateSchedule", followed / 3}, {"StartWorkflowExecution", followRuns / 2}},
		{{"UpdateSchedule", 7}},
		{{"DeleteSchedule", 3}},
	})
	calm := newFollowing(t, src, due)
	calm.rounds([][]crash{nil, nil, nil})
	after, want := disturbed.state(), calm.state()
	for _, part := range slices.Sorted(maps.Keys(want)) {
		require.ElementsMatch(t, want[part], after[part], part)
		t.Logf("%-12s %4d, the same with %d kills as without", part, len(want[part]), disturbed.kills)
	}
	require.Len(t, want["runs"], followRuns+6, "each wish started one run")
	require.Len(t, want["schedules"], followed-8, "one for each job that is left")
	require.Len(t, want["versions"], followed+10, "who is disabled keeps the definition")
}

// following is a registry beside a house.
type following struct {
	*house
	service *replica.Service
	gate    *turnstile
	src     *source
	due     string
	kills   int
}

func newFollowing(t *testing.T, src *source, due string) *following {
	t.Helper()
	h := newHouse(t)
	f := &following{house: h, service: replica.New(), gate: newTurnstile(t, h.server.Address), src: src, due: due}
	s := httptest.NewServer(f.service)
	t.Cleanup(s.Close)
	f.engage()
	_, code := h.starter("registry", "add", "house", "--url", s.URL, "--every", "24h")
	require.Equal(t, 0, code)
	return f
}

// engage starts a worker behind the turnstile.
func (f *following) engage() {
	f.t.Helper()
	o := f.hire()
	o.Address = f.gate.address
	p, err := f.startWorker(o)
	require.NoError(f.t, err)
	f.worker = p
}

// rounds are three listings: jobs come; some are changed, some disabled, some lacking;
// and those lack again. Each is followed through its crashes.
func (f *following) rounds(crashes [][]crash) {
	f.t.Helper()
	for i := range followed {
		job := replica.Job{"id": id3(i), "timing": "daily at " + f.due, "fetcher": "feed", "params": map[string]any{"url": fmt.Sprintf("%s/feed/%d", f.src.URL, i)}}
		job["enabled"] = i%10 != 9
		if i < followRuns {
			job["run"] = "first"
		}
		f.service.Put(job)
	}
	f.follow(crashes[0])
	f.idle()
	for i := range 10 {
		f.service.Set(id3(20+i), "name", "Another name")
		f.service.Set(id3(20+i), "timing", map[string]any{"cron": "7 3 1 1 *"})
	}
	for i := range 8 {
		f.service.Set(id3(30+i), "enabled", false)
		f.service.Remove(id3(50 + i))
	}
	for i := range 6 {
		f.service.Set(id3(i), "run", "second")
	}
	f.follow(crashes[1])
	f.idle()
	f.follow(crashes[2])
	f.follow(nil) // nothing is left to do, and the last states are told
}

func id3(i int) string { return fmt.Sprintf("%03d", i) }

// follow syncs once; at each crash the worker is killed, and another one goes on.
func (f *following) follow(crashes []crash) {
	f.t.Helper()
	cmd, out := f.command("registry", "sync", "house")
	held := make([]<-chan struct{}, len(crashes))
	for i, c := range crashes {
		if i == 0 {
			held[i] = f.gate.after(c.method, c.calls)
			require.NoError(f.t, cmd.Start())
		}
		select {
		case <-held[i]:
		case <-f.within(2 * time.Minute).Done():
			require.Fail(f.t, "never held: "+c.method)
		}
		f.worker.Kill()
		f.kills++
		f.halfway(c)
		f.gate.open()
		if i+1 < len(crashes) {
			held[i+1] = f.gate.after(crashes[i+1].method, crashes[i+1].calls)
		}
		f.engage()
	}
	if len(crashes) == 0 {
		require.NoError(f.t, cmd.Start())
	}
	require.NoError(f.t, cmd.Wait(), out.String())
	f.t.Logf("$ starter registry sync house\n%s", out)
}

// halfway requires that something is done, and not all.
func (f *following) halfway(c crash) {
	f.t.Helper()
	jobs, err := f.open().RegistryJobs(f.t.Context(), "house")
	require.NoError(f.t, err)
	left := 0
	for _, j := range jobs {
		actions, err := registry.Actions(j)
		require.NoError(f.t, err)
		if len(actions) > 0 {
			left++
		}
	}
	require.Positive(f.t, left, "all was done before the kill")
	f.t.Logf("killed at %s, call %d: %d schedules on the server, %d of %d jobs left to do", c.method, c.calls+1, len(f.schedules()), left, len(jobs))
}

// idle waits until no run goes on.
func (f *following) idle() {
	f.t.Helper()
	f.eventually("all runs end", 2*time.Minute, func() bool {
		open, err := f.open().OpenRuns(f.t.Context())
		runs, failed := f.open().Runs(f.t.Context(), rows.RunFilter{})
		return err == nil && failed == nil && len(open) == 0 && len(runs) >= followRuns
	})
}

// state is all that there is, in lines that tell neither moments nor stores.
func (f *following) state() map[string][]string {
	f.t.Helper()
	f.idle()
	s, ctx, out := f.open(), f.t.Context(), map[string][]string{}
	add := func(part string, v any) {
		text, err := json.Marshal(v)
		require.NoError(f.t, err)
		out[part] = append(out[part], string(text))
	}
	list, err := s.Campaigns(ctx, "", true)
	require.NoError(f.t, err)
	for _, c := range list {
		paused := rows.Pause{}
		if c.Paused != nil {
			paused = rows.Pause{By: c.Paused.By, Note: c.Paused.Note}
		}
		add("campaigns", []any{c.Name, c.Project, c.Definition.Version, c.Definition.Digest, paused, c.Removed.IsZero()})
		if c.Paused != nil {
			add("pauses", []any{c.Name, paused})
		}
		versions, err := s.Definitions(ctx, c.Name)
		require.NoError(f.t, err)
		for _, d := range versions {
			add("versions", []any{d.Campaign, d.Version, d.Digest, d.Author, d.File})
		}
	}
	jobs, err := s.RegistryJobs(ctx, "house")
	require.NoError(f.t, err)
	for _, j := range jobs {
		j.Reported, j.ReportedAt, j.Sequence = "", time.Time{}, 0
		add("jobs", j)
		last := f.service.Last(j.ID)
		add("last reports", []any{j.ID, last["state"], last["ending"], last["documents"]})
	}
	runs, err := s.Runs(ctx, rows.RunFilter{})
	require.NoError(f.t, err)
	for _, r := range runs {
		add("runs", []any{r.WorkflowID, r.Campaign, r.Trigger, r.Version, r.Outcome})
	}
	out["schedules"] = f.schedules()
	for _, lines := range out {
		slices.Sort(lines)
	}
	return out
}

// schedules are those of the jobs' campaigns on the server.
func (f *following) schedules() []string {
	f.t.Helper()
	ctx, out := f.t.Context(), []string{}
	list, err := f.client.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	require.NoError(f.t, err)
	for list.HasNext() {
		entry, err := list.Next()
		require.NoError(f.t, err)
		if !strings.Contains(entry.ID, "reg-house-") {
			continue
		}
		d, err := f.client.ScheduleClient().GetHandle(ctx, entry.ID).Describe(ctx)
		require.NoError(f.t, err)
		text, err := json.Marshal([]any{entry.ID, d.Schedule.Spec, d.Schedule.State, d.Schedule.Policy, d.Schedule.Action.(*client.ScheduleWorkflowAction).ID})
		require.NoError(f.t, err)
		out = append(out, moment.ReplaceAllString(string(text), "then"))
	}
	return out
}

// moment is a date in the note of a schedule.
var moment = regexp.MustCompile(`\d+ [A-Z][a-z]{2}( \d\d:\d\d)?`)
