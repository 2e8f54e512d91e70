package scaffold_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/scaffold"
)

// here is the root of this checkout.
func here(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	return root
}

// copied is a copy of what stands in this checkout, without what is built and kept.
func copied(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, filepath.WalkDir(here(t), func(path string, d fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(here(t), path)
		switch {
		case err != nil:
			return err
		case relErr != nil:
			return relErr
		case d.IsDir() && slices.Contains([]string{".git", ".vendemmia", "bin", "dist"}, name):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	}))
	return to
}

// run runs a command in a folder, which must end well.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", strings.Join(args, " "), out)
	return string(out)
}

// A fetcher that was just written passes what CI asks of the one it becomes.
func TestAFetcherOfTheCheckoutPassesAsItIs(t *testing.T) {
	t.Parallel()
	root := copied(t)
	made, err := scaffold.InCheckout(filepath.Join(root, "docs"), scaffold.Fetcher{Name: "notices"})
	require.NoError(t, err)
	require.Equal(t, root, made.Folder)
	for _, name := range append(made.Files, made.Listed) {
		require.FileExists(t, filepath.Join(root, name))
	}

	require.Empty(t, run(t, root, "gofmt", "-l", "fetchers", "internal/local/replica"))
	run(t, root, "go", "vet", "./fetchers/notices", "./internal/local/replica/notices")
	out := run(t, root, "go", "test", "-v", "./fetchers/notices")
	require.Contains(t, out, "--- PASS: TestConformance/has_its_papers", "the sample validates, the README shows it")
	require.Contains(t, out, "--- PASS: TestConformance/grows_while_it_is_read")
	require.Contains(t, out, "--- PASS: TestRecordedAnswers")
	run(t, root, "go", "test", "./fetchers", "./internal/testkit/archtest")
}

// A repository of one's own is checked, tested and built by its own Makefile. A replace
// stands for the release of ours that there is none of yet.
func TestAModuleOfOnesOwnPassesAsItIs(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "notices")
	_, err := scaffold.AsModule(own, scaffold.Fetcher{Name: "notices", Module: "example.org/you/notices"})
	require.NoError(t, err)
	sums, err := os.ReadFile(filepath.Join(here(t), "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(own, "go.sum"), sums, 0o600))
	run(t, own, "go", "mod", "edit", "-require", scaffold.Ours+"@v0.0.0", "-replace", scaffold.Ours+"="+here(t))
	run(t, own, "go", "mod", "tidy")

	run(t, own, "make", "check", "test", "build")
	require.Contains(t, run(t, own, "bin/notices", "fetchers", "list"), "reads the numbered records of a list")
	require.Contains(t, run(t, own, "bin/notices", "campaigns", "validate", "notices/sample.yaml"), "1 campaign")
	require.Contains(t, run(t, own, "bin/notices", "worker", "--version"), "worker")
}

// The language version of a new module is ours: an older one does not build with us.
func TestTheGoVersionIsOurs(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile(filepath.Join(here(t), "go.mod"))
	require.NoError(t, err)
	own := filepath.Join(t.TempDir(), "notices")
	_, err = scaffold.AsModule(own, scaffold.Fetcher{Name: "notices", Module: "example.org/you/notices", Version: "v1.2.3"})
	require.NoError(t, err)
	written, err := os.ReadFile(filepath.Join(own, "go.mod"))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(mod), "\ngo ")
	version, _, _ := strings.Cut(after, "\n")
	require.Equal(t, "module example.org/you/notices\n\ngo "+version+"\n\nrequire "+scaffold.Ours+" v1.2.3\n", string(written))
}
