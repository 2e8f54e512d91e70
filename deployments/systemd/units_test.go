package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is a file tree with the units installed, and something at the paths that
// they start.
func root(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("systemd-analyze is missing: install package systemd")
		}
		t.Skip("systemd-analyze is not on PATH")
	}
	tree := t.TempDir()
	units := filepath.Join(tree, "usr/lib/systemd/system")
	require.NoError(t, os.MkdirAll(units, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(tree, "usr/bin"), 0o755))
	for _, program := range []string{"vendemmia", "temporal"} {
		require.NoError(t, os.WriteFile(filepath.Join(tree, "usr/bin", program), []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // a program
	}
	for _, target := range []string{"network-online.target", "multi-user.target", "timers.target", "sysinit.target", "basic.target", "shutdown.target", "time-sync.target", "time-set.target"} {
		require.NoError(t, os.WriteFile(filepath.Join(units, target), []byte("[Unit]\nDescription=x\n"), 0o600))
	}
	for _, path := range unitFiles(t) {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(units, path), content, 0o600))
	}
	return tree
}

func unitFiles(t *testing.T) []string {
	t.Helper()
	services, err := filepath.Glob("*.service")
	require.NoError(t, err)
	timers, err := filepath.Glob("*.timer")
	require.NoError(t, err)
	require.Len(t, append(services, timers...), 4)
	return append(services, timers...)
}

// instance is how a unit is named when it is asked about.
func instance(name string) string { return strings.Replace(name, "@.", "@library.", 1) }

func analyze(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput()
	return string(out), err
}

func TestUnitsAreValid(t *testing.T) {
	t.Parallel()
	tree := root(t)
	for _, name := range unitFiles(t) {
		out, err := analyze(t, "verify", "--man=no", "--root="+tree, instance(name))
		require.NoError(t, err, "%s: %s", name, out)
		require.Empty(t, strings.TrimSpace(out), name)
	}
}

// The most that systemd-analyze security may find, in tenths of its scale to 10.
const mostExposed = "20"

func TestUnitsAreSandboxed(t *testing.T) {
	t.Parallel()
	tree := root(t)
	for _, name := range unitFiles(t) {
		if !strings.HasSuffix(name, ".service") {
			continue
		}
		out, err := analyze(t, "security", "--offline=yes", "--no-pager", "--root="+tree, "--threshold="+mostExposed, instance(name))
		require.NoError(t, err, "%s: %s", name, out)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		t.Log(lines[len(lines)-1])
	}
}
