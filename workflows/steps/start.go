package steps

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
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

	Processors   int            `json:"processors,omitempty"`
	Items        []string       `json:"items,omitempty"` // only these keys
	ForceRefresh bool           `json:"again,omitempty"`
	Refresh      bool           `json:"refresh,omitempty"` // full passes, due or not
	Limit        int            `json:"limit,omitempty"`   // a trial: stores nothing
	Window       harvest.Window `json:"window,omitzero"`
	Lane         string         `json:"lane,omitempty"` // a backfill's id

	Trigger     Trigger `json:"trigger,omitempty"`
	TriggeredBy string  `json:"triggered_by,omitempty"`
	// At is when a run starts that somebody asked for before; zero: at once.
	At time.Time `json:"at,omitzero"`
	// RetryOf is the workflow id of the run whose unfinished items are wanted.
	RetryOf string `json:"retry_of,omitempty"`

	// Store is the id of the store that is meant: a worker that has another one
	// open refuses the run by name. Empty: whatever store the worker has.
	Store string `json:"store,omitempty"`

	// Resume carries a run over continue-as-new; never written by hand.
	Resume *State `json:"resume,omitempty"`

	// Unknown are the keys that were written and mean nothing, "window.form" of those
	// below another; a run is not begun with them.
	Unknown []string `json:"unknown,omitempty"`
}

// UnmarshalJSON notes unknown keys, but not of what one execution of a run hands on
// to the next: that may come from a newer worker.
func (s *Start) UnmarshalJSON(raw []byte) error {
	type plain Start
	if err := json.Unmarshal(raw, (*plain)(s)); err != nil || s.Resume != nil {
		return err
	}
	var keys, window map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return err
	}
	s.Unknown = append(s.Unknown, unknown(keys, "", StartKeys())...)
	for name, value := range keys {
		if strings.EqualFold(name, "window") && json.Unmarshal(value, &window) == nil {
			s.Unknown = append(s.Unknown, unknown(window, "window.", []string{"from", "until"})...)
		}
	}
	slices.Sort(s.Unknown)
	s.Unknown = slices.Compact(s.Unknown)
	return nil
}

func unknown(keys map[string]json.RawMessage, before string, known []string) (out []string) {
	for name := range keys {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) && name != "unknown" {
			out = append(out, before+name)
		}
	}
	return out
}

// StartKeys are the keys of a Start that a person may write.
func StartKeys() []string {
	return []string{
		"campaign", "definition", "fetcher", "params", "processors", "items", "again", "refresh", "limit", "window", "lane",
		"at", "trigger", "triggered_by", "retry_of", "store", "resume",
	}
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
	Activities int     `json:"chunks,omitempty"` // activities so far
	// Entries is how many there are; of several, summaries name the entry.
	Entries int `json:"entries,omitempty"`
	// StartedAt is when the first execution began.
	StartedAt time.Time     `json:"started_at,omitzero"`
	Tally     harvest.Tally `json:"tally,omitzero"`
	// Seen counts what came back, by outcome.
	Seen map[outcomes.Outcome]Seen `json:"seen,omitempty"`
	// Trouble is our own failure so far, in words: a range or an entry that had
	// to be given up. Such a run is never green. Troubles counts further ones.
	Trouble  string `json:"trouble,omitempty"`
	Troubles int    `json:"troubles,omitempty"`
}

// Seen counts items and the new documents they brought.
type Seen struct {
	Items int `json:"items"`
	New   int `json:"new,omitempty"`
}

// Range is a part of a run's open items: those of one entry by ordinal, Lo and Hi
// included, which have an activity each; or, when it is shared, all of a task
// queue, from which several activities take what is due.
type Range struct {
	Entry  string `json:"entry,omitempty"`
	Queue  string `json:"queue"`
	Lo     int64  `json:"lo,omitempty"`
	Hi     int64  `json:"hi,omitempty"`
	Shared bool   `json:"shared,omitempty"`
	// Chunk is how many items of a shared range one activity takes.
	Chunk int `json:"chunk,omitempty"`
	// NotBefore is when a handed-back range is due again; zero: now.
	NotBefore time.Time `json:"not_before,omitzero"`
	Priority  int       `json:"priority,omitempty"` // 1 urgent … 5 idle; 0: 3
	// Labels name the items from Lo on, for summaries; only in runs of at most
	// MaxLabels items.
	Labels []string `json:"labels,omitempty"`
	// Left is how many items of a shared range are open and on no activity, as far
	// as is known; 0 of another range: all.
	Left int `json:"left,omitempty"`

	// The rest is the workflow's own. First is the place of Lo among all items of
	// the run, from 1; Stalls how often in a row it came back without progress;
	// Fails how often it failed; Why says what it waits for.
	First  int    `json:"first,omitempty"`
	Stalls int    `json:"stalls,omitempty"`
	Fails  int    `json:"fails,omitempty"`
	Why    string `json:"why,omitempty"`
	// Known is when Left and NotBefore of a shared range were reported.
	Known time.Time `json:"known,omitzero"`
}

const (
	// MaxLabels is the largest run whose items have an activity each.
	MaxLabels = 500
	// MaxLabel bounds a label, in bytes: all of them are part of a run's state.
	MaxLabel = 60
)

// Span counts the items from Lo to Hi, open or not.
func (r Range) Span() int { return int(r.Hi - r.Lo + 1) }

// Open counts the items that are still to do.
func (r Range) Open() int {
	if r.Left > 0 || r.Shared {
		return r.Left
	}
	return r.Span()
}

// usualActivities is how many activities take the items of a large run, as a rule:
// its history does not grow with their number.
const usualActivities = 60

// ChunkSize is how many items one activity takes of a run of so many: what its
// campaign says (0: nothing), but enough that MaxLabels activities suffice; else
// one each up to MaxLabels items.
func ChunkSize(given, items int) int {
	switch {
	case given > 0:
		return max(given, (items+MaxLabels-1)/MaxLabels)
	case items <= MaxLabels:
		return 1
	default:
		return (items + usualActivities - 1) / usualActivities
	}
}
