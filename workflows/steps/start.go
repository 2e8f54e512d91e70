package steps

import (
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// CampaignWorkflow is the workflow type's name.
const CampaignWorkflow = "CampaignWorkflow"

// The task queues, before the instance prefix of the settings.
const (
	QueueControl = "vendemmia-control"
	QueueFetch   = "vendemmia-fetch"
)

// Start is the input of a CampaignWorkflow, as a person may write it by hand:
// {"campaign":"news"}, what schedules send {"campaign":"news","definition":
// "news@7"}, or {"fetcher":"feed","params":{…}}.
type Start struct {
	Campaign   string `json:"campaign,omitempty"`
	Definition string `json:"definition,omitempty"` // empty: the current one
	Fetcher    string `json:"fetcher,omitempty"`    // without a campaign
	// Params are laid over every item's params.
	Params json.RawMessage `json:"params,omitempty"`

	Processors int            `json:"processors,omitempty"`
	Items      []string       `json:"items,omitempty"` // only these keys
	Again      bool           `json:"again,omitempty"`
	Limit      int            `json:"limit,omitempty"` // a trial: stores nothing
	Window     harvest.Window `json:"window,omitzero"`
	Lane       string         `json:"lane,omitempty"` // a backfill's id

	Trigger     Trigger `json:"trigger,omitempty"`
	TriggeredBy string  `json:"triggered_by,omitempty"`
	// RetryOf is the workflow id of the run whose unfinished items are wanted.
	RetryOf string `json:"retry_of,omitempty"`

	// Resume carries a run over continue-as-new; never written by hand.
	Resume *State `json:"resume,omitempty"`
}

// Trigger is what started a run.
type Trigger string

// The triggers.
const (
	TriggerSchedule Trigger = "schedule"
	TriggerHand     Trigger = "hand"
	TriggerRetry    Trigger = "retry"
	TriggerBackfill Trigger = "backfill"
	TriggerRegistry Trigger = "registry"
)

// State is all that a run keeps over continue-as-new.
type State struct {
	Run        Opened  `json:"run"`
	Pending    []Range `json:"pending,omitempty"` // handed back, or not yet begun
	Processors int     `json:"processors"`
	Paused     string  `json:"paused,omitempty"` // who and why; empty: not
	Closed     int     `json:"closed,omitempty"` // items
	Chunks     int     `json:"chunks,omitempty"` // activities so far
}

// Range is a part of a run's items, by ordinal, Lo and Hi included; it never
// crosses an entry.
type Range struct {
	Entry string `json:"entry"`
	Queue string `json:"queue"`
	Lo    int64  `json:"lo"`
	Hi    int64  `json:"hi"`
	// Chunk is how many items one activity takes.
	Chunk int `json:"chunk"`
	// NotBefore is when a handed-back range is due again; zero: now.
	NotBefore time.Time `json:"not_before,omitzero"`
	Priority  int       `json:"priority,omitempty"` // 1 urgent … 5 idle; 0: 3
}
