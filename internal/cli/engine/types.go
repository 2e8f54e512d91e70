package engine

import (
	"errors"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// What the engine may answer. Test with errors.Is.
var (
	// ErrNotFound: no such workflow or schedule in this namespace.
	ErrNotFound = errors.New("not found in this namespace")
	// ErrClosed: the workflow has ended, nothing can be asked of it any more.
	ErrClosed = errors.New("the run has ended")
	// ErrExists: there was such a run already.
	ErrExists = errors.New("there is such a run already")
	// ErrUnsupported: this server does not offer it.
	ErrUnsupported = errors.New("this server does not offer it")
	// ErrForbidden: the server refuses it to this identity.
	ErrForbidden = errors.New("not allowed")
)

// Target is which Temporal is spoken to.
type Target struct {
	Address   string `json:"address"`
	Namespace string `json:"namespace"`
}

// String returns "namespace default @ localhost:7233".
func (t Target) String() string { return "namespace " + t.Namespace + " @ " + t.Address }

// Loopback reports whether the address is on this machine.
func (t Target) Loopback() bool {
	return t.Address == "" || strings.HasPrefix(t.Address, ":") || temporalx.Loopback(t.Address)
}

// NewRun asks for a run of a campaign, or of what campaigns.Adhoc made. ID is
// without the instance's prefix: one of workflows.HandID and its kin.
type NewRun struct {
	ID       string
	Campaign campaigns.Campaign
	Start    steps.Start
}

// Started names a workflow: its id, and the run id of its first execution.
type Started struct {
	WorkflowID string `json:"run"`
	RunID      string `json:"run_id"`
}

// Planned is a run that is asked for and has not begun.
type Planned struct {
	WorkflowID string    `json:"run"`
	RunID      string    `json:"run_id"`
	At         time.Time `json:"at"`
	Asked      time.Time `json:"asked"`
}

// Poller is a worker that asks a task queue for work.
type Poller struct {
	Identity string    `json:"identity"`
	LastSeen time.Time `json:"last_seen"`
}

// Worker is one line of the roster; times that the server does not tell are
// zero.
type Worker struct {
	Identity string    `json:"identity"`
	Host     string    `json:"host,omitempty"`
	Queue    string    `json:"queue"`
	Status   string    `json:"status,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	LastSeen time.Time `json:"last_seen,omitzero"`
}

// Schedule is a campaign's schedule on the server.
type Schedule struct {
	ID     string
	Note   string
	Paused bool
	Next   []time.Time // the next fires, jitter included
	Recent []Fire      // the last ones, oldest first
	// SkippedOverlap and MissedCatchUp are totals since the schedule was made.
	SkippedOverlap int
	MissedCatchUp  int
	Running        []string // workflow ids
}

// Fire is one time a schedule acted.
type Fire struct {
	Due        time.Time
	At         time.Time
	WorkflowID string
}
