// Package diagnose answers "why": it walks a list of possible causes over facts
// that were gathered beforehand. The first that fits is the cause, the others
// are named as not the cause.
package diagnose

import (
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

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
	a.Lines = append(a.Lines, unsentLines(f)...)
	return a
}

// besides: "paused no" would deny what was just said, that the item or the
// schedule on the server is paused.
func besides(check, cause string) bool {
	return check == "paused" && strings.Contains(cause, "paused")
}

// checks is the list that is walked.
func checks(f Facts) []check {
	switch {
	case f.Campaign == nil && f.Run == nil:
		return starting()[:1]
	case f.OnlyRun && f.Run.Open():
		return going()
	case f.OnlyRun:
		return append(append([]check{{"overlap", overlap}, {"missed", missedRun}}, brought()...), check{"nothing", fine})
	case f.Item != nil && f.Item.Now == nil:
		return append(append(append(starting(), check{"workers", workers}), brought()...), check{"item", itemFine})
	case f.Item != nil:
		return append(starting(), going()...)
	default:
		ended := append([]check{{"overlap", overlap}, {"missed", missed}, {"by hand", byHand}}, brought()...)
		return append(append(append(starting(), going()...), ended...), check{"not due", notDue})
	}
}

// starting is what keeps a run from starting.
func starting() []check {
	return []check{
		{"not applied", notApplied},
		{"removed", removed},
		{"item paused", itemPaused},
		{"paused on the server", pausedThere},
		{"paused", paused},
		{"Temporal", unreachable},
		{"no schedule on the server", scheduleGone},
		{"no current version", unrouted},
	}
}

// going is what holds a run up.
func going() []check {
	return []check{
		{"ended in Temporal", endedThere},
		{"run paused", runPaused},
		{"stopping", stopping},
		{"waits for a run", inLine},
		{"steps fail", failing},
		{"workers", workers},
		{"workers take nothing", fullWorkers},
		{"processor", processor},
		{"host", host},
		{"retry", retrying},
		{"deadline", deadline},
		{"going on", goingOn},
	}
}

// brought is why a run that has ended brought nothing, or not all.
func brought() []check {
	return []check{
		{"unchanged", unchanged},
		{"nothing listed", ended(outcomes.Empty)},
		{"robots", robots},
		{"blocked", ended(outcomes.Blocked)},
		{"changed shape", ended(outcomes.Broken)},
		{"quarantined", quarantined},
		{"outcome", outcome},
	}
}

func seconds(d time.Duration) string { return print.Duration(d.Truncate(time.Second)) }

func bad(o outcomes.Outcome) bool { return o != "" && o.Severity() != outcomes.OK }
