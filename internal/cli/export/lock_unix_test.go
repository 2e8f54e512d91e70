//go:build unix

package export

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFolderIsFreeOnceItIsClosed: also while another process holds the file, as one
// that is being started does.
func TestAFolderIsFreeOnceItIsClosed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d, err := openDir(Options{Dir: folder})
	require.NoError(t, err)
	held, err := syscall.Dup(int(d.lock.Fd()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.NewFile(uintptr(held), filepath.Join(folder, "lock")).Close()) })
	require.NoError(t, d.close())
	again, err := openDir(Options{Dir: folder})
	require.NoError(t, err)
	require.NoError(t, again.close())
}
