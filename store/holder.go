package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// writeLock is the byte of the shared-memory file that SQLite locks for the one
// writer (its wal-index format, "WAL Locks").
const writeLock = "120"

// holder names the process that is writing to the file at path, and says what to
// do when it will not let go by itself. Only Linux tells; elsewhere it is
// "another process". It must not open the file: closing it would drop this
// process's own locks on it.
func holder(path string) string {
	pid := lockOwner(path + "-shm")
	if pid == 0 {
		return "another process holds the file for writing"
	}
	name, state := process(pid)
	who := fmt.Sprintf("process %d (%s) holds the file for writing", pid, name)
	if state == "T" {
		return who + " and is stopped: continue it (kill -CONT " + strconv.Itoa(pid) + ") or end it"
	}
	return who
}

// lockOwner finds the writer's lock among those of the system, whose lines are
// "1: POSIX ADVISORY WRITE 4711 08:01:131 120 120". 0: nobody, or not to be
// seen from here.
func lockOwner(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	locks, err := os.ReadFile("/proc/locks")
	if err != nil || !ok {
		return 0
	}
	inode := ":" + strconv.FormatUint(stat.Ino, 10)
	for line := range strings.Lines(string(locks)) {
		f := strings.Fields(line)
		if len(f) == 8 && f[3] == "WRITE" && strings.HasSuffix(f[5], inode) && f[6] == writeLock {
			pid, _ := strconv.Atoi(f[4]) // -1: of another container
			return max(pid, 0)
		}
	}
	return 0
}

// process is a process's name and its state's letter; T is stopped.
func process(pid int) (name, state string) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "unknown", ""
	}
	text := string(stat)
	from, to := strings.Index(text, "("), strings.LastIndex(text, ") ")
	if from < 0 || to < from {
		return "unknown", ""
	}
	return text[from+1 : to], text[to+2 : to+3]
}
