package runs

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// moreFilters are the flags of `runs list` beyond campaign, outcome and time.
type moreFilters struct {
	states   []string
	tags     []string
	triggers []string
	why      string
	text     string
	attempts int
	sort     string
	reverse  bool
	skip     int
}

const scheduledWord = "scheduled"

// stateWords are what people call the states of runs.
func stateWords() map[string][]rows.RunState {
	return map[string][]rows.RunState{
		"queued": {rows.RunWaiting, rows.RunOpening}, "running": {rows.RunOpen}, "archived": {rows.RunClosed},
	}
}

func stateNames() []string { return []string{scheduledWord, "queued", "running", "archived"} }

func triggerNames() []string {
	return []string{string(steps.TriggerSchedule), string(steps.TriggerHand), string(steps.TriggerRetry), string(steps.TriggerBackfill), string(steps.TriggerRegistry)}
}

func sortNames() []string {
	var names []string
	for _, s := range rows.RunSorts() {
		names = append(names, string(s))
	}
	return names
}

func (m *moreFilters) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&m.states, "state", nil, "only in this state: "+strings.Join(stateNames(), ", ")+"; may be repeated")
	f.StringSliceVar(&m.tags, "tag", nil, "only of campaigns with this tag; several: with all of them")
	f.StringSliceVar(&m.triggers, "trigger", nil, "only started by this: "+strings.Join(triggerNames(), ", ")+"; may be repeated")
	f.StringVar(&m.why, "why", "", "only with this text in the reason of their outcome")
	f.StringVar(&m.text, "text", "", "only with this text in id, reason or summary")
	f.IntVar(&m.attempts, "attempts", 0, "only where an item took at least so many attempts")
	f.StringVar(&m.sort, "sort", "started", "the most first: "+strings.Join(sortNames(), ", "))
	f.BoolVar(&m.reverse, "reverse", false, "the least first")
	f.IntVar(&m.skip, "skip", 0, "leave out so many first: the next page of a list")
	program.Complete(cmd, "state", stateNames()...)
	program.Complete(cmd, "trigger", triggerNames()...)
	program.Complete(cmd, "sort", sortNames()...)
}

func (m *moreFilters) scheduled() bool { return slices.Contains(m.states, scheduledWord) }

// onlyHere refuses, by name, the filters that the Web UI has nothing for: to Temporal a
// queued run is a running one.
func (m *moreFilters) onlyHere(f *pflag.FlagSet) error {
	for _, name := range []string{"why", "text", "attempts", "sort", "reverse", "skip"} {
		if f.Changed(name) {
			return program.Usage("runs list --web: the Web UI cannot filter by --%s; leave out --web", name)
		}
	}
	for _, word := range m.states {
		if word != "archived" {
			return program.Usage("runs list --web: the Web UI cannot tell --state %s; it knows --open and --state archived", word)
		}
	}
	return nil
}

// into adds the flags to a filter; a word that none of the known ones is, is an
// error.
func (m *moreFilters) into(f rows.RunFilter) (rows.RunFilter, error) {
	for _, check := range []struct {
		flag          string
		given, likely []string
	}{{"state", m.states, stateNames()}, {"trigger", m.triggers, triggerNames()}, {"sort", []string{m.sort}, sortNames()}} {
		if err := known(check.flag, check.given, check.likely); err != nil {
			return f, err
		}
	}
	if m.attempts < 0 || m.skip < 0 {
		return f, program.Usage("runs list: --attempts and --skip take numbers from 0")
	}
	if m.scheduled() && len(m.states) > 1 {
		return f, program.Usage("runs list: --state scheduled lists what is to come; it goes with no other state")
	}
	for _, word := range m.states {
		f.States = append(f.States, stateWords()[word]...)
	}
	f.Triggers, f.Why, f.Text, f.Attempts = m.triggers, m.why, m.text, m.attempts
	f.Sort, f.Reverse, f.Skip = rows.RunSort(m.sort), m.reverse, m.skip
	return f, nil
}

// known refuses a word that is not among the likely ones.
func known(flag string, given, likely []string) error {
	for _, word := range given {
		if slices.Contains(likely, word) {
			continue
		}
		if near := wording.Nearest(word, likely); near != "" {
			return program.Usage("--%s %s: not known; did you mean %s?", flag, word, near)
		}
		return program.Usage("--%s %s: one of %s", flag, word, strings.Join(likely, ", "))
	}
	return nil
}
