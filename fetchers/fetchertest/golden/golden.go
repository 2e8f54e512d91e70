// Package golden compares what a test got with files of what is wanted, and
// rewrites them with `go test ./path -update`.
package golden

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// update is a flag of test binaries.
var update = flag.Bool("update", false, "rewrite golden files")

// Compare fails t where got is not what the file says.
func Compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		test, _, _ := strings.Cut(t.Name(), "/")
		t.Errorf("go test -run %s -update rewrites %s (-want +got):\n%s", test, path, diff)
	}
}

// Cases are files, each one test; a new case is a new file.
type Cases struct {
	// Files is a pattern; Least is how many there are, at least.
	Files string
	Least int
	// Want names the file of what is wanted beside one; nil: its name and .golden.
	Want func(path string) string
	// Got is what the test makes of one.
	Got func(t *testing.T, path string) []byte
}

// Run runs each case as a parallel subtest.
func (c Cases) Run(t *testing.T) {
	t.Helper()
	paths, err := filepath.Glob(c.Files)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), c.Least, "cases of %s", c.Files)
	for _, path := range paths {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			t.Parallel()
			Compare(t, c.want(path), c.Got(t, path))
		})
	}
}

func (c Cases) want(path string) string {
	if c.Want == nil {
		return path + ".golden"
	}
	return c.Want(path)
}

// Beside names a file in the folder of each case.
func Beside(name string) func(path string) string {
	return func(path string) string { return filepath.Join(filepath.Dir(path), name) }
}

// Lines is JSON, one value a line, its letters as they are.
type Lines struct{ bytes.Buffer }

// Add writes one line.
func (l *Lines) Add(t testing.TB, v any) {
	t.Helper()
	e := json.NewEncoder(&l.Buffer)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(v))
}
