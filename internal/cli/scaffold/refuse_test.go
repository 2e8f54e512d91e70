package scaffold_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/scaffold"
)

// tiny is as much of a checkout as a new fetcher touches.
func tiny(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"go.mod", "fetchers/fetchers.go"} {
		text, err := os.ReadFile(filepath.Join(here(t), name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), text, 0o644))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "fetchers", "internal"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "internal", "local", "replica"), 0o755))
	return root
}

// state is every file and folder below root with what it holds.
func state(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out[path] = "folder"
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	}))
	return out
}

func TestNamesThatAreRefused(t *testing.T) {
	t.Parallel()
	root := tiny(t)
	before := state(t, root)
	for name, want := range map[string]string{
		"":                                  "name of a Go package",
		"Notices":                           "small letters and digits",
		"my-notices":                        "small letters and digits",
		"my_notices":                        "small letters and digits",
		"9lives":                            "beginning with a letter",
		"città":                             "small letters and digits",
		"../notices":                        "small letters and digits",
		"a.b":                               "small letters and digits",
		"func":                              "keyword of Go; take another name, such as myfunc",
		"error":                             "has a meaning of its own",
		"len":                               "has a meaning of its own",
		"main":                              "has a meaning of its own",
		"internal":                          "has a meaning of its own",
		"vendor":                            "has a meaning of its own",
		"json":                              "word of the code that would be written",
		"fetchertest":                       "word of the code that would be written",
		"replica":                           "word of the code that would be written",
		"t":                                 "word of the code that would be written",
		"feed":                              "take another name, such as myfeed",
		"errors":                            "word of fetchers/fetchers.go",
		"describe":                          "word of fetchers/fetchers.go",
		"wording":                           "word of fetchers/fetchers.go",
		"abcdefghijklmnopqrstuvwxyzabcdefg": "at most 32",
	} {
		_, err := scaffold.InCheckout(root, scaffold.Fetcher{Name: name})
		require.ErrorContains(t, err, want, name)
		require.Equal(t, before, state(t, root), "%s: nothing is written", name)
	}
}

func TestModulesThatAreRefused(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "own")
	for module, want := range map[string]string{
		"notices":                  "not a module path",
		"example.org":              "not a module path",
		"https://example.org/me/x": "not a module path",
		"example.org/../x":         "not a module path",
		"example.org/a b":          "not a module path",
		scaffold.Ours:              "own module path",
		scaffold.Ours + "/mine":    "own module path",
	} {
		_, err := scaffold.AsModule(folder, scaffold.Fetcher{Name: "notices", Module: module})
		require.ErrorContains(t, err, want, module)
		require.NoDirExists(t, folder)
	}
	_, err := scaffold.AsModule(folder, scaffold.Fetcher{Name: "require", Module: "example.org/me/x"})
	require.ErrorContains(t, err, "word of the code")
}

// Where something fails on the way, everything is as before.
func TestNothingIsHalfWritten(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]struct {
		with func(root string) error
		want string
	}{
		"the fetcher exists": {func(root string) error {
			return os.MkdirAll(filepath.Join(root, "fetchers", "notices", "testdata"), 0o755)
		}, "fetchers/notices: it exists and is not empty"},
		"its replica exists": {func(root string) error {
			return os.MkdirAll(filepath.Join(root, "internal", "local", "replica", "notices", "x"), 0o755)
		}, "internal/local/replica/notices: it exists"},
		"a file is in the way": {func(root string) error {
			return os.WriteFile(filepath.Join(root, "internal", "local", "replica", "notices"), []byte("x"), 0o600)
		}, "it is in the way"},
		"the list cannot be read": {func(root string) error {
			return os.WriteFile(filepath.Join(root, "fetchers", "fetchers.go"), []byte("package fetchers ("), 0o600)
		}, "mend it first"},
		"the list is another": {func(root string) error {
			return os.WriteFile(filepath.Join(root, "fetchers", "fetchers.go"), []byte("package fetchers\n"), 0o600)
		}, "no list of fetchers as it should be"},
		"the list cannot be replaced": {func(root string) error {
			return os.Mkdir(filepath.Join(root, "fetchers", "fetchers.go.new"), 0o755)
		}, "fetchers.go.new"},
		"not a checkout": {func(root string) error {
			return os.Remove(filepath.Join(root, "go.mod"))
		}, "--module example.org/you/name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tiny(t)
			require.NoError(t, spoil.with(root))
			before := state(t, root)
			_, err := scaffold.InCheckout(root, scaffold.Fetcher{Name: "notices"})
			require.ErrorContains(t, err, spoil.want)
			require.Equal(t, before, state(t, root))
		})
	}
}

func TestAFolderWithThingsInItIsNoRepository(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := scaffold.Fetcher{Name: "notices", Module: "example.org/you/notices"}
	_, err := scaffold.AsModule(folder, f)
	require.NoError(t, err, "an empty folder is one")
	before := state(t, folder)
	_, err = scaffold.AsModule(folder, f)
	require.ErrorContains(t, err, "exists and is not empty")
	require.Equal(t, before, state(t, folder))
}
