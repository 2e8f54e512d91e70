package dev

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
)

// cli finds the Temporal CLI, or skips; in CI its absence is a failure.
func cli(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	path, err := FindCLI(dir, os.Getenv)
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	return path
}

func TestServerKeepsItsDatabaseOverKill(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s, err := StartServer(ctx, ServerOptions{CLI: cli(t), Database: filepath.Join(t.TempDir(), "temporal.db")})
	require.NoError(t, err)
	defer func() { s.Kill() }()

	started := startWorkflow(t, ctx, s.Address)
	s.Kill()
	require.NoError(t, s.Restart(ctx))
	c, err := client.Dial(client.Options{HostPort: s.Address, Logger: quiet{}})
	require.NoError(t, err)
	defer c.Close()
	found, err := c.DescribeWorkflowExecution(ctx, "kept", "")
	require.NoError(t, err)
	require.Equal(t, started, found.WorkflowExecutionInfo.Execution.RunId)
	require.NoError(t, s.Stop(ctx))
	require.NoError(t, s.Stop(ctx), "stopping twice is no error")
}

func startWorkflow(t *testing.T, ctx context.Context, address string) string {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: address, Logger: quiet{}})
	require.NoError(t, err)
	defer c.Close()
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "kept", TaskQueue: "nobody"}, "Any")
	require.NoError(t, err)
	return run.GetRunID()
}

func TestNextFreePairOfPorts(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if port > 65000 {
		t.Skip("no room above port " + strconv.Itoa(port))
	}
	got, ui, err := freePorts(t.Context(), port, port+200)
	require.NoError(t, err)
	require.Greater(t, got, port)
	require.Equal(t, 200, ui-got, "the pair moves together")
}

func TestProcessThatEndsAtOnceIsAnError(t *testing.T) {
	t.Parallel()
	_, err := StartServer(t.Context(), ServerOptions{CLI: "/bin/false"})
	require.ErrorContains(t, err, "ended at once")
	_, err = StartServer(t.Context(), ServerOptions{CLI: "/nowhere/temporal"})
	require.ErrorContains(t, err, "start /nowhere/temporal")
}

func TestFindCLIWalksUpwards(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	below := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "bin"), 0o755))
	require.NoError(t, os.MkdirAll(below, 0o755))
	want := filepath.Join(root, "bin", "temporal")
	require.NoError(t, os.WriteFile(want, []byte("#!/bin/sh\n"), 0o755))
	got, err := FindCLI(below, func(string) string { return "" })
	require.NoError(t, err)
	require.Equal(t, want, got)
}
