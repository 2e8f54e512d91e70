package planner

import (
	"slices"
	"time"
)

// Mark is what an apply does to a campaign.
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
	// Digest identifies the files together with the current state. Apply refuses any
	// other. A prefix of four digits or more is enough.
	Digest  string   `json:"plan"`
	Prune   bool     `json:"prune"`
	Changes []Change `json:"campaigns"`
	// Busiest is the minute with the most campaigns due, if there are many.
	Busiest *Crowd `json:"busiest,omitempty"`
	// Hosts are the differences in rules of hosts.
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
	// Paused describes what happens to the pause, if there is one.
	Paused string `json:"paused,omitempty"`
	// Action is what an apply does to the schedule: create, update, delete or nothing.
	Action Action `json:"action,omitempty"`
	// Drift lists how the server differs from the stored definition; Why says it in a
	// sentence.
	Drift []Difference `json:"drift,omitempty"`
	Why   string       `json:"why,omitempty"`
	// Next are the next fires, in the schedule's zone.
	Next     []time.Time `json:"next,omitempty"`
	Estimate *Estimate   `json:"estimate,omitempty"`
	Warnings []string    `json:"warnings,omitempty"`
	// Blocked is what must be resolved before anything can be applied.
	Blocked string `json:"blocked,omitempty"`
	// Documents counts the documents that remain after the campaign is removed.
	Documents int64 `json:"documents,omitempty"`
}

// Crowd is a minute in which many campaigns are due.
type Crowd struct {
	At        time.Time `json:"at"`
	Campaigns int       `json:"campaigns"`
}

// crowded is the smallest number of campaigns worth a line.
const crowded = 20

// busiest returns the minute with the most campaigns due; nil if there are few.
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

// Difference is one value: Old is empty if it was added, New if it was removed. In
// Drift, Old is the server's.
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
	// Rows are the added, removed or changed items.
	Rows []RowChange `json:"rows,omitempty"`
	// Note is set if the entry's only item becomes another one, or if items with
	// unchanged rows start from the beginning.
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

// touches reports whether Apply changes a campaign. One that is no longer in any file
// stays unless Prune is set.
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

// Blocked returns what must be resolved before anything can be applied.
func (p *Plan) Blocked() []string {
	var out []string
	for _, c := range p.Changes {
		if c.Blocked != "" {
			out = append(out, c.Name+": "+c.Blocked)
		}
	}
	return out
}
