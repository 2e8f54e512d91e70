package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheExampleStandsInAModuleOfItsOwn builds and tests the example outside of this
// module, where Go refuses every import of an internal package.
func TestTheExampleStandsInAModuleOfItsOwn(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	own, read := t.TempDir(), func(from string) string {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		return string(text)
	}
	const name = "github.com/vendemmia/vendemmia"
	mod := strings.Replace(read(filepath.Join(root, "go.mod")), "module "+name, "module example.org/bulletin", 1)
	for file, text := range map[string]string{
		"go.mod":  mod + "\nrequire " + name + " v0.0.0\n\nreplace " + name + " => " + root + "\n",
		"go.sum":  read(filepath.Join(root, "go.sum")),
		"main.go": read("main.go"), "main_test.go": read("main_test.go"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(own, file), []byte(text), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "TestGoesOnFromTheCheckpoint|TestConformance/has_its_papers", ".")
	cmd.Dir, cmd.Env = own, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
