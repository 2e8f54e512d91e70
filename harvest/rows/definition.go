package rows

import (
	"cmp"
	"encoding/json"
	"time"
)

// Definition is a campaign as applied. Ref is "news@7".
type Definition struct {
	Campaign  string          `json:"campaign"`
	Version   int             `json:"version"`
	Digest    string          `json:"digest"`
	Spec      json.RawMessage `json:"spec"` // a campaigns.Campaign
	Author    string          `json:"author,omitempty"`
	File      string          `json:"file,omitempty"`
	Line      int             `json:"line,omitempty"`
	Commit    string          `json:"commit,omitempty"`
	AppliedAt time.Time       `json:"applied_at"`
}

// Server is which Temporal the campaigns of a store were applied to. ID is that of
// the namespace: an address may change, and two servers may share one.
type Server struct {
	Address   string `json:"address"`
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
}

// Campaign is a campaign's row across definitions. Adhoc campaigns and those
// made by a registry are campaigns too.
type Campaign struct {
	Name    string `json:"name"`
	Project string `json:"project,omitempty"`
	// Definition is the current one.
	Definition Definition `json:"definition"`
	Paused     *Pause     `json:"paused,omitempty"`
	// Removed is set when the campaign was deleted or pruned; its documents,
	// checkpoints and runs stay.
	Removed time.Time `json:"removed,omitzero"`
}

// Pause says who paused, when and why.
type Pause struct {
	By   string    `json:"by,omitempty"`
	At   time.Time `json:"at"`
	Note string    `json:"note,omitempty"`
	// Until ends the pause by itself; zero: never.
	Until time.Time `json:"until,omitzero"`
	// Token names the command that paused, so that resume --all undoes only
	// that one.
	Token string `json:"token,omitempty"`
}

// Holds reports whether the pause is on at a moment; nil is no pause.
func (p *Pause) Holds(at time.Time) bool {
	return p != nil && (p.Until.IsZero() || p.Until.After(at))
}

// Application is one apply: all of it happens, or nothing.
type Application struct {
	Project   string
	Author    string
	Campaigns []ApplyCampaign
	Hosts     []Host // of these files; replaces what the project said before
	At        time.Time
}

// ApplyCampaign is one campaign of an Application. A new version is made only
// when Digest differs from the current one's.
type ApplyCampaign struct {
	Name   string
	Digest string
	Spec   json.RawMessage
	File   string
	Line   int
	Commit string
	// Was moves checkpoints, items, documents, runs and definitions of a former
	// name here. WasEntry does the same for entries (old name by new one), WasItem
	// for items (by entry, old key by new one).
	Was      []string
	WasEntry map[string]string
	WasItem  map[string]map[string]string
}

// Applied says what became of one campaign.
type Applied struct {
	Name    string
	Version int
	Changed bool // a new version was made
	Moved   int  // checkpoints that moved by Was
}

// ListRow is one row of a stored list: a campaigns.Row as JSON.
type ListRow = json.RawMessage

// Host is the one truth about a host: what the files say, and what it asked
// for.
type Host struct {
	Name        string        `json:"host"` // "*" is all others
	Project     string        `json:"project,omitempty"`
	Every       time.Duration `json:"every,omitempty"`
	Connections int           `json:"connections,omitempty"`
	Robots      string        `json:"robots,omitempty"` // obey, ignore
	CA          string        `json:"ca,omitempty"`     // PEM: who alone may vouch for it
	Source      string        `json:"source,omitempty"` // file:line
	Paused      *Pause        `json:"paused,omitempty"`
	// Delay is the gap that its own robots.txt asks for; 0: none that is known.
	Delay time.Duration `json:"crawl_delay,omitempty"`
	// RestUntil is set by Retry-After and penalties; RestWhy says which.
	RestUntil time.Time `json:"rest_until,omitzero"`
	RestWhy   string    `json:"rest_why,omitempty"`
	// Slow is the gap that all workers keep because the host was in trouble; 0: none.
	// SlowWhy says what it answered, SlowSince when this began.
	Slow      time.Duration `json:"slow,omitempty"`
	SlowWhy   string        `json:"slow_why,omitempty"`
	SlowSince time.Time     `json:"slow_since,omitzero"`
}

// HostChanges is what was said about hosts since change number Last of an earlier
// one. With All, Hosts are all there are.
type HostChanges struct {
	Hosts []Host
	Last  int64
	All   bool
}

// Who says what pace holds for a host, besides its own line in the files.
const (
	PaceOfAll    = "\"*\""
	PaceOfRobots = "its robots.txt"
)

// Pace returns the gap and the connections that hold for the host, with what "*"
// says where it leaves both open, and what its robots.txt asks for where that is
// more and not to be ignored; by says whose gap it is, "" is its own.
func (h Host) Pace(all Host) (every time.Duration, connections int, by string) {
	every, connections = h.Every, h.Connections
	if h.Every == 0 && h.Connections == 0 && (all.Every > 0 || all.Connections > 0) && h.Name != all.Name {
		every, connections, by = all.Every, all.Connections, PaceOfAll
	}
	if h.Delay > every && cmp.Or(h.Robots, all.Robots) != "ignore" {
		every, by = h.Delay, PaceOfRobots
	}
	return every, connections, by
}

// Event is who did what to what: apply, pause, reset, cancel …
type Event struct {
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
	Verb string    `json:"verb"`
	On   string    `json:"on"`
	Note string    `json:"note,omitempty"`
}

// Booking is a process asking for the next departure to a host with a gap.
type Booking struct {
	Host   string
	Holder string // the process
	// Gap lies between an answer and the next departure.
	Gap time.Duration
	// Priority is 1 for urgent … 5 for idle.
	Priority int
	// Lease is how long the departure is held when the process dies; Place how long
	// its place among those who wait is, beyond the moment at which it should ask
	// again.
	Lease, Place time.Duration
}
