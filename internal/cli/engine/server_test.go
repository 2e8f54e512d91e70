package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/testkit/devtest"
	"github.com/vendemmia/vendemmia/workflows"
)

// served is a client of a server of its own.
func served(t *testing.T, namespace string) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	s, err := dev.StartServer(ctx, dev.ServerOptions{CLI: devtest.CLI(t)})
	require.NoError(t, err)
	t.Cleanup(s.Kill)
	c, err := Dial(ctx, client.Options{HostPort: s.Address, Namespace: namespace}, workflows.Instance{})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// A namespace that was just made takes work at once.
func TestMakeNamespace(t *testing.T) {
	t.Parallel()
	c := served(t, "law")
	require.ErrorContains(t, c.Check(t.Context()), "starter setup --namespace")
	made, err := c.MakeNamespace(t.Context(), 14*24*time.Hour)
	require.NoError(t, err)
	require.True(t, made)
	d, err := c.sdk.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "law"})
	require.NoError(t, err)
	require.Equal(t, 14*24*time.Hour, d.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	_, err = c.sdk.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "first", TaskQueue: "q"}, "W")
	require.NoError(t, err)
	require.NoError(t, c.Check(t.Context()))
	require.NoError(t, c.AddSearchAttributes(t.Context(), []workflows.Attribute{{Name: "Harvest", Type: "Keyword"}}))
	require.Eventually(t, func() bool {
		have, err := c.SearchAttributes(t.Context())
		return err == nil && have["Harvest"] == "Keyword"
	}, time.Minute, 100*time.Millisecond)
	made, err = c.MakeNamespace(t.Context(), 24*time.Hour)
	require.NoError(t, err)
	require.False(t, made)
}

// A workflow task that fails each time is told with its cause.
func TestFailingWorkflowTask(t *testing.T) {
	t.Parallel()
	c := served(t, "default")
	w := sdkworker.New(c.sdk, "q", sdkworker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { panic("no such step in this history") }, workflow.RegisterOptions{Name: "W"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	_, err := c.sdk.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "stuck", TaskQueue: "q"}, "W")
	require.NoError(t, err)
	var failing string
	require.Eventually(t, func() bool {
		failing, err = c.Failing(t.Context(), "stuck")
		return err == nil && failing != ""
	}, time.Minute, 100*time.Millisecond)
	require.Contains(t, failing, "its workflow task fails (attempt ")
	require.Contains(t, failing, "no such step in this history")
}

// Workers of a deployment get no runs until a version is current.
func TestDeploymentWithoutACurrentVersion(t *testing.T) {
	t.Parallel()
	c := served(t, "default")
	nobody, err := c.Unrouted(t.Context(), "q")
	require.NoError(t, err)
	require.Empty(t, nobody)
	w := sdkworker.New(c.sdk, "q", sdkworker.Options{DeploymentOptions: sdkworker.DeploymentOptions{
		UseVersioning: true, Version: sdkworker.WorkerDeploymentVersion{DeploymentName: "vendemmia", BuildID: "one"}, DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
	}})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { return nil }, workflow.RegisterOptions{Name: "W"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	names := func(want string) func() bool {
		return func() bool {
			got, err := c.Unrouted(t.Context(), "q")
			return err == nil && got == want
		}
	}
	require.Eventually(t, names("vendemmia"), time.Minute, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := c.sdk.WorkerDeploymentClient().GetHandle("vendemmia").SetCurrentVersion(t.Context(), client.WorkerDeploymentSetCurrentVersionOptions{BuildID: "one"})
		return err == nil
	}, time.Minute, 100*time.Millisecond)
	require.Eventually(t, names(""), time.Minute, 100*time.Millisecond)
}
