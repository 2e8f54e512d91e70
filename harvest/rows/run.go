package rows

import (
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// RunState is where a run is.
type RunState string

// The states of a run. Waiting runs hold no place at the gate.
const (
	RunWaiting RunState = "waiting"
	RunOpening RunState = "opening"
	RunOpen    RunState = "open"
	RunClosed  RunState = "closed"
)

// Run is one CampaignWorkflow, by its first execution's run id.
type Run struct {
	ID         int64            `json:"id"` // the store's own number
	RunID      string           `json:"run_id"`
	WorkflowID string           `json:"run"` // what people see
	Campaign   string           `json:"campaign"`
	Lane       string           `json:"lane,omitempty"`
	Version    int              `json:"version"` // of the definition
	State      RunState         `json:"state"`
	Outcome    outcomes.Outcome `json:"outcome,omitempty"`
	Why        string           `json:"why,omitempty"`
	Trigger    string           `json:"trigger"`
	By         string           `json:"by,omitempty"`
	RetryOf    string           `json:"retry_of,omitempty"`
	// Overrides is the steps.Start that began it, as JSON.
	Overrides  json.RawMessage `json:"overrides,omitempty"`
	Processors int             `json:"processors,omitempty"`
	DueAt      time.Time       `json:"due_at,omitzero"`
	StartedAt  time.Time       `json:"started_at"`
	ClosedAt   time.Time       `json:"closed_at,omitzero"`
	Deadline   time.Time       `json:"deadline,omitzero"`
	// Stop is set once the run must stop at its next page.
	Stop   string        `json:"stop,omitempty"`
	Paused string        `json:"paused,omitempty"`
	Items  int           `json:"items"`
	Tally  harvest.Tally `json:"tally"`
	// Summary is the steps.Summary it ended with, as JSON.
	Summary json.RawMessage `json:"summary,omitempty"`
	Epoch   int64           `json:"epoch"` // the store's, when it began
}

// Ref returns "news@7".
func (r Run) Ref() string { return Ref(r.Campaign, r.Version) }

// Due returns when the run was due; of one that no schedule started, when it began.
func (r Run) Due() time.Time {
	if r.DueAt.IsZero() {
		return r.StartedAt
	}
	return r.DueAt
}

// Ending is how the run ended for whoever asked for it; "" while it goes on.
func (r Run) Ending() outcomes.Ending {
	var sum struct{ Ending outcomes.Ending }
	if r.State == RunClosed && json.Unmarshal(r.Summary, &sum) == nil && sum.Ending != "" {
		return sum.Ending
	}
	return r.Outcome.Ending()
}

// Whole reports whether the run was of all items of its campaign, and no trial: only
// then does it speak for the campaign.
func (r Run) Whole() bool {
	var start struct {
		Items []string
		Limit int
	}
	if r.RetryOf != "" || len(r.Overrides) == 0 {
		return r.RetryOf == ""
	}
	err := json.Unmarshal(r.Overrides, &start)
	return err != nil || len(start.Items) == 0 && start.Limit == 0
}

// NewRun asks the gate.
type NewRun struct {
	Run
	// Exclusive: only one such run of (campaign, lane) may be open. False for
	// overlap allow.
	Exclusive bool
	// MayWait: when the gate is taken, wait in line (RunWaiting). MaxWaiting
	// bounds the line; 0: no bound.
	MayWait    bool
	MaxWaiting int
	// AskedAt is when a run that waited begins, if it is let in now; zero: when it was
	// started.
	AskedAt time.Time
}

// Gate is the answer to NewRun. The same run id asked twice gets the same Run.
type Gate struct {
	Run Run
	// Holder is the open run in the way, when Run holds no place: then
	// Run.State is RunWaiting, or Run.ID is 0 when it may not wait.
	Holder *Run
	// Place is set when the run waits because of its registry's bound: then Holder may
	// be of another campaign, or wait as well.
	Place *Place
}

// ItemState is where an item of a run is.
type ItemState string

// The states of a run's item.
const (
	ItemOpen    ItemState = "open"
	ItemClaimed ItemState = "claimed"
	ItemClosed  ItemState = "closed"
)

// RunItem is one item of one run.
type RunItem struct {
	Run     int64           `json:"-"`
	Ord     int64           `json:"ord"` // entry index << 32 | place in dispatch order
	Entry   string          `json:"entry"`
	Key     string          `json:"key"`
	Label   string          `json:"label,omitempty"`
	Fetcher string          `json:"fetcher"`
	Params  json.RawMessage `json:"params,omitempty"` // whole, secrets as references
	Host    string          `json:"host,omitempty"`
	Policy  json.RawMessage `json:"policy,omitempty"` // what the row's dotted columns say
	// Queue is the task queue whose workers may take it, Place its turn there.
	Queue string `json:"queue,omitempty"`
	Place int64  `json:"-"`

	State     ItemState `json:"state"`
	Epoch     int64     `json:"-"` // of the claim
	Worker    string    `json:"worker,omitempty"`
	NotBefore time.Time `json:"not_before,omitzero"`
	Attempts  int       `json:"attempts"`
	Throttles int       `json:"throttles,omitempty"`
	Lost      int       `json:"lost,omitempty"` // workers that died under it
	// Stuck counts those that died since its last page: more of them end it.
	Stuck     int              `json:"stuck,omitempty"`
	Seq       int              `json:"pages"` // last committed page
	Done      int64            `json:"done,omitempty"`
	Total     int64            `json:"total,omitempty"`
	Tally     harvest.Tally    `json:"tally"`
	Outcome   outcomes.Outcome `json:"outcome,omitempty"`
	Why       string           `json:"why,omitempty"`
	Kind      harvest.Kind     `json:"kind,omitempty"`
	Error     string           `json:"error,omitempty"`
	Warnings  []string         `json:"warnings,omitempty"` // at most 10
	StartedAt time.Time        `json:"started_at,omitzero"`
	// ClaimedAt is when a worker took it last.
	ClaimedAt time.Time `json:"claimed_at,omitzero"`
	ClosedAt  time.Time `json:"closed_at,omitzero"`
}

// PastRun is how an item ended in one run.
type PastRun struct {
	Workflow string `json:"run"` // the run's workflow id
	RunItem
}

// EntryRange is the span of ordinals that one entry has in a run.
type EntryRange struct {
	Entry  string `json:"entry"`
	Lo, Hi int64  // included
	Items  int    `json:"items"`
}

// OutcomeCount is one line of a run's table.
type OutcomeCount struct {
	Outcome outcomes.Outcome `json:"outcome"`
	Items   int              `json:"items"`
	Tally   harvest.Tally    `json:"tally"`
}

// Finish closes a run's row, with what is to be sent, in one transaction.
type Finish struct {
	Run     int64
	Outcome outcomes.Outcome
	Why     string
	Summary json.RawMessage
	At      time.Time
	Outbox  []Message
	// Over are alerts that end without a message.
	Over []Alert
}

// Message is one thing to send, kept until it is sent.
type Message struct {
	ID       int64           `json:"id"`
	Run      int64           `json:"-"`
	RunName  string          `json:"run,omitempty"` // workflow id
	Campaign string          `json:"campaign,omitempty"`
	To       string          `json:"to"` // secrets as references
	Payload  json.RawMessage `json:"payload"`
	Created  time.Time       `json:"created"`
	Attempts int             `json:"attempts"`
	NextAt   time.Time       `json:"next_at,omitzero"`
	SentAt   time.Time       `json:"sent_at,omitzero"`
	GivenUp  time.Time       `json:"given_up,omitzero"`
	Error    string          `json:"error,omitempty"` // of the last attempt
	Rule     string          `json:"rule,omitempty"`
	// When it is posted: the alerts that it announces and ends, and the messages
	// that it stands in for.
	Begins   []Alert `json:"-"`
	Ends     []Alert `json:"-"`
	Replaces []int64 `json:"-"`
}

// State is "sent", "waiting" (to be tried), "retrying" (tried in vain, and again) or
// "given up".
func (m Message) State() string {
	switch {
	case !m.SentAt.IsZero():
		return "sent"
	case !m.GivenUp.IsZero():
		return "given up"
	case m.Error != "":
		return "retrying"
	default:
		return "waiting"
	}
}

// MessageFilter selects messages, the newest first; zero members do not select.
type MessageFilter struct {
	Campaign string
	Run      int64
	Unsent   bool
	Failed   bool // unsent, and tried in vain
	Limit    int
}

// Alert is something that was announced as wrong and is not yet over: with a run
// of a campaign, or with an item of it.
type Alert struct {
	Campaign string           `json:"campaign"`
	Rule     string           `json:"rule"`
	Entry    string           `json:"entry,omitempty"`
	Key      string           `json:"item,omitempty"`
	Outcome  outcomes.Outcome `json:"outcome"`
	Message  int64            `json:"message"`
	At       time.Time        `json:"at"`
	// Untold: its message could not be sent, and is not tried again.
	Untold bool `json:"untold,omitempty"`
}

// RunFilter selects runs, the newest first. Zero members do not select.
type RunFilter struct {
	Campaign string
	Outcomes []outcomes.Outcome
	States   []RunState
	Since    time.Time
	Until    time.Time
	// Campaigns: one of these; an empty list that is not nil fits nothing.
	Campaigns []string
	Triggers  []string
	// Text is part of its id, its reason or its summary, Why of its reason, in any
	// case of letters.
	Text, Why string
	// Attempts: some item of it took at least so many.
	Attempts int
	Sort     RunSort
	// Reverse lists the oldest, shortest, smallest first.
	Reverse bool
	Skip    int // so many of the list are left out
	Limit   int
}

// RunSort is what a list of runs is ordered by, the most first.
type RunSort string

// The orders; the zero value is SortStarted.
const (
	SortStarted  RunSort = "started"
	SortTook     RunSort = "took"
	SortItems    RunSort = "items"
	SortAttempts RunSort = "attempts"
)

// RunSorts lists the orders.
func RunSorts() []RunSort { return []RunSort{SortStarted, SortTook, SortItems, SortAttempts} }

// ItemFilter selects a run's items, in dispatch order; with Worst, what needs a
// look first.
type ItemFilter struct {
	Entry    string
	Keys     []string
	Outcomes []outcomes.Outcome
	States   []ItemState
	Worst    bool
	// Passes: only those in which a full pass ended.
	Passes bool
	Limit  int
}
