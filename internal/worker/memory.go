package worker

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/internal/config"
)

// memoryAim is several times what a worker needs over well-behaved sources: the
// garbage of hostile ones is collected early instead of doubling the process.
const memoryAim = 384 << 20

// memory knows how much this process may use, and uses.
type memory struct {
	root  fs.FS
	group *cgroup // whose limit it is; nil: none, or a size was set
	limit int64   // 0: not known
	max   int64   // above it nothing new is taken; 0: no bound
	name  string  // of the setting, for people
}

// newMemory finds the limit of the control group and what the setting makes of it.
func newMemory(root fs.FS, s config.Memory) memory {
	m := memory{root: root}
	if g, ok := findCgroup(root); ok {
		m.group, m.limit = &g, g.limit
	}
	switch {
	case s.Bytes > 0:
		m.group, m.max, m.name = nil, s.Bytes, "--memory "+mebibytes(s.Bytes)
	case s.Percent > 0 && m.limit > 0:
		m.max = m.limit / 100 * int64(s.Percent)
		m.name = fmt.Sprintf("--memory %d%% of the limit of %s", s.Percent, mebibytes(m.limit))
	}
	return m
}

// aim sets the runtime's soft limit below what closes the door, or to memoryAim where
// no limit is known, unless GOMEMLIMIT says another.
// See https://go.dev/doc/gc-guide#Memory_limit.
func (m memory) aim() int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return debug.SetMemoryLimit(-1)
	}
	aim := int64(memoryAim)
	switch {
	case m.max > 0:
		aim = m.max / 10 * 9
	case m.limit > 0:
		aim = m.limit / 10 * 8
	}
	debug.SetMemoryLimit(aim)
	return aim
}

// used is the memory of the control group, or of this process where no group limits
// it.
func (m memory) used() int64 {
	if m.group != nil {
		if n, ok := m.group.used(m.root); ok {
			return n
		}
	}
	if statm, err := fs.ReadFile(m.root, "proc/self/statm"); err == nil {
		if fields := strings.Fields(string(statm)); len(fields) > 1 {
			if pages, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys - stats.HeapReleased) // far below an overflow
}

// full says in words that nothing new may be taken; "" when it may. It was full
// before: only well below the bound it is not any more.
func (m memory) full(used int64, before bool) string {
	bound := m.max
	if before {
		bound = m.max / 20 * 19
	}
	if m.max == 0 || used <= bound {
		return ""
	}
	return fmt.Sprintf("memory: %s used, and above %s it takes no new item (%s)", mebibytes(used), mebibytes(m.max), m.name)
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
