package secrets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/secrets"
)

// mount puts values into a folder as Kubernetes does: files in a folder of their own, a
// link ..data to it that is replaced at once, and links to the files through ..data.
func mount(t *testing.T, dir string, n int, value string) {
	t.Helper()
	version := fmt.Sprintf("..2026_05_03_%d", n)
	require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, version, "token"), []byte(value+"\n"), 0o600))
	require.NoError(t, os.Symlink(version, filepath.Join(dir, "..data_tmp")))
	before, _ := os.Readlink(filepath.Join(dir, "..data")) // there is none the first time
	require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	if before == "" {
		require.NoError(t, os.Symlink("..data/token", filepath.Join(dir, "token")))
		return
	}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, before)))
}

// A rotated secret of Kubernetes is read by the same resolver, by either way of naming it.
func TestAFolderThatKubernetesMounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := secrets.Resolver{Dirs: []string{dir}}
	for n := range 5 {
		value := fmt.Sprintf("value-%d", n)
		mount(t, dir, n, value)
		for _, ref := range []string{"${secret:file:token}", "${secret:file:" + filepath.Join(dir, "token") + "}"} {
			got, _, err := r.Text(ref)
			require.NoError(t, err)
			require.Equal(t, value, got)
		}
	}
}
