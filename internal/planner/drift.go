package planner

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
)

type scheduleSpec = client.ScheduleSpec

// evaluateDrift describes how the schedule on the server differs from the stored
// definition: in a sentence and, for the timing, value by value. Times are in the
// reader's zone.
func (r *Planner) evaluateDrift(t *task, reader *time.Location) {
	c := &t.change
	if t.stored == nil || t.foreign {
		return
	}
	x, known := r.expected(t, t.stored.Paused)
	if !known || x.met(t.server) {
		return
	}
	if t.server == nil {
		c.Why = "its schedule is no longer on the server: apply creates it again"
		return
	}
	version := t.stored.Definition.Version
	if n := t.server.parsed; t.server.ours && n.Version != version {
		c.Why = fmt.Sprintf("the server has %s@%d, the store %s@%d: an apply did not finish; apply completes it", n.Campaign, n.Version, t.name, version)
		return
	}
	on := ""
	if !t.server.updated.IsZero() {
		on = " on " + t.server.updated.In(reader).Format("2 Jan 15:04 MST")
	}
	switch {
	case !sameSpec(t.server.spec, x.spec, t.server.whole):
		c.Drift = specDifferences(t.server.spec, x.spec, reader)
		c.Why = "changed on the server" + on + ", not from these files"
	case t.server.paused && !x.paused:
		c.Why = "paused on the server" + on + ", not from these files"
	case !t.server.paused && x.paused:
		c.Why = "resumed on the server" + on + ", not from these files"
	default:
		c.Why = "its note was written over on the server" + on + ": apply writes it again"
	}
}
