package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is a running postmaster.
type server struct {
	cmd  *exec.Cmd
	log  ending
	done chan struct{} // closed when it and all its processes are gone
	err  error
}

func (s *server) signal(sig syscall.Signal) { _ = s.cmd.Process.Signal(sig) } // one that has ended is what was wanted

// kill ends all processes of the server. The postmaster is stopped first, so
// that it can neither answer its children's deaths nor have new ones.
func (s *server) kill() {
	s.signal(syscall.SIGSTOP)
	for _, child := range children(s.cmd.Process.Pid) {
		_ = syscall.Kill(child, syscall.SIGKILL) // not reaped while its parent is stopped: the id is still its own
	}
	s.signal(syscall.SIGKILL)
	<-s.done
}

// children of a process, as far as the system tells; where it does not, the
// server's processes end by themselves when they see that it is gone.
func children(parent int) (ids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ") // "id (name) state parent …"
		if fields := strings.Fields(rest); len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// wait returns when the server takes connections.
func (s *server) wait(ctx context.Context, data string) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !s.ready(data) {
		select {
		case <-s.done:
			return fmt.Errorf("it ended at once: %w", errors.Join(s.err, errEnded))
		case <-ctx.Done():
			return fmt.Errorf("not ready in time: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
	return nil
}

var errEnded = errors.New("see its log")

// ready reads what the postmaster writes about itself: its id in the first line
// of the file, its state in the eighth.
func (s *server) ready(data string) bool {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	lines := strings.Split(string(text), "\n")
	return err == nil && len(lines) >= 8 && lines[0] == strconv.Itoa(s.cmd.Process.Pid) && strings.TrimSpace(lines[7]) == "ready"
}

// ending keeps the end of what was written.
type ending struct {
	mu   sync.Mutex
	text []byte
}

const endingSize = 8 << 10

func (e *ending) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.text = append(e.text, p...)
	e.text = e.text[max(0, len(e.text)-endingSize):]
	return len(p), nil
}

func (e *ending) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return string(e.text)
}
