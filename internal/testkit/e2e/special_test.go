package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A device, a pipe, a link to a device, a folder or a file without end, where a
// secret, a list or a body should be: an error that says so, and the worker lives.

// specials make what is no ordinary file, by name.
func specials() map[string]func(path string) error {
	return map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|5) }, // as /dev/zero
		"link":   func(path string) error { return os.Symlink("/dev/zero", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"huge": func(path string) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(1<<40), f.Close())
		},
	}
}

func TestSoakSpecialFiles(t *testing.T) {
	soak(t)
	h, src := newHouse(t), newSource(t, 2, 1, 3, 0)
	folder := t.TempDir()
	h.work("--secret-dir", folder)
	began := time.Now()
	for name, make := range specials() {
		path := filepath.Join(folder, name)
		if err := make(path); err != nil {
			t.Logf("%s: not made: %v", name, err)
			continue
		}
		h.specialSecret(src, name)
		h.specialList(name, path)
	}
	h.specialBodies()
	require.True(t, alive(h.worker), "the worker lives")
	most := peak(t, h.worker.PID())
	require.Less(t, most, 512, "MiB of memory of the worker, at most")
	t.Logf("the worker had %d MiB at most; all of it took %s", most, time.Since(began).Round(time.Second))
}

func (h *house) specialSecret(src *source, name string) {
	h.t.Helper()
	h.write(name+".yaml", fmt.Sprintf("project: %s\ncampaigns:\n  %s: { fetcher: feed, params: { url: \"%s/feed/0?k=${secret:file:%s}\" } }\n", name, name, src.URL, name))
	require.Zero(h.t, h.read("campaigns", "apply", name+".yaml", "--yes").code)
	err := h.start(name+"-1", steps.Start{Campaign: name}).Get(h.within(time.Minute), nil)
	require.Error(h.t, err)
	why := h.read("why", name)
	require.Regexp(h.t, `only regular files|it is a folder|too large|no such file|escapes`, plainText(string(why.out)), name)
}

func (h *house) specialList(name, path string) {
	h.t.Helper()
	require.NoError(h.t, os.Symlink(path, filepath.Join(h.dir, "list-"+name+".csv")))
	h.write("list-"+name+".yaml", fmt.Sprintf("project: e2e\ncampaigns:\n  %s: { fetcher: feed, split: { file: list-%s.csv, key: id } }\n", name, name))
	for _, command := range []string{"validate", "plan", "apply"} {
		r := h.read("campaigns", command, "list-"+name+".yaml", "--yes")
		require.NotZero(h.t, r.code, "%s %s", command, name)
		require.Regexp(h.t, `only regular files|it is a folder|too large`, plainText(string(r.out)+r.errors), "%s %s", command, name)
		require.Less(h.t, r.memory, 512, "MiB")
	}
}

// specialBodies puts special files in the place of one that holds a page.
func (h *house) specialBodies() {
	h.t.Helper()
	big := newBig(h.t)
	h.write("big.yaml", fmt.Sprintf("project: big\ncampaigns:\n  big: { fetcher: feed, params: { url: %s } }\n", big.URL))
	require.Zero(h.t, h.read("campaigns", "apply", "big.yaml", "--yes").code)
	h.result(h.start("big-1", steps.Start{Campaign: "big"}))
	files, err := filepath.Glob(filepath.Join(h.dir, "blobs", "*", "*"))
	require.NoError(h.t, err)
	require.NotEmpty(h.t, files, "a body that is kept as a file")
	require.Zero(h.t, h.read("documents", "export").code)
	kept := files[0] + ".kept"
	require.NoError(h.t, os.Rename(files[0], kept))
	for name, make := range specials() {
		if make(files[0]) != nil {
			continue
		}
		for _, args := range []string{"documents export", "documents get --body big", "documents changes --bodies --collection big", "store verify"} {
			r := h.read(strings.Fields(args)...)
			require.NotZero(h.t, r.code, "%s: %s", name, args)
			require.Less(h.t, r.memory, 512, "MiB: %s: %s", name, args)
		}
		require.NoError(h.t, os.Remove(files[0]))
	}
}

// plainText has no line breaks that only a narrow screen made.
func plainText(s string) string { return strings.Join(strings.Fields(s), " ") }

// peak is the most memory that a process has had, in MiB.
func peak(t *testing.T, pid int) (mib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(rest, &mib)
	require.NoError(t, err)
	return mib >> 10
}
