package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ErrMissing says that this machine has no PostgreSQL server to start.
var ErrMissing = errors.New("no PostgreSQL server binaries on PATH or under /usr/lib/postgresql: install package postgresql (Debian, Ubuntu) or put the folder with initdb on PATH")

// debian is where the packages of Debian and Ubuntu put the server's programs.
const debian = "/usr/lib/postgresql/*/bin"

// binaries returns the folder with the server's programs: the one that initdb on
// PATH is in, else the newest that the pattern matches.
func binaries(pattern string) (string, error) {
	var folders []string
	if path, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	packaged, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	slices.SortFunc(packaged, func(a, b string) int { return major(b) - major(a) })
	for _, folder := range append(folders, packaged...) {
		if complete(folder) {
			return folder, nil
		}
	}
	return "", ErrMissing
}

func major(bin string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	if err != nil {
		return 0
	}
	return n
}

func complete(folder string) bool {
	for _, name := range []string{"initdb", "postgres", "pg_ctl", "psql"} {
		if _, err := exec.LookPath(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// account is who the server runs as: nil is this process's own user. The server
// refuses to run as root.
func account() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(errUID, errGID)
	}
	return nil, errors.New("PostgreSQL does not run as root and there is neither a user postgres nor nobody: run the tests as an ordinary user")
}

// makeFolder makes a folder that the account owns and can reach.
func makeFolder(as *syscall.Credential) (string, error) {
	parent := os.TempDir()
	if as != nil && !reachable(parent) {
		parent = "/tmp"
	}
	folder, err := os.MkdirTemp(parent, "vendemmia-pg-")
	if err != nil || as == nil {
		return folder, err
	}
	if err := os.Chown(folder, int(as.Uid), int(as.Gid)); err != nil {
		return "", fmt.Errorf("hand %s to the server's user: %w", folder, errors.Join(err, os.Remove(folder)))
	}
	return folder, nil
}

// reachable: may anybody walk into this folder?
func reachable(folder string) bool {
	for ; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if folder == filepath.Dir(folder) {
			return true
		}
	}
}

// environment is this process's without what would steer the server's programs.
func environment(folder string) []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "PG") || strings.HasPrefix(e, "LC_") || strings.HasPrefix(e, "LANG")
	})
	return append(env, "LC_ALL=C", "HOME="+folder)
}
