// Package exec runs a program and reads the documents that it writes, as JSON lines of
// ours, of Singer or of Airbyte. A checkpoint is stored only behind its records.
package exec

import (
	"net/http"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is the name campaign files use.
const Name = "exec"

// Fetcher runs programs. It holds no state and may be used by many goroutines at once.
type Fetcher struct {
	// dirs are the folders whose programs may run.
	dirs []string
	now  func() time.Time
}

// New makes a fetcher that runs no program: a worker says which may, see Allow.
func New(*http.Client) harvest.Fetcher { return &Fetcher{now: time.Now} }

// Allow returns the constructor of a fetcher that runs the programs in folders.
func Allow(dirs []string) func(*http.Client) harvest.Fetcher {
	return func(*http.Client) harvest.Fetcher { return &Fetcher{dirs: dirs, now: time.Now} }
}

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	return harvest.Description{
		Summary: "runs a program that writes JSON lines: ours, Singer or Airbyte", Params: Params{}, Identity: []string{"program", "args"}, Protocol: true,
	}
}
