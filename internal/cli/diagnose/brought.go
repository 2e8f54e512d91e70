package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// over reports whether what the question is about has ended.
func (f Facts) over() bool {
	return f.Run != nil && (!f.Run.Open() || f.Item != nil && f.Item.Now == nil)
}

// focus is the item to look at, of what has ended.
func (f Facts) focus() *Focus {
	if !f.over() {
		return nil
	}
	return f.Run.Focus
}

// came is the outcome that is asked about.
func (f Facts) came() outcomes.Outcome {
	switch {
	case !f.over():
		return ""
	case f.Item != nil:
		return f.Item.Outcome
	default:
		return f.Run.Outcome
	}
}

// unchanged: the sources answered, and what they list is known.
func unchanged(f Facts) finding {
	if f.came() != outcomes.Unchanged {
		return finding{}
	}
	say := fmt.Sprintf("%s: nothing new, and nothing is wrong.", lastRun(f))
	if len(f.Run.Failures) > 0 || len(f.Unsent) > 0 || !f.Run.Whole() { // of which it cannot know
		say = lastRun(f) + ": nothing new."
	}
	if f.Item != nil {
		say = fmt.Sprintf("nothing is wrong: %s had nothing new; the last new document came %s.", f.Item.Key, f.Clock.Full(f.Item.LastNew))
	}
	return finding{hit: true, say: say, lines: append(append([]Line{{"because", sameAgain(f)}}, askedLine(f)...), nextLine(f)...)}
}

func sameAgain(f Facts) string {
	tally := f.Run.Tally
	if f.Item != nil {
		tally = harvest.Tally{}
		if it := f.focus(); it != nil {
			tally = it.Tally
		}
	}
	var parts []string
	if n := f.Run.NotModified; n > 0 {
		parts = append(parts, fmt.Sprintf("%s said \"not modified\" (304)", print.Count(n, "answer")))
	}
	if tally.Same > 0 {
		parts = append(parts, fmt.Sprintf("%s listed with the same content as before (same digest)", print.Count(tally.Same, "document")))
	}
	return cmp.Or(strings.Join(parts, "; "), "the sources answered and listed nothing new")
}

// ended makes the check whether that was the end of the item to look at, or, where
// there is none, of the run.
func ended(o outcomes.Outcome) func(Facts) finding {
	return func(f Facts) finding {
		if it := f.focus(); it != nil && it.Outcome != o || it == nil && f.came() != o {
			return finding{}
		}
		return finding{hit: true, say: verdict(f), lines: broughtLines(f)}
	}
}

// robots: the host's robots.txt forbids what was to be asked.
func robots(f Facts) finding {
	it := f.focus()
	if it == nil || it.Outcome != outcomes.Blocked || !strings.Contains(it.Error, "robots.txt") {
		if bad(f.came()) {
			return finding{clear: "robots allowed"}
		}
		return finding{}
	}
	return finding{hit: true, say: verdict(f), lines: append(broughtLines(f), Line{"see", "starter why " + it.Host})}
}

// quarantined: records could not be read, in this run or in one before.
func quarantined(f Facts) finding {
	it := f.focus()
	if it == nil || !bad(it.Outcome) || it.Tally.Quarantined == 0 && !f.unread(it.Key) {
		return finding{}
	}
	return finding{hit: true, say: verdict(f), lines: broughtLines(f)}
}

// unread reports whether records of an item are unread.
func (f Facts) unread(key string) bool {
	return slices.ContainsFunc(f.Run.Failures, func(x rows.Failure) bool { return !x.Answer && x.Item.Key == key && x.State() == "unread" })
}

// outcome is for all other ends that need attention.
func outcome(f Facts) finding {
	if o := f.came(); !bad(o) && o != outcomes.Cancelled {
		if o == "" || f.Item != nil {
			return finding{}
		}
		return finding{clear: "last run " + string(o)}
	}
	return finding{hit: true, say: verdict(f), lines: broughtLines(f)}
}

// verdict says how it ended.
func verdict(f Facts) string {
	say, why := fmt.Sprintf("%s: %s, %s", lastRun(f), strings.ToUpper(string(f.Run.Outcome)), print.Count(f.Run.Tally.Documents(), "document")), f.Run.Why
	if it := f.Item; it != nil {
		say, why = it.Key+" is "+strings.ToUpper(string(it.Outcome)), it.Why
		if it.Streak > 1 {
			say += ", " + Streak(it.Item)
		}
	}
	if alone := f.Item == nil && len(foundLine(f)) > 0; why != "" && !alone {
		say += ": " + f.Clock.Reason(why)
	}
	return say + "."
}

func lastRun(f Facts) string {
	if f.OnlyRun {
		return "run " + f.Run.WorkflowID
	}
	return "last run " + f.Clock.Full(f.Run.Due())
}

// Streak says for how many runs an item has been as good, or as bad, as at the
// last one; its outcomes may have differed.
func Streak(it rows.Item) string {
	how := "good"
	if bad(it.Outcome) {
		how = "not good"
	}
	return how + " for " + print.Count(it.Streak, "run") + " in a row"
}
