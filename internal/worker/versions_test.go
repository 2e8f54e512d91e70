package worker

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/testkit/devtest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// versions are two builds of a worker beside each other on one server and one store.
type versions struct {
	t      *testing.T
	ctx    context.Context
	client client.Client
	server *dev.Server
	store  string
}

const deploymentName = "vendemmia"

// A run that is going on ends on the build that it began on; a run that starts after
// the switch is the new build's.
func TestTwoBuildsSideBySide(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	asked, release := make(chan struct{}, 1), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			asked <- struct{}{}
			<-release
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w, rss, strings.Trim(r.URL.Path, "/"))
	}))
	t.Cleanup(site.Close)

	v.worker("one")
	v.makeCurrent("one")
	old := v.run("old", site.URL+"/slow")
	<-asked
	health := v.worker("two")
	v.ramp("two", 50)
	v.makeCurrent("two")
	require.Equal(t, "two", v.end(v.run("new", site.URL+"/quick")))
	close(release)
	require.Equal(t, "one", v.end(old))

	resp, err := http.Get("http://" + health + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), `temporal_workflow_completed_total{`, "the SDK's metrics")
	require.Contains(t, string(text), `temporal_activity_execution_latency_seconds_count{`)
	require.Contains(t, string(text), `vendemmia_items_total{fetcher="feed",outcome="done"} 1`)
	require.Contains(t, string(text), `vendemmia_runs_total{campaign="adhoc-feed",outcome="done"} 1`)
}

func newVersions(t *testing.T) *versions {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	server, err := dev.StartServer(ctx, dev.ServerOptions{CLI: devtest.CLI(t)})
	require.NoError(t, err)
	t.Cleanup(server.Kill)
	c, err := client.Dial(client.Options{HostPort: server.Address})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &versions{t: t, ctx: ctx, client: c, server: server, store: filepath.Join(t.TempDir(), "v.db")}
}

// worker starts a worker of a build; it returns its health address.
func (v *versions) worker(build string) (health string) {
	v.t.Helper()
	health, out := v.start(build, map[string]string{"TEMPORAL_DEPLOYMENT_NAME": deploymentName, "TEMPORAL_WORKER_BUILD_ID": build})
	require.Contains(v.t, out.String(), "build="+build)
	return health
}

// start starts a worker called worker-NAME, and waits until it takes work.
func (v *versions) start(name string, env map[string]string, args ...string) (health string, out *buffer) {
	v.t.Helper()
	health, err := dev.FreeAddress(v.ctx)
	require.NoError(v.t, err)
	all := map[string]string{"TEMPORAL_ADDRESS": v.server.Address}
	maps.Copy(all, env)
	p, out := newProgram(v.t, all, append(args, "--create", "--store", v.store, "--allow-network", "127.0.0.0/8", "--drain", "5s",
		"--identity", "worker-"+name, "--health-address", health)...)
	working, stop := context.WithCancel(v.ctx)
	code := make(chan int, 1)
	go func() { code <- Main(working, p.Env, p.fetchers) }()
	v.t.Cleanup(func() {
		stop()
		require.Equal(v.t, process.OK, <-code, out.String())
	})
	require.Eventually(v.t, func() bool { return strings.Contains(out.String(), "takes work") }, time.Minute, 50*time.Millisecond, out.String())
	return health, out
}

// makeCurrent has new runs start on a build, as `temporal worker deployment
// set-current-version` does; the server must know the build first.
func (v *versions) makeCurrent(build string) {
	v.t.Helper()
	v.tryUntil(func() error {
		_, err := v.handle().SetCurrentVersion(v.ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build})
		return err
	})
}

// ramp gives a build a share of the new runs.
func (v *versions) ramp(build string, percent float32) {
	v.t.Helper()
	v.tryUntil(func() error {
		_, err := v.handle().SetRampingVersion(v.ctx, client.WorkerDeploymentSetRampingVersionOptions{BuildID: build, Percentage: percent})
		return err
	})
}

func (v *versions) handle() client.WorkerDeploymentHandle {
	return v.client.WorkerDeploymentClient().GetHandle(deploymentName)
}

func (v *versions) tryUntil(do func() error) {
	v.t.Helper()
	var err error
	require.Eventually(v.t, func() bool { err = do(); return err == nil }, time.Minute, 100*time.Millisecond)
	require.NoError(v.t, err)
}

func (v *versions) run(id, url string) client.WorkflowRun {
	v.t.Helper()
	run, err := v.client.ExecuteWorkflow(v.ctx, client.StartWorkflowOptions{ID: id, TaskQueue: steps.QueueControl}, steps.CampaignWorkflow,
		steps.Start{Fetcher: "feed", Params: []byte(fmt.Sprintf(`{"url":%q}`, url))})
	require.NoError(v.t, err)
	return run
}

// end waits for a run, and returns the one build that worked on it.
func (v *versions) end(run client.WorkflowRun) (build string) {
	v.t.Helper()
	var sum steps.Summary
	require.NoError(v.t, run.Get(v.ctx, &sum))
	require.Equal(v.t, outcomes.Done, sum.Outcome)
	d, err := v.client.DescribeWorkflowExecution(v.ctx, run.GetID(), run.GetRunID())
	require.NoError(v.t, err)
	version := d.GetWorkflowExecutionInfo().GetVersioningInfo().GetDeploymentVersion()
	require.Equal(v.t, worker.WorkerDeploymentVersion{DeploymentName: deploymentName, BuildID: version.GetBuildId()},
		worker.WorkerDeploymentVersion{DeploymentName: version.GetDeploymentName(), BuildID: version.GetBuildId()})
	history := v.client.GetWorkflowHistory(v.ctx, run.GetID(), run.GetRunID(), false, 0)
	for history.HasNext() {
		e, err := history.Next()
		require.NoError(v.t, err)
		for _, identity := range []string{e.GetWorkflowTaskCompletedEventAttributes().GetIdentity(), e.GetActivityTaskCompletedEventAttributes().GetIdentity()} {
			if identity != "" {
				require.Equal(v.t, "worker-"+version.GetBuildId(), identity)
			}
		}
	}
	return version.GetBuildId()
}
