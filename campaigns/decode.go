package campaigns

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/times"
)

// decodeCampaign reads everything of a campaign but its entries.
func decodeCampaign(name string, n *yamltree.Node) Campaign {
	return Campaign{
		Name: name, Description: textAt(n, "description"), Owner: textAt(n, "owner"), Tags: textsAt(n, "tags"),
		Schedule: decodeSchedule(n.Get("schedule")), Paused: decodePause(n.Get("paused")),
		Processors: intAt(n, "processors"), Chunk: intAt(n, "chunk"), Notify: decodeNotify(n.Get("notify")),
		Keep: decodeKeep(n.Get("keep")), Log: logLevel(textAt(n, "log")), Was: textsAt(n, "was"), Timeouts: decodeTimeouts(n.Get("timeouts")),
		Expect: RunExpectation(decodeExpectation(n.Get("expect", "run"))), Budget: decodeBudget(n.Get("budget")),
		Tolerate: countAt(n, "tolerate", "items"),
	}
}

// logLevel is empty for what is usual, so that a campaign that says so is the same one.
func logLevel(word string) string {
	if word == "info" {
		return ""
	}
	return word
}

// decodeEntry reads everything of an entry but its split. own is the entry itself, n
// the entry merged over the campaign's layers.
func decodeEntry(n, own *yamltree.Node) Entry {
	timeouts := decodeTimeouts(n.Get("timeouts"))
	timeouts.Run, timeouts.UntilNext, timeouts.Endless = 0, false, false
	return Entry{
		Name: cmp.Or(textAt(n, "name"), textAt(n, "fetcher")), Fetcher: textAt(n, "fetcher"), Params: jsonAt(n, "params"),
		Refresh: durationAt(n, "refresh"), Add: decodeAdd(n), Queue: textAt(n, "queue"), Priority: Priority(textAt(n, "priority")),
		Timeouts: timeouts, Retry: decodeRetry(n.Get("retry")), Tolerate: countAt(n, "tolerate", "records"),
		Expect: decodeExpectation(n.Get("expect", "item")), Budget: decodeBudget(own.Get("budget")), Was: textsAt(own, "was"),
	}
}

func decodeAdd(n *yamltree.Node) map[string]any {
	v, err := decodeJSON(jsonAt(n, "add"))
	if err != nil {
		return nil
	}
	add, _ := v.(map[string]any)
	return add
}

// decodeSchedule returns nil if the campaign only runs by hand.
func decodeSchedule(n *yamltree.Node) *Schedule {
	s := Schedule{
		Every: durationAt(n, "every"), Offset: durationAt(n, "offset"), At: textsAt(n, "at"), Days: textsAt(n, "days"),
		Cron: textsAt(n, "cron"), TimeZone: textAt(n, "time_zone"), Start: textAt(n, "start"), End: textAt(n, "end"),
		Skip: textsAt(n, "skip"), MaxRuns: intAt(n, "max_runs"), Overlap: Overlap(textAt(n, "overlap")), CatchUp: durationAt(n, "catch_up"),
	}
	if n.Get("every").IsNull() && n.Get("at").IsNull() && n.Get("cron").IsNull() {
		return nil
	}
	if s.TimeZone == "UTC" {
		s.TimeZone = ""
	}
	if !n.Get("jitter").IsNull() {
		jitter := durationAt(n, "jitter")
		s.Jitter = &jitter
	}
	s = s.Canonical()
	return &s
}

func decodePause(n *yamltree.Node) *Pause {
	switch {
	case n.IsNull():
		return nil
	case n.Kind == yamltree.Bool:
		return &Pause{On: strings.EqualFold(n.Text, "true")}
	default:
		return &Pause{On: true, Note: n.Text}
	}
}

func decodeNotify(n *yamltree.Node) []Alert {
	if !n.IsList() {
		return nil
	}
	var out []Alert
	for _, item := range n.Items {
		a := Alert{To: textAt(item, "to"), After: max(1, intAt(item, "after")), Per: cmp.Or(textAt(item, "per"), "run"), Digest: textAt(item, "digest")}
		for _, word := range textsAt(item, "when") {
			if o := outcomes.Outcome(word); o.Valid() {
				a.When = append(a.When, o)
			} else if word == "recovered" {
				a.Also = append(a.Also, word)
			}
		}
		out = append(out, a)
	}
	return out
}

func decodeKeep(n *yamltree.Node) Keep {
	k := Keep{Raw: durationAt(n, "raw"), Versions: durationAt(n, "versions"), Ledger: durationAt(n, "ledger"), Runs: durationAt(n, "runs")}
	if textAt(n, "raw") == "none" {
		k.Raw = NeverKept
	}
	return k
}

func decodeTimeouts(n *yamltree.Node) Timeouts {
	return Timeouts{
		Request: durationAt(n, "request"), Page: durationAt(n, "page"), Item: durationAt(n, "item"), Run: durationAt(n, "run"),
		UntilNext: textAt(n, "run") == "until_next", Endless: textAt(n, "run") == "none",
	}
}

func decodeExpectation(n *yamltree.Node) ItemExpectation {
	return ItemExpectation{MinDocuments: intAt(n, "min_documents"), FreshWithin: durationAt(n, "fresh_within"), Fail: textAt(n, "else") == "fail"}
}

// decodeBudget lists allowances in the order of the reference, so that the order in the
// file does not matter.
func decodeBudget(n *yamltree.Node) []Allowance {
	var out []Allowance
	for _, what := range []string{"requests", "bytes", "documents"} {
		for _, text := range textsAt(n, what) {
			if i, per, err := values.Rate(text, what == "bytes"); err == nil {
				out = append(out, Allowance{What: what, N: i, Per: per})
			}
		}
	}
	return out
}

func decodeRetry(n *yamltree.Node) []retry.Rule {
	out := []retry.Rule{}
	if !n.IsList() {
		return out
	}
	for _, item := range n.Items {
		out = append(out, decodeRule(item))
	}
	return out
}

func decodeRule(n *yamltree.Node) retry.Rule {
	r := retry.Rule{
		Times: intAt(n, "times"), Wait: durationAt(n, "wait"), Cap: durationAt(n, "cap"),
		Within: durationAt(n, "within"), Queue: textAt(n, "queue"),
	}
	// An interval alone, "within a day", means as often as fits into it.
	if textAt(n, "times") == "forever" || n.Get("times").IsNull() && r.Within > 0 && n.Get("by_age").IsNull() {
		r.Times = retry.Forever
	}
	for _, word := range textsAt(n, "when") {
		r.When = append(r.When, harvest.Kind(word))
	}
	if f := numberOf(n.Get("factor")); f > 1 { // 1 is what is meant without
		r.Factor = f
	}
	if s, err := values.Share(textAt(n, "jitter")); err == nil {
		r.Jitter = s
	}
	r.ByAge = decodeAges(n.Get("by_age"))
	return r
}

func decodeAges(n *yamltree.Node) []retry.AgeStep {
	if !n.IsMap() {
		return nil
	}
	var out []retry.AgeStep
	for _, m := range n.Members {
		until, err := times.ParseDuration(m.Key)
		if err == nil {
			out = append(out, retry.AgeStep{Until: until, Wait: durationAt(n, m.Key)})
		}
	}
	slices.SortFunc(out, func(a, b retry.AgeStep) int { return cmp.Compare(a.Until, b.Until) })
	return out
}
