package rows

import (
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Item is a unit of work across runs.
type Item struct {
	units.Item
	Fetcher string           `json:"fetcher"`
	Label   string           `json:"label,omitempty"`
	Host    string           `json:"host,omitempty"`
	Outcome outcomes.Outcome `json:"outcome,omitempty"` // of the last run
	Kind    harvest.Kind     `json:"kind,omitempty"`
	Why     string           `json:"why,omitempty"`
	// Streak counts runs in a row with the same severity as the last.
	Streak     int       `json:"streak"`
	LastRun    string    `json:"last_run,omitempty"` // workflow id
	LastAt     time.Time `json:"last_at,omitzero"`
	LastGood   time.Time `json:"last_good,omitzero"` // last end that was not bad
	LastNew    time.Time `json:"last_new,omitzero"`  // last new or changed document
	LastListed int       `json:"last_listed"`
	Documents  int64     `json:"documents"`
	FirstSeen  time.Time `json:"first_seen"`
	Paused     *Pause    `json:"paused,omitempty"`
	// Quarantined: there are records of it that could not be read, or what came
	// in place of an answer, neither resolved nor accepted.
	Quarantined bool `json:"quarantined,omitempty"`
	// Pass is where it is with its full passes, if its entry says `refresh`.
	Pass Pass `json:"pass,omitzero"`
}

// ItemsFilter selects items across runs.
type ItemsFilter struct {
	Campaign  string
	Entry     string
	Key       string
	Label     string
	Unhealthy bool // the last outcome was not OK
	// Campaigns: one of these; an empty list that is not nil fits nothing.
	Campaigns []string
	Outcomes  []outcomes.Outcome // of the last run
	// Text is part of its key, its label, its host or its reason, in any case of
	// letters.
	Text  string
	Limit int
}

// Checkpoint is a stored checkpoint with its name.
type Checkpoint struct {
	units.Item
	Lane string `json:"lane,omitempty"`
	units.Checkpoint
	UpdatedAt time.Time `json:"updated_at"`
	Run       string    `json:"run,omitempty"` // workflow id of the last commit
}

// CheckpointFilter selects checkpoints; empty members do not select.
type CheckpointFilter struct {
	Campaign string
	Entry    string
	Key      string
	Lane     *string
}

// Document is a stored document. Body is there only where it was asked for;
// BodyRef names the blob when it is kept as one.
type Document struct {
	Collection string    `json:"collection"`
	Campaign   string    `json:"campaign"`
	Entry      string    `json:"entry"`
	Key        string    `json:"item"`
	Line       Line      `json:"document"`
	Version    int       `json:"version"`
	Change     int64     `json:"change"` // number of its last change
	FirstSeen  time.Time `json:"first_seen"`
	ChangedAt  time.Time `json:"changed_at"`
	Run        string    `json:"run"` // workflow id of its last change
	Size       int64     `json:"size"`
}

// DocumentFilter selects documents, the last changed first unless After is
// used.
type DocumentFilter struct {
	Collection string
	Campaign   string
	Entry      string
	Key        string
	Kind       string
	ID         string
	// Since and Until bound its last change; Until is not included.
	Since   time.Time
	Until   time.Time
	Deleted *bool
	// Campaigns: one of these; an empty list that is not nil fits nothing.
	Campaigns []string
	Bodies    bool
	Limit     int
	// Whole ends a list without a limit with ErrDamaged where rows are missing. It
	// reads all names and numbers of the store once more.
	Whole bool
}

// Change is one line of the change feed: every insert, change and deletion
// once, in commit order.
type Change struct {
	Number   int64     `json:"change"`
	Op       string    `json:"op"` // new, changed, deleted
	At       time.Time `json:"at"`
	Document Document  `json:"document"`
}

// ChangeFilter selects changes after a number, in order. A follower that keeps
// the last number it read never skips one.
type ChangeFilter struct {
	After      int64
	Collection string
	Campaign   string
	Bodies     bool
	Limit      int
	Whole      bool // as of DocumentFilter
}

// LedgerLine is a stored exchange.
type LedgerLine struct {
	ID int64 `json:"id"`
	visit.Exchange
	units.Item
	Run     string `json:"run"` // workflow id
	Ord     int64  `json:"-"`
	Seq     int    `json:"page,omitempty"`
	Attempt int    `json:"attempt"`
	Worker  string `json:"worker,omitempty"`
}

// LedgerFilter selects exchanges in the order they were made.
type LedgerFilter struct {
	Run      int64
	Ord      *int64
	Campaign string
	Host     string
	Since    time.Time
	Limit    int
}

// Failure is a record in quarantine: one that could not be read, with its bytes.
// ID is shown as "q-81". A record that is rejected again keeps its ID.
type Failure struct {
	ID   int64      `json:"id"`
	Item units.Item `json:"item"`
	Lane string     `json:"lane,omitempty"`
	// Run, Seq, At, Reason and the bytes are of the last time, Since of the first.
	Run    string       `json:"run"`
	Seq    int          `json:"page"`
	At     time.Time    `json:"at"`
	Since  time.Time    `json:"since"`
	Times  int          `json:"times"`
	Kind   harvest.Kind `json:"kind"`
	Record string       `json:"record,omitempty"`
	// Answer: it is not a record, but what came in place of the source's answer.
	Answer bool   `json:"answer,omitempty"`
	Where  string `json:"where,omitempty"`
	Reason string `json:"reason"`
	Size   int64  `json:"size"`
	Bytes  []byte `json:"bytes,omitempty"` // capped at 64 kB
	// Accepted is when a person wanted no more of it, Resolved when it was read
	// after all or its source had it no more.
	Accepted time.Time `json:"accepted,omitzero"`
	Resolved time.Time `json:"resolved,omitzero"`
}

// State is "unread", "accepted" or "resolved".
func (f Failure) State() string {
	switch {
	case !f.Resolved.IsZero():
		return "resolved"
	case !f.Accepted.IsZero():
		return "accepted"
	default:
		return "unread"
	}
}

// FailureFilter selects failures, the newest first; empty members do not select.
type FailureFilter struct {
	Campaign string
	Entry    string
	Key      string
	Run      int64 // the last one that met it
	Kind     harvest.Kind
	IDs      []int64
	Open     bool // neither accepted nor resolved
	Limit    int
}

// Counts are totals of the store, for the demo's proof and `documents count`.
type Counts struct {
	Documents int64 `json:"documents"` // not deleted
	Deleted   int64 `json:"deleted"`
	Versions  int64 `json:"versions"`
	Changes   int64 `json:"changes"`
	Pages     int64 `json:"pages"`
	Exchanges int64 `json:"exchanges"`
}

// Retention is what the cleaner may take now: everything older than these
// moments; a zero moment keeps. Of each campaign the last KeepRuns runs stay.
// Campaign "" means all that have no rule of their own.
type Retention struct {
	Campaign string
	Raw      time.Time
	Versions time.Time
	Ledger   time.Time
	Runs     time.Time
	Items    time.Time // items of closed runs
	Settled  time.Time // records in quarantine that are accepted or resolved
	// Events and Unused hold for the whole store and are read from the rule of
	// campaign "". Unused is for lists that nothing names, and for states of hosts
	// that say nothing.
	Events   time.Time
	Unused   time.Time
	KeepRuns int
}

// Removed counts what a cleaning took.
type Removed struct {
	Runs, Items, Ledger, Versions, Failures, Events, Lists, Hosts, Blobs int
}
