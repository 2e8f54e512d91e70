package cli

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestRegistryAdd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.ok("registry", "add", "library", "--url", "https://registry.example.org/v1/", "--every", "1m",
		"--header", "Authorization: Bearer ${secret:env:VENDEMMIA_SECRET_REGISTRY}")
	out += b.ok("registry", "list")
	out += b.ok("registry", "add", "library", "--url", "https://registry.example.org/v2")
	out += b.ok("registry", "pause", "library", "--note", "they migrate")
	out += b.ok("registry", "show", "library")
	out += b.ok("registry", "resume", "library", "-o", "json")
	golden(t, "registry-add", out)
	require.Contains(t, b.engine.schedules.kept, "vendemmia-registry-library")
	require.Equal(t, "30s", b.engine.schedules.kept["vendemmia-registry-library"].Schedule.Spec.Intervals[0].Every.String())
}

// A pause stands in Temporal too, and a change of how a registry is followed leaves it.
func TestRegistryPauseIsOfTheSchedule(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	state := func() *client.ScheduleState {
		return b.engine.schedules.kept["vendemmia-registry-library"].Schedule.State
	}
	add := []string{"registry", "add", "library", "--url", "https://registry.example.org/v1"}
	b.ok(add...)
	require.False(t, state().Paused)
	b.ok("registry", "pause", "library", "--note", "they migrate")
	require.True(t, state().Paused)
	require.Equal(t, "paused by marta: they migrate", state().Note)
	b.ok(append(add, "--every", "1m")...)
	require.True(t, state().Paused)
	b.ok("registry", "resume", "library")
	require.False(t, state().Paused)
	b.ok("registry", "pause", "library", "--until", "2d")
	require.False(t, state().Paused, "it ends by itself: the store keeps it")
}

func TestRegistryAddRefuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const url = "https://registry.example.org"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"add", "my-library", "--url", url}, "not a name for a registry"},
		{[]string{"add", "library"}, "--url is missing"},
		{[]string{"add", "library", "--url", "ftp://x"}, "begins with http"},
		{[]string{"add", "library", "--url", "https://u:p@x.org"}, "a password has no place"},
		{[]string{"add", "library", "--url", url, "--format", "xml"}, "there are json"},
		{[]string{"add", "library", "--url", url, "--every", "10ms"}, "at least 1s"},
		{[]string{"add", "library", "--url", url, "--header", "Authorization: Bearer 1234"}, "value written out"},
		{[]string{"add", "library", "--url", url, "--max-running", "-1"}, "at least 1"},
		{[]string{"show", "library"}, "there is none of that name"},
		{[]string{"sync", "library"}, "there is none of that name"},
	} {
		r := b.run(append([]string{"registry"}, c.args...)...)
		require.Equal(t, program.ExitUsage, r.code, c.args)
		require.Contains(t, strings.ReplaceAll(r.err, "\n", " "), c.want)
	}
}

// listed is a bench that follows a registry with some jobs.
func listed(t *testing.T) (*bench, *replica.Service) {
	t.Helper()
	service := replica.New()
	for i := range 4 {
		service.Put(replica.Job{"id": fmt.Sprint(i), "name": "Feed " + fmt.Sprint(i), "timing": "every 2h", "fetcher": "feed", "params": map[string]any{"url": fmt.Sprintf("https://example.org/%d", i)}})
	}
	service.Put(replica.Job{"id": "wrong", "name": "A typing error", "fetcher": "fede"})
	service.Put(replica.Job{"id": "now", "fetcher": "feed", "enabled": false, "run": "1", "params": map[string]any{"url": "https://example.org/now"}})
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	b := newBench(t)
	b.ok("registry", "add", "library", "--url", server.URL)
	return b, service
}

func TestRegistryDryRun(t *testing.T) {
	t.Parallel()
	b, service := listed(t)
	args := []string{"registry", "sync", "library", "--dry-run", "--allow-network", "127.0.0.0/8"}
	out := b.ok(args...)
	golden(t, "registry-dry-run", out)
	narrow(t, out)
	require.Equal(t, []string{"GET /jobs?limit=1000"}, service.Requests())
	require.Contains(t, b.ok(append(args, "-o", "json")...), `"action": "create"`)
	service.Break(replica.HTML())
	r := b.run(args...)
	require.NotEqual(t, program.ExitOK, r.code)
	require.Contains(t, r.err, "got an HTML page instead of JSON")
}

func TestRegistrySync(t *testing.T) {
	t.Parallel()
	b, _ := listed(t)
	b.engine.synced = steps.RegistryDone{
		Registry: "library", Listed: steps.JobsListed{Jobs: 6, Requests: 1, Problems: 0}, Applied: steps.JobsApplied{Created: 5, Problems: 1, Started: 1}, Reported: steps.JobsReported{Reported: 6},
	}
	golden(t, "registry-sync", b.ok("registry", "sync", "library"))
	b.engine.syncFailed = "HTTP status 503"
	r := b.run("registry", "sync", "library")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "HTTP status 503")
	require.Equal(t, program.ExitUsage, b.run("registry", "sync", "library", "--accept-removals").code, "it asks")
	require.Equal(t, program.ExitOK, b.run("registry", "pause", "library").code)
	require.Contains(t, b.run("registry", "sync", "library").err, "is paused")
}

func TestRegistryShowAndRemove(t *testing.T) {
	t.Parallel()
	b, _ := listed(t)
	jobs := []rows.RegistryJob{}
	for _, j := range []registry.Job{
		{ID: "1", Name: "Feed 1", Enabled: true, Fetcher: "feed"}, {ID: "2", Name: "Dump", Type: "xmlBulk", Unsupported: "xmlBulk is not supported yet, job 2"},
	} {
		spec, err := j.Encode()
		require.NoError(t, err)
		jobs = append(jobs, rows.RegistryJob{Registry: "library", ID: j.ID, Campaign: registry.Campaign("library", j.ID), State: rows.JobActive, Spec: spec, Problem: j.Unsupported})
	}
	s, err := store.Open(t.Context(), b.dir+"/.vendemmia/vendemmia.db", store.Options{})
	require.NoError(t, err)
	require.NoError(t, s.SaveRegistryJobs(t.Context(), jobs))
	require.NoError(t, s.Close())
	out := b.ok("registry", "show", "library")
	out = out[strings.Index(out, "state"):] // the address has a port
	golden(t, "registry-show", out)
	require.NotContains(t, b.ok("registry", "show", "library", "--problems", "-o", "json"), "Feed 1")

	require.Equal(t, program.ExitUsage, b.run("registry", "remove", "library").code, "it asks")
	b.ok("registry", "remove", "library", "--yes")
	require.Contains(t, b.ok("registry", "list"), "No registry is followed")
}

// What waits for a place of its registry says so, wherever one looks.
func TestRegistryLine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("registry", "add", "library", "--url", "https://registry.example.org/v1", "--max-running", "1")
	s, err := store.Open(t.Context(), b.dir+"/.vendemmia/vendemmia.db", store.Options{})
	require.NoError(t, err)
	apply, jobs := rows.Application{Project: registry.Project("library"), At: moment()}, []rows.RegistryJob{}
	for n := range 3 {
		id := fmt.Sprint(n + 1)
		name := registry.Campaign("library", id)
		apply.Campaigns = append(apply.Campaigns, rows.ApplyCampaign{Name: name, Digest: id, Spec: []byte(`{"fetchers":[{"name":"feed","fetcher":"feed"}]}`)})
		jobs = append(jobs, rows.RegistryJob{Registry: "library", ID: id, Campaign: name, State: rows.JobActive, Listed: "x", Applied: "x"})
	}
	_, err = s.Apply(t.Context(), apply)
	require.NoError(t, err)
	require.NoError(t, s.SaveRegistryJobs(t.Context(), jobs))
	for n, j := range jobs {
		_, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{
			RunID: "r-" + j.ID, WorkflowID: j.Campaign + "-run", Campaign: j.Campaign, Version: 1, Trigger: "registry", StartedAt: moment().Add(time.Duration(n-10) * time.Minute),
		}})
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
	out := b.ok("registry", "list")
	show := b.ok("registry", "show", "library")
	out += show[strings.Index(show, "running"):]
	out += b.ok("why", "reg-library-3") + b.ok("runs", "show", "reg-library-3")
	golden(t, "registry-line", out)
	narrow(t, out)
}
