package steps

import (
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// What a CampaignWorkflow asks for, in the order of a run.
var (
	OpenRun    = temporalx.Activity[OpenRunIn, Opened]{Name: "OpenRun"}
	Expand     = temporalx.Activity[ExpandIn, Expanded]{Name: "Expand"}
	SealRun    = temporalx.Activity[SealRunIn, Sealed]{Name: "SealRun"}
	FetchItems = temporalx.Activity[FetchItemsIn, Fetched]{Name: "FetchItems"}
	StopRun    = temporalx.Activity[StopRunIn, Nothing]{Name: "StopRun"}
	CloseRun   = temporalx.Activity[CloseRunIn, Summary]{Name: "CloseRun"}
	Notify     = temporalx.Activity[NotifyIn, Nothing]{Name: "Notify"}
	SkipItem   = temporalx.Activity[SkipItemIn, Skipped]{Name: "SkipItem"}
)

// What the housekeeping workflow asks for.
var (
	Reconcile  = temporalx.Activity[ReconcileIn, Reconciled]{Name: "Reconcile"}
	FindMissed = temporalx.Activity[FindMissedIn, Missed]{Name: "FindMissed"}
	Clean      = temporalx.Activity[CleanIn, Cleaned]{Name: "Clean"}
)

// What people ask of a running CampaignWorkflow.
var (
	Pause         = temporalx.Update[PauseIn, Nothing]{Name: "pause"}
	Resume        = temporalx.Update[ResumeIn, Nothing]{Name: "resume"}
	SetProcessors = temporalx.Update[SetProcessorsIn, Nothing]{Name: "set-processors"}
	Skip          = temporalx.Update[SkipItemIn, Nothing]{Name: "skip-item"}
	Progress      = temporalx.Query[Nothing, ProgressOut]{Name: "progress"}
)

// PlaceFree tells a CampaignWorkflow that waits in line to ask the gate at once.
var PlaceFree = temporalx.Signal[Nothing]{Name: "place-free"}

// Nothing is the input or output of a step that needs none.
type Nothing struct{}

// OpenRunIn asks the one gate for a run.
type OpenRunIn struct {
	Start      Start     `json:"start"`
	WorkflowID string    `json:"workflow_id"`
	RunID      string    `json:"run_id"` // of the first execution
	StartedAt  time.Time `json:"started_at"`
	// DueAt is the schedule's time; zero when a person started it.
	DueAt time.Time `json:"due_at,omitzero"`
}

// Opened is the gate's answer: a run, or why there is none, or whom to wait for.
type Opened struct {
	Campaign string `json:"campaign"`
	// Refused is set when this start makes no run: outcome skipped, or
	// misconfigured; Why is for people.
	Refused outcomes.Outcome `json:"refused,omitempty"`
	Why     string           `json:"why,omitempty"`
	// Busy names the workflow, or says the place, to wait for; ask again after Wait.
	Busy string        `json:"busy,omitempty"`
	Wait time.Duration `json:"wait,omitempty"`
	// Ask are the entries whose items the source must be asked for; AskQueues
	// the task queue of each, absent or empty: the workflow's own.
	Ask       []string `json:"ask,omitempty"`
	AskQueues []string `json:"ask_queues,omitempty"`
	// Ranges and Items are set when nothing is to be asked (else by SealRun).
	Ranges     []Range   `json:"ranges,omitempty"`
	Items      int       `json:"items,omitempty"`
	Processors int       `json:"processors,omitempty"`
	Deadline   time.Time `json:"deadline,omitzero"`
	// Definition is what the run uses; Trigger as corrected by the gate.
	Definition string   `json:"definition,omitempty"`
	Trigger    Trigger  `json:"trigger,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	// Label names the item of a run of one item, for summaries.
	Label string `json:"label,omitempty"`
	// Attributes maps our search attributes to the names they have on this
	// server; those that are absent must not be set.
	Attributes map[string]string `json:"attributes,omitempty"`
	RunOf
	// Heartbeat is how long a silent FetchItems counts as alive; 0: thirty
	// seconds.
	Heartbeat time.Duration `json:"heartbeat,omitempty"`
}

// RunOf names the run of a step: by the store's number, by the store and by what the
// number meant when the run was opened. A worker of another store refuses the step; so
// does the same store once an older copy was put back, as store-restored, since it hands
// the later numbers out again. Zero values other than Run are not checked.
type RunOf struct {
	Run   int64  `json:"run"`              // 0: no run
	Store string `json:"store,omitempty"`  // the store's id
	RunID string `json:"run_id,omitempty"` // of the run's first execution
	Epoch int64  `json:"epoch,omitempty"`  // the store's, when the run was opened
}

// ExpandIn asks the source for one entry's items.
type ExpandIn struct {
	RunOf
	Entry string `json:"entry"`
}

// Expanded says how many were found; Old is true when the source did not
// answer and the last good list was used.
type Expanded struct {
	Items int  `json:"items"`
	Old   bool `json:"old,omitempty"`
}

// SealRunIn ends the opening of a run.
type SealRunIn struct {
	RunOf
}

// Sealed is what there is to do.
type Sealed struct {
	Ranges []Range `json:"ranges,omitempty"`
	Items  int     `json:"items"`
	Label  string  `json:"label,omitempty"`
}

// FetchItemsIn asks for the item at Ord; or, when it is shared, for what is due in
// the run's part of a queue, Max items or a few more, at most Width of them at a
// time.
type FetchItemsIn struct {
	RunOf
	Ord    int64  `json:"ord,omitempty"`
	Shared bool   `json:"shared,omitempty"`
	Queue  string `json:"queue,omitempty"`
	Max    int    `json:"max,omitempty"`
	Width  int    `json:"width,omitempty"`
	// Seat tells activities apart that share a queue at one time. Dead is set when
	// this is the only one: all attempts that began before are over.
	Seat int64     `json:"seat,omitempty"`
	Dead time.Time `json:"dead,omitzero"`
}

// Fetched says what became of the items. Left > 0 is a hand-back: so many of them
// are still open, the earliest due at NextAt; of a shared range, at most a
// thousand are counted, and Busy says that others hold some.
type Fetched struct {
	Closed int           `json:"closed"`
	Left   int           `json:"left,omitempty"`
	Busy   bool          `json:"busy,omitempty"`
	NextAt time.Time     `json:"next_at,omitzero"`
	Tally  harvest.Tally `json:"tally,omitzero"`
	// Outcomes counts the items closed here.
	Outcomes map[outcomes.Outcome]Seen `json:"outcomes,omitempty"`
	// Run counts the run of a shared range as the store has it: it holds what an
	// attempt closed that did not return.
	Run *Counted `json:"run,omitempty"`
	// Why says, for a hand-back, what is waited for: for timer summaries.
	Why string `json:"why,omitempty"`
	// Stopped is true when the run was told to stop.
	Stopped bool `json:"stopped,omitempty"`
	// Queue moves what is left to another task queue (retry.queue).
	Queue string `json:"queue,omitempty"`
}

// Counted is what is committed of a run.
type Counted struct {
	Closed   int                       `json:"closed"`
	Tally    harvest.Tally             `json:"tally,omitzero"`
	Outcomes map[outcomes.Outcome]Seen `json:"outcomes,omitempty"`
}

// StopRunIn tells the store that a run must stop at its next page.
type StopRunIn struct {
	RunOf
	By  string `json:"by,omitempty"`
	Why string `json:"why,omitempty"`
}

// CloseRunIn ends a run. Cause is empty when all ranges were worked off.
type CloseRunIn struct {
	RunOf
	Cause outcomes.Why `json:"cause,omitempty"`
	// Error is our own failure, in words, when that ended the run.
	Error string `json:"error,omitempty"`
}

// Summary is a run's result: what people see first in the Temporal Web UI.
type Summary struct {
	Outcome outcomes.Outcome `json:"outcome"`
	// Ending is the same in the four words of whoever asked for the harvest.
	Ending    outcomes.Ending          `json:"ending,omitempty"`
	Why       string                   `json:"why,omitempty"`
	LookAt    []string                 `json:"look_at,omitempty"` // at most 5
	Documents Documents                `json:"documents,omitzero"`
	Items     map[outcomes.Outcome]int `json:"items,omitempty"`
	Asked     int                      `json:"asked"`
	Took      string                   `json:"took"`
	More      string                   `json:"more"`
	// Failed is the text of the workflow's failure when the outcome is a
	// failure; FailedItems fills the search attribute.
	Failed      string `json:"failed,omitempty"`
	FailedItems int    `json:"failed_items,omitempty"`
	// Notify is true when the outbox holds something to send.
	Notify bool `json:"notify,omitempty"`
}

// Documents counts a run's documents.
//
// Listed is the sum of the others, but for what a full pass deleted because it was
// no longer listed.
type Documents struct {
	Listed      int `json:"listed,omitempty"`
	New         int `json:"new"`
	Changed     int `json:"changed"`
	Same        int `json:"same"`
	Deleted     int `json:"deleted"`
	Quarantined int `json:"quarantined,omitempty"`
}

// Tally returns the documents as a tally.
func (d Documents) Tally() harvest.Tally {
	return harvest.Tally{Listed: d.Listed, New: d.New, Changed: d.Changed, Same: d.Same, Deleted: d.Deleted, Quarantined: d.Quarantined}
}

// NotifyIn sends what a run put into the outbox.
type NotifyIn struct {
	RunOf
}

// SkipItemIn closes one open item as skipped.
type SkipItemIn struct {
	RunOf
	Key string `json:"key"`
	By  string `json:"by,omitempty"`
	Why string `json:"why,omitempty"`
}

// Skipped says which items were closed: by ordinal, and by the queue that they
// waited in.
type Skipped struct {
	Ords   []int64  `json:"ords,omitempty"`
	Queues []string `json:"queues,omitempty"`
}

// PauseIn, ResumeIn and SetProcessorsIn are what people say to a run.
type (
	// PauseIn asks a run to hand back and start nothing.
	PauseIn struct {
		By  string `json:"by,omitempty"`
		Why string `json:"why,omitempty"`
	}
	// ResumeIn undoes PauseIn.
	ResumeIn struct {
		By string `json:"by,omitempty"`
	}
	// SetProcessorsIn changes how many items run at once from now on.
	SetProcessorsIn struct {
		Processors int    `json:"processors"`
		By         string `json:"by,omitempty"`
	}
)

// ProgressOut is how far a run is; page-level progress is in the store.
type ProgressOut struct {
	Run        int64                    `json:"run"`
	Items      int                      `json:"items"`
	Closed     int                      `json:"closed"`
	Running    int                      `json:"running"` // activities
	Waiting    int                      `json:"waiting"`
	Paused     string                   `json:"paused,omitempty"`
	Processors int                      `json:"processors"`
	Tally      harvest.Tally            `json:"tally,omitzero"`
	Outcomes   map[outcomes.Outcome]int `json:"outcomes,omitempty"`
}

// ReconcileIn bounds how long a run may be open in the store while its
// workflow is closed or unknown; 0 is ten minutes.
type ReconcileIn struct {
	After time.Duration `json:"after,omitempty"`
}

// Reconciled counts the runs that were closed as terminated.
type Reconciled struct {
	Looked int      `json:"looked"`
	Closed []string `json:"closed,omitempty"` // workflow ids, at most 20
}

// FindMissedIn looks for due times without a run since a moment; zero: since
// the last look.
type FindMissedIn struct {
	Since time.Time `json:"since,omitzero"`
}

// Missed counts due times without a run.
type Missed struct {
	Found int      `json:"found"`
	Names []string `json:"names,omitempty"` // campaign and due time, at most 20
}

// CleanIn applies what `keep` allows.
type CleanIn struct{}

// Cleaned counts what was removed.
type Cleaned struct {
	Runs     int `json:"runs"`
	Items    int `json:"items"`
	Ledger   int `json:"ledger"`
	Versions int `json:"versions"`
	Failures int `json:"failures,omitempty"`
	Events   int `json:"events,omitempty"`
	Lists    int `json:"lists,omitempty"`
	Hosts    int `json:"hosts,omitempty"`
	Blobs    int `json:"blobs"`
}
