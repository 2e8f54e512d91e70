package worker

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// cgroup is the control group whose memory limit is the tightest for this process.
type cgroup struct {
	limit int64
	dir   string // below the root, without a leading slash
	files cgroupFiles
}

// cgroupFiles are the names of the two versions, see cgroups(7) and the kernel's
// admin-guide/cgroup-v2.
type cgroupFiles struct {
	base, limit, usage, inactive string
}

var (
	cgroupV2 = cgroupFiles{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
	cgroupV1 = cgroupFiles{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
)

// unlimited is from where on version 1 means no limit.
const unlimited = math.MaxInt64 / 2

// findCgroup returns the group; false where no group limits the memory.
func findCgroup(root fs.FS) (found cgroup, ok bool) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return found, false
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		files, mine := cgroupV2, parts[1] == ""
		if !mine {
			files, mine = cgroupV1, strings.Contains(","+parts[1]+",", ",memory,")
		}
		if g, limited := tightest(root, files, parts[2]); mine && limited && (!ok || g.limit < found.limit) {
			found, ok = g, true
		}
	}
	return found, ok
}

// tightest looks at a group and those above it; in a container the group may be the
// root of what is mounted.
func tightest(root fs.FS, files cgroupFiles, group string) (found cgroup, ok bool) {
	for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
		at := path.Join(files.base, dir)
		if n, limited := readNumber(root, path.Join(at, files.limit)); limited && n < unlimited && (!ok || n < found.limit) {
			found, ok = cgroup{limit: n, dir: at, files: files}, true
		}
		if dir == "/" {
			return found, ok
		}
	}
}

// used is what counts against the limit and cannot be dropped: pages of files that
// were not used lately can.
func (g cgroup) used(root fs.FS) (int64, bool) {
	n, ok := readNumber(root, path.Join(g.dir, g.files.usage))
	if !ok {
		return 0, false
	}
	stat, _ := fs.ReadFile(root, path.Join(g.dir, "memory.stat")) // without it, all counts
	for line := range strings.Lines(string(stat)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == g.files.inactive {
			if inactive, err := strconv.ParseInt(value, 10, 64); err == nil {
				n = max(0, n-inactive)
			}
		}
	}
	return n, true
}

// readNumber returns false for a file that is not there, and for "max".
func readNumber(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
