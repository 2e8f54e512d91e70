package activities

import (
	"context"
	"fmt"
	"sync"
)

// maxRuns bounds the runs a process remembers.
const maxRuns = 10_000

// rules remembers for which runs the rules of hosts were read.
type rules struct {
	mu   sync.Mutex
	runs map[int64]bool
}

// knownFor reads the rules when a run is seen for the first time; whoever comes at
// the same moment waits for it.
func (r *rules) knownFor(ctx context.Context, run int64, read func(context.Context) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs[run] {
		return nil
	}
	if err := read(ctx); err != nil {
		return fmt.Errorf("read the rules of hosts: %w", err)
	}
	if r.runs == nil || len(r.runs) >= maxRuns {
		r.runs = map[int64]bool{}
	}
	r.runs[run] = true
	return nil
}
