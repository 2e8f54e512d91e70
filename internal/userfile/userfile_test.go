package userfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/userfile"
)

func TestOnlyRegularFilesOfABoundedSizeAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("good"), []byte("12345"), 0o600))
	require.NoError(t, os.WriteFile(at("large"), []byte("123456"), 0o600))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", at("link")))
	require.NoError(t, os.Symlink("good", at("inside")))
	require.NoError(t, os.Mkdir(at("folder"), 0o700))
	for name, want := range map[string]string{
		"good": "", "inside": "", "large": "too large: more than 5 bytes", "pipe": "it is a pipe; only regular files are read",
		"link": "it is a device", "folder": "it is a folder", "none": "no such file", "../" + filepath.Base(dir) + "/good": "",
	} {
		content, err := userfile.Read(at(name), 5)
		if want == "" {
			require.NoError(t, err, name)
			require.Equal(t, "12345", string(content))
			continue
		}
		require.ErrorContains(t, err, want, name)
	}
	_, err := userfile.Read("/proc/self/environ", 0)
	require.ErrorIs(t, err, userfile.ErrTooLarge, "a file that says it is empty is bounded, too")
}

func TestNoLinkLeadsOutOfAFolder(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "..data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..data", "key"), []byte("y"), 0o600))
	require.NoError(t, os.Symlink("..data/key", filepath.Join(dir, "key")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "out")))
	content, err := userfile.ReadIn(dir, "key", 10)
	require.NoError(t, err)
	require.Equal(t, "y", string(content))
	for _, name := range []string{"out", "../" + filepath.Base(outside) + "/secret", filepath.Join(outside, "secret")} {
		_, err := userfile.ReadIn(dir, name, 10)
		require.Error(t, err, name)
		require.False(t, strings.Contains(err.Error(), "\n"))
	}
}
