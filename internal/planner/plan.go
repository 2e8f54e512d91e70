package planner

import (
	"slices"
	"time"
)

// Mark is what would become of a campaign.
type Mark string

// The marks, as plan prints them.
const (
	MarkNew     Mark = "+"
	MarkChanged Mark = "~"
	MarkDrift   Mark = "!" // changed on the server, not from these files
	MarkGone    Mark = "-" // no longer in any file
	MarkSame    Mark = "="
)

// Plan is what Apply would do. Its JSON is the output for programs.
type Plan struct {
	Project string `json:"project,omitempty"`
	Files   int    `json:"files"`
	// Digest names the files' content together with what was found; Apply
	// refuses another. A prefix of four digits or more is enough.
	Digest  string   `json:"plan"`
	Prune   bool     `json:"prune"`
	Changes []Change `json:"campaigns"`
	// Busiest is the minute of the coming fires with the most campaigns, when
	// they are many.
	Busiest *Crowd `json:"busiest,omitempty"`
	// Hosts are differences of the hosts' rules.
	Hosts []Difference `json:"hosts,omitempty"`
}

// Change is one campaign of a plan.
type Change struct {
	Name string `json:"campaign"`
	Mark Mark   `json:"mark"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Definition is the current one, "news@7"; empty for a new campaign.
	Definition string `json:"definition,omitempty"`
	// Was is the former name that moves along.
	Was         string       `json:"was,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	Items       []ItemChange `json:"items,omitempty"`
	// Paused tells what becomes of the pause, when there is one to tell of.
	Paused string `json:"paused,omitempty"`
	// Action is what would be done to the schedule: create, update, delete, or
	// nothing.
	Action Action `json:"action,omitempty"`
	// Drift is what the server has against what the stored definition says; Why
	// the sentence for it.
	Drift []Difference `json:"drift,omitempty"`
	Why   string       `json:"why,omitempty"`
	// Next are the coming fires, in the schedule's zone.
	Next     []time.Time `json:"next,omitempty"`
	Estimate *Estimate   `json:"estimate,omitempty"`
	Warnings []string    `json:"warnings,omitempty"`
	// Blocked says why nothing can be applied before this is settled.
	Blocked string `json:"blocked,omitempty"`
	// Documents that stay when the campaign goes.
	Documents int64 `json:"documents,omitempty"`
}

// Crowd is a minute in which many campaigns are due.
type Crowd struct {
	At        time.Time `json:"at"`
	Campaigns int       `json:"campaigns"`
}

// crowded is from how many on a minute is worth a line.
const crowded = 20

// busiest looks at the coming fires of all campaigns; nil: no crowd.
func busiest(changes []Change) *Crowd {
	due := map[int64]int{}
	var top *Crowd
	for _, c := range changes {
		for _, t := range c.Next {
			minute := t.Unix() / 60
			due[minute]++
			n := due[minute]
			if top == nil || n > top.Campaigns || n == top.Campaigns && t.Before(top.At) {
				top = &Crowd{At: t, Campaigns: n}
			}
		}
	}
	if top == nil || top.Campaigns < crowded {
		return nil
	}
	return top
}

// Action is what is done to a schedule.
type Action string

// The actions.
const (
	ActionNone   Action = ""
	ActionCreate Action = "create"
	ActionUpdate Action = "update"
	ActionDelete Action = "delete"
)

// Difference is one value: Old is empty for what is added, New for what goes.
// Of a Drift, Old is the server's.
type Difference struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// ItemChange is what a change does to the items of one entry.
type ItemChange struct {
	Entry string `json:"entry"`
	File  string `json:"file,omitempty"`
	Old   int    `json:"old"`
	New   int    `json:"new"`
	// Rows are the items that came, went or changed.
	Rows []RowChange `json:"rows,omitempty"`
	// Note is set where the entry's only item becomes another one, and where items
	// begin anew whose rows have not changed.
	Note string `json:"note,omitempty"`
}

// RowChange is one item: + came, - went, ~ changed.
type RowChange struct {
	Mark Mark   `json:"mark"`
	Key  string `json:"key"`
	Text string `json:"text,omitempty"`
}

// Pending reports whether Apply would do anything.
func (p *Plan) Pending() bool {
	return len(p.Hosts) > 0 || slices.ContainsFunc(p.Changes, func(c Change) bool { return p.touches(c) })
}

// touches: a campaign no longer in any file is left alone without Prune.
func (p *Plan) touches(c Change) bool {
	return c.Mark != MarkSame && (c.Mark != MarkGone || p.Prune || c.Action == ActionDelete)
}

// Count returns how many campaigns have a mark.
func (p *Plan) Count(m Mark) int {
	n := 0
	for _, c := range p.Changes {
		if c.Mark == m {
			n++
		}
	}
	return n
}

// Blocked returns what must be settled before anything can be applied.
func (p *Plan) Blocked() []string {
	var out []string
	for _, c := range p.Changes {
		if c.Blocked != "" {
			out = append(out, c.Name+": "+c.Blocked)
		}
	}
	return out
}
