package runs

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// lookScreen is one item that needs attention: what, each attempt, why, and what
// happens next by itself.
func lookScreen(v runView, it *itemView, c print.Clock) string {
	var b strings.Builder
	name := print.Middle(print.Clean(watch.LabelOf(it.RunItem)), 44)
	head := print.Pad(print.Pad(name, 23)+strings.ToUpper(itemWord(it.RunItem)), 34)
	b.WriteString(head + print.Wrap(itemLine(it, c), len([]rune(head)), 11) + "\n")
	b.WriteString(attemptLines(it, c))
	line := func(name, text string) {
		if text != "" {
			b.WriteString("  " + print.Pad(name, 11) + print.Wrap(text, 13, 13) + "\n")
		}
	}
	line("evidence", evidenceLine(it.Evidence))
	for _, w := range it.Warnings {
		line("warning", w)
	}
	line("why", whyLine(v, it, c))
	line("then", thenLine(v, it, c))
	return b.String()
}

func itemLine(it *itemView, c print.Clock) string {
	if it.Outcome == outcomes.Partial && len(it.Attempted) == 0 {
		return "could not be asked for"
	}
	if it.Outcome == outcomes.Partial {
		text := fmt.Sprintf("%s entries listed, %s new", print.Number(it.Tally.Listed), print.Number(it.Tally.New))
		if it.Tally.Quarantined > 0 {
			text += fmt.Sprintf(", %s could not be read", print.Number(it.Tally.Quarantined))
		}
		return text
	}
	text := print.Count(it.Tally.Documents(), "document")
	if !it.LastGood.IsZero() {
		return text + "; last good " + c.Near(it.LastGood)
	}
	return text + "; never good so far"
}

// attemptLines shows the attempts, of many the first and the last three.
func attemptLines(it *itemView, c print.Clock) string {
	var b strings.Builder
	for i, a := range it.Attempted {
		if n := len(it.Attempted); n > 6 && i > 0 && i < n-3 {
			if i == 1 {
				fmt.Fprintf(&b, "  ... %s more\n", print.Number(n-4))
			}
			continue
		}
		status := "---"
		if a.Status > 0 {
			status = fmt.Sprint(a.Status)
		}
		head := fmt.Sprintf("  attempt %-2d %s  %-8s  %s  ", a.N, c.Time(a.At), print.Middle(a.Worker, 18), status)
		b.WriteString(strings.TrimRight(head+print.Wrap(attemptText(a, it, i == len(it.Attempted)-1), len([]rune(head)), 13), " ") + "\n")
	}
	return b.String()
}

func attemptText(a attempt, it *itemView, last bool) string {
	switch {
	case a.RetryAfter > 0:
		return "Retry-After " + retryAfter(a.RetryAfter)
	case a.Error != "":
		return a.Error
	}
	text := ""
	if a.Bytes > 0 || a.Status < 300 {
		text = print.Bytes(a.Bytes)
	}
	if a.Requests > 1 {
		text += " after " + print.Count(a.Requests-1, "request")
	}
	switch {
	case last && len(it.Evidence) == 1:
		text += "  1 entry: " + it.Evidence[0].Reason
	case last && len(it.Evidence) > 1:
		text += "  " + print.Number(len(it.Evidence)) + " entries: " + it.Evidence[0].Reason
	case a.Note != "":
		text += "  " + a.Note
	case a.Kind != "":
		text += "  " + string(a.Kind)
	}
	return strings.TrimSpace(text)
}

// retryAfter writes what a source asked for as it likely wrote it: 60s, 3h.
func retryAfter(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return print.Duration(d)
}

func evidenceLine(e []evidence) string {
	if len(e) == 0 {
		return ""
	}
	var ids []string
	for _, x := range e[:min(6, len(e))] {
		ids = append(ids, scope.FailureRef(x.ID))
	}
	text := strings.Join(ids, " ")
	if len(e) > 6 {
		text += fmt.Sprintf(" and %s more", print.Number(len(e)-6))
	}
	return text + "    starter failures show " + scope.FailureRef(e[0].ID)
}

func whyLine(v runView, it *itemView, c print.Clock) string {
	switch {
	case it.Outcome == outcomes.Partial:
		return c.Local(cmp.Or(it.Error, c.Reason(it.Why)))
	case !it.RestUntil.IsZero() && it.Why == string(outcomes.WhyNextTick):
		return fmt.Sprintf("the host wants rest until %s; this run must end by %s (%s)", c.Near(it.RestUntil), c.Near(v.Deadline), untilOrigin(v))
	case it.Why == string(outcomes.WhyNextTick) && it.Error == "" && len(it.Attempted) == 0:
		return fmt.Sprintf("its turn had not come at %s, when this run had to end (%s)", c.Near(v.Deadline), untilOrigin(v))
	case it.Why == string(outcomes.WhyNextTick) && strings.Contains(it.Error, "the run had to end"):
		return fmt.Sprintf("%s (%s)", it.Error, untilOrigin(v))
	case it.Why == string(outcomes.WhyNextTick):
		return fmt.Sprintf("the next attempt would come after %s, when this run must end (%s)", c.Near(v.Deadline), untilOrigin(v))
	case it.Error != "" && !toldByAttempt(it):
		return strings.TrimPrefix(c.Reason(it.Why)+": ", ": ") + it.Error
	default:
		return c.Reason(it.Why)
	}
}

// toldByAttempt: the last attempt's line has said it.
func toldByAttempt(it *itemView) bool {
	n := len(it.Attempted)
	return n > 0 && it.Attempted[n-1].Error != "" && strings.Contains(it.Error, it.Attempted[n-1].Error)
}

func untilOrigin(v runView) string {
	what := "its deadline"
	if v.campaign.Timeouts.UntilNext {
		what = "timeouts.run: until_next"
	} else if v.campaign.Timeouts.Run > 0 {
		what = "timeouts.run: " + print.Duration(v.campaign.Timeouts.Run)
	}
	if at := print.Place(v.Definition.File, v.Definition.Line); at != "" {
		return what + ", " + at
	}
	return what
}

// thenLine says what happens next without anybody doing anything, and the
// command for those who want more.
func thenLine(v runView, it *itemView, c print.Clock) string {
	retry := "now: starter runs retry " + v.WorkflowID
	switch it.Outcome {
	case outcomes.Partial:
		if len(it.Evidence) > 0 {
			return fmt.Sprintf("the item stays partial until they are read or accepted: starter failures retry|accept --campaign %s --item %s", v.Campaign, it.Key)
		}
		if len(it.Attempted) == 0 {
			return "this run took the last list that came; the next run asks for it again"
		}
		return "the next run goes on from the checkpoint"
	case outcomes.Misconfigured:
		return "nothing by itself: correct the campaign file, then starter campaigns apply"
	case outcomes.Gone:
		return "asked again at the next run; if it has moved, change its address (the key keeps the checkpoint)"
	}
	if !it.RestUntil.IsZero() {
		return restThen(v, it, c)
	}
	if next := nextFires(v, c, 1); len(next) > 0 {
		return "the run at " + c.Near(next[0]) + " goes on from the checkpoint; " + retry
	}
	return "nothing by itself, there is no schedule; " + retry
}

// restThen tells which of the next runs skips the item and which one takes it.
func restThen(v runView, it *itemView, c print.Clock) string {
	text := fmt.Sprintf("%s rests until %s for all workers", it.Host, c.Near(it.RestUntil))
	skipped := time.Time{}
	for _, t := range nextFires(v, c, 50) {
		if t.Before(it.RestUntil) {
			if skipped.IsZero() {
				skipped = t
			}
			continue
		}
		if !skipped.IsZero() {
			text += "; the run at " + c.Near(skipped) + " skips this item"
		}
		return text + ", the run at " + c.Near(t) + " takes it; checkpoint kept"
	}
	return text + "; checkpoint kept"
}

func nextFires(v runView, c print.Clock, n int) []time.Time {
	if v.campaign.Schedule == nil {
		return nil
	}
	return v.campaign.Schedule.Next(c.Now(), n)
}
