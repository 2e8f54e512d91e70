// Package diagnose answers "why": it walks a list of possible causes over facts
// that were gathered beforehand. The first that fits is the cause, the others
// are named as not the cause.
package diagnose

import (
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Facts are what is known. Members that could not be had are nil or zero.
type Facts struct {
	Clock   print.Clock
	Subject string
	Store   string // its printable name

	Campaign  *rows.Campaign // nil: not applied
	Effective campaigns.Campaign
	// Server is the schedule on the server; ServerErr why there is none:
	// engine.ErrNotFound, or that Temporal does not answer.
	Server    *engine.Schedule
	ServerErr error

	Run  *Run   // the open run, else the last one
	Item *Item  // when the question is about one item
	Rest []Rest // hosts that rest now
	// OnlyRun: the question is about this very run.
	OnlyRun bool
	// Pollers counts who polls each queue of the campaign; nil: not known.
	Pollers map[string]int
}

// Run is a run with what stands out in it.
type Run struct {
	rows.Run
	Totals []rows.OutcomeCount
	// Look are items that need a look, or, of an open run, that are not closed.
	Look []rows.RunItem
	// Held counts items that workers hold.
	Held int
	// EndedThere is how the workflow of an open run has ended in Temporal; empty:
	// it runs, or Temporal does not answer.
	EndedThere string
	// NotModified counts answers "not modified"; Failures the records put aside.
	NotModified int
	Failures    []rows.Failure
}

// Open reports whether the run has not ended.
func (r *Run) Open() bool { return r != nil && r.State != rows.RunClosed }

// Item is an item across runs, and in the run it is in now.
type Item struct {
	rows.Item
	Now *rows.RunItem // nil: in no open run
}

// Rest is a host that rests.
type Rest struct {
	Host  string
	Until time.Time
	Why   string
}

// Answer is what came out.
type Answer struct {
	Subject string `json:"subject"`
	// Cause is the check that hit: paused, overlap, workers …
	Cause string `json:"cause"`
	Say   string `json:"say"`
	Lines []Line `json:"lines,omitempty"`
	// Not are the checks that did not hit, with what they saw.
	Not []string `json:"not_the_cause,omitempty"`
}

// Line is one fact under the sentence.
type Line struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// finding is what one check saw.
type finding struct {
	hit   bool
	say   string
	lines []Line
	clear string // for "not the cause"; empty: not worth a word
}

type check struct {
	name string
	look func(Facts) finding
}

// Why walks the causes.
func Why(f Facts) Answer {
	a := Answer{Subject: f.Subject}
	for _, c := range checks(f) {
		found := c.look(f)
		switch {
		case found.hit && a.Cause == "":
			a.Cause, a.Say, a.Lines = c.name, found.say, found.lines
		case !found.hit && found.clear != "" && !besides(c.name, a.Cause):
			a.Not = append(a.Not, found.clear)
		}
	}
	return a
}

// besides: "paused no" would deny what was just said, that the item or the
// schedule on the server is paused.
func besides(check, cause string) bool {
	return check == "paused" && strings.Contains(cause, "paused")
}

// checks is the list that is walked: first what keeps a run from starting, then
// what holds one up, then what became of the last one.
func checks(f Facts) []check {
	starting := []check{
		{"not applied", notApplied},
		{"removed", removed},
		{"item paused", itemPaused},
		{"paused on the server", pausedThere},
		{"paused", paused},
		{"Temporal", unreachable},
		{"no schedule on the server", scheduleGone},
	}
	going := []check{
		{"ended in Temporal", endedThere},
		{"run paused", runPaused},
		{"stopping", stopping},
		{"waits for a run", inLine},
		{"workers", workers},
		{"resting", resting},
		{"retry", retrying},
		{"deadline", deadline},
		{"going on", goingOn},
	}
	ended := []check{
		{"overlap", overlap},
		{"missed", missed},
		{"by hand", byHand},
		{"outcome", outcome},
		{"unchanged", unchanged},
		{"not due", notDue},
	}
	switch {
	case f.Campaign == nil && f.Run == nil:
		return starting[:1]
	case f.OnlyRun && f.Run.Open():
		return going
	case f.OnlyRun:
		return []check{{"overlap", overlap}, {"outcome", outcome}, {"unchanged", unchanged}, {"nothing", fine}}
	case f.Item != nil:
		ended = []check{{"item", itemOutcome}}
	}
	return append(append(starting, going...), ended...)
}

func seconds(d time.Duration) string { return print.Duration(d.Truncate(time.Second)) }

func bad(o harvest.Outcome) bool { return o != "" && o.Severity() != harvest.OK }
