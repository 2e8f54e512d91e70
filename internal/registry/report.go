package registry

import (
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// MaxReports is how many jobs one Report call tells of.
const MaxReports = 500

// The words for what a job is doing.
const (
	StateNew      = "new" // not acted on yet
	StateRunning  = "running"
	StateWaiting  = "waiting"  // for its time, or for the run before it
	StateDisabled = "disabled" // and nothing runs
	StateClosing  = "closing"  // it is gone, and its run is told to end
	StateRemoved  = "removed"  // it is gone, and so is its schedule
	StateRefused  = "refused"  // it cannot be followed as it is listed
)

// Report is how one job goes: what the service is told.
type Report struct {
	Job      string `json:"job"`
	Campaign string `json:"campaign,omitempty"`
	// Sequence grows with every report of the job: one with a lower number than
	// another is older.
	Sequence int64     `json:"sequence"`
	At       time.Time `json:"at"`
	State    string    `json:"state"`
	// Text says what the job waits for, or why it is refused.
	Text string `json:"text,omitempty"`
	// Before counts the jobs that begin before this one, which is due and waits for one
	// of the registry's places; nil: it does not.
	Before *int `json:"before,omitempty"`
	// Ending is how the last run ended; "" when there was none. Outcome is our own
	// word for it, Error what went wrong.
	Ending  outcomes.Ending  `json:"ending,omitempty"`
	Outcome outcomes.Outcome `json:"outcome,omitempty"`
	Error   string           `json:"error,omitempty"`
	// Progress is of the run that goes on, in percent, as far as it is known.
	Progress *int `json:"progress,omitempty"`
	// Errors counts what went wrong and was tried again, or was left out: of the run
	// that goes on, else of the last one. Documents counts new, changed and deleted
	// ones of the same run.
	Errors    int `json:"errors"`
	Documents int `json:"documents"`
	// Started is when that run began, Ended when the last one ended, Next when the
	// next one is due, or the run goes on that rests.
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Next    time.Time `json:"next,omitzero"`
	Run     string    `json:"run,omitempty"`
}

// Key names what a report says, without when and how often it was said: the same key
// need not be told again.
func (r Report) Key() string {
	r.Sequence, r.At = 0, time.Time{}
	raw, err := json.Marshal(r)
	if err != nil { // numbers, texts and times
		return ""
	}
	return harvest.Digest(raw)
}

// OK reports whether the last run ended well.
func (r Report) OK() bool { return r.Ending != outcomes.EndedError }
