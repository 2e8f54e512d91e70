package campaigns

import (
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Campaign is an effective campaign: every layer merged, every short form
// written out, every default filled in. Its JSON is canonical; Digest of it
// names a definition.
type Campaign struct {
	Name        string   `json:"name"`
	Project     string   `json:"project,omitempty"`
	Description string   `json:"description,omitempty"`
	Owner       string   `json:"owner,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	// Schedule is nil for a campaign that runs only by hand.
	Schedule *Schedule `json:"schedule,omitempty"`
	// Paused is nil if the file does not say: the pause stays as it is. It is not part
	// of the digest.
	Paused     *Pause  `json:"-"`
	Processors int     `json:"processors"`
	Chunk      int     `json:"chunk,omitempty"` // 0: auto
	Notify     []Alert `json:"notify,omitempty"`
	Keep       Keep    `json:"keep"`
	// Log is the least level of what is logged about its runs; empty: info.
	Log string `json:"log,omitempty"`
	// Was are former names; state moves along. No part of the digest.
	Was      []string       `json:"-"`
	Timeouts Timeouts       `json:"timeouts"`
	Expect   RunExpectation `json:"expect,omitzero"`
	Budget   []Allowance    `json:"budget,omitempty"`
	Tolerate Count          `json:"tolerate,omitzero"` // items that may fail
	Entries  []Entry        `json:"entries"`
}

// Entry is one fetcher of a campaign with its effective policies.
type Entry struct {
	Name    string          `json:"name"`
	Fetcher string          `json:"fetcher"`
	Params  json.RawMessage `json:"params,omitempty"` // an object; common to all items
	Split   *Split          `json:"split,omitempty"`
	// Refresh is how often a full pass is made; 0: never.
	Refresh time.Duration `json:"refresh,omitempty"`
	// Add holds constant fields; Add["collection"] names the collection.
	Add      map[string]any `json:"add,omitempty"`
	Queue    string         `json:"queue"`
	Priority Priority       `json:"priority"`
	Timeouts Timeouts       `json:"timeouts"`
	Retry    []retry.Rule   `json:"retry"`
	// Tolerate is how many records of one item may be unreadable.
	Tolerate Count           `json:"tolerate,omitzero"`
	Expect   ItemExpectation `json:"expect,omitzero"`
	Budget   []Allowance     `json:"budget,omitempty"`
	// Auth is how the source is signed in to; nil: not at all.
	Auth *visit.Auth `json:"auth,omitempty"`
	Was  []string    `json:"-"`
}

// Collection returns the collection of the entry's documents: add.collection, otherwise
// the campaign.
func (e Entry) Collection(campaign string) string {
	if c, ok := e.Add["collection"].(string); ok && c != "" {
		return c
	}
	return campaign
}

// Split turns an entry into items. Exactly one of Items, List and Ask is set.
type Split struct {
	// Items are the rows given inline (split: true, or split.items).
	Items []Row `json:"items,omitempty"`
	// List is the digest of the rows read from File; rows are in the store.
	List  string `json:"list,omitempty"`
	File  string `json:"file,omitempty"`
	Count int    `json:"count,omitempty"`
	// Ask is what the fetcher's Splitter lists at each run.
	Ask     string   `json:"ask,omitempty"`
	Key     string   `json:"key,omitempty"`
	Label   string   `json:"label,omitempty"`
	Include []string `json:"include,omitempty"` // globs over keys
	Exclude []string `json:"exclude,omitempty"`
}

// Row is one element of a split: its key, its params, which override the entry's, and
// its dotted columns.
type Row struct {
	Key    string          `json:"key"`
	Label  string          `json:"label,omitempty"`
	Params json.RawMessage `json:"params,omitempty"` // only what differs
	// Paused is the reason of a pause; empty: not paused.
	Paused string `json:"paused,omitempty"`
	// Was is the former key; state moves along. No part of any digest.
	Was      string           `json:"-"`
	Expect   *ItemExpectation `json:"expect,omitempty"`
	Tolerate *Count           `json:"tolerate,omitempty"`
	// Written means that the row is in the campaign file itself. Only then may its
	// params refer to secrets; rows of lists and of sources may not.
	Written bool `json:"-"`
	// Kept means that the params of an element are in the form of a campaign file:
	// references replace the secrets that the source named again, and its own text is
	// escaped.
	Kept bool `json:"kept,omitempty"`
	// Line is the line of the row in its file; not part of any digest.
	Line int `json:"-"`
}

// Pause is a pause and its reason: the text of `paused: "…"`.
type Pause struct {
	On   bool   `json:"on"`
	Note string `json:"note,omitempty"`
}

// Priority orders items, also in the queue of a host.
type Priority string

// The priorities.
const (
	PriorityUrgent Priority = "urgent"
	PriorityHigh   Priority = "high"
	PriorityNormal Priority = "normal"
	PriorityLow    Priority = "low"
	PriorityIdle   Priority = "idle"
)

// Key is the priority in Temporal's numbers: 1 for urgent to 5 for idle.
func (p Priority) Key() int {
	switch p {
	case PriorityUrgent:
		return 1
	case PriorityHigh:
		return 2
	case PriorityLow:
		return 4
	case PriorityIdle:
		return 5
	default:
		return 3
	}
}

// Timeouts bound a request, a page, an item and a run; 0 is none.
type Timeouts struct {
	Request time.Duration `json:"request,omitempty"`
	Page    time.Duration `json:"page,omitempty"`
	Item    time.Duration `json:"item,omitempty"`
	Run     time.Duration `json:"run,omitempty"`
	// UntilNext ends the run before the next tick.
	UntilNext bool `json:"until_next,omitempty"`
	// Endless removes the deadline of the run; otherwise it ends one gap of the
	// schedule after it was due.
	Endless bool `json:"endless,omitempty"`
}

// ItemExpectation is when an item counts as stale or empty.
type ItemExpectation struct {
	MinDocuments int           `json:"min_documents,omitempty"`
	FreshWithin  time.Duration `json:"fresh_within,omitempty"`
	Fail         bool          `json:"fail,omitempty"` // else: fail
}

// RunExpectation is when a run counts as empty or missed.
type RunExpectation struct {
	MinDocuments int           `json:"min_documents,omitempty"`
	FreshWithin  time.Duration `json:"fresh_within,omitempty"`
	Fail         bool          `json:"fail,omitempty"`
}

// Allowance is a budget: an amount of something per run, day or month.
type Allowance struct {
	What string `json:"what"` // requests, bytes, documents
	N    int64  `json:"n"`
	Per  string `json:"per"` // run, day, month
}

// Alert is one line of notify.
type Alert struct {
	To     string             `json:"to"` // an address; may hold ${secret:…}
	When   []outcomes.Outcome `json:"when,omitempty"`
	Also   []string           `json:"also,omitempty"` // recovered
	After  int                `json:"after,omitempty"`
	Per    string             `json:"per,omitempty"` // run, item
	Digest string             `json:"digest,omitempty"`
}

// NeverKept, as an age, means that a thing is not kept at all.
const NeverKept = time.Duration(-1)

// Keep is how long things are kept, by kind; 0 is forever. Raw may be NeverKept.
type Keep struct {
	Raw      time.Duration `json:"raw,omitempty"`
	Versions time.Duration `json:"versions,omitempty"`
	Ledger   time.Duration `json:"ledger,omitempty"`
	Runs     time.Duration `json:"runs,omitempty"`
}

// Host is the one truth about a host, from `hosts:`.
type Host struct {
	Name        string        `json:"name"` // a host, or "*" for all others
	Every       time.Duration `json:"every,omitempty"`
	Connections int           `json:"connections,omitempty"`
	Robots      string        `json:"robots,omitempty"` // obey, ignore
	CA          string        `json:"ca,omitempty"`     // PEM: who alone may vouch for it
	Source      string        `json:"-"`                // file:line
}
