package diagnose

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// broughtLines are what was asked, what came, what came at other times, what that
// means and what happens next.
func broughtLines(f Facts) []Line {
	var out []Line
	if f.Item == nil && f.Run.Items != 1 {
		out = itemLines(f.Run.Look, f.Clock)
	}
	out = append(out, askedLine(f)...)
	out = append(out, foundLine(f)...)
	out = append(out, goodLine(f)...)
	out = append(out, usualLine(f)...)
	out = append(out, soLines(f)...)
	out = append(out, failureLines(f)...)
	out = append(out, ownLines(f)...)
	out = append(out, nextLine(f)...)
	return append(out, Line{"see", "starter runs show " + f.Run.WorkflowID})
}

// itemLines names the first items that need attention.
func itemLines(items []rows.RunItem, c print.Clock) []Line {
	var out []Line
	for _, it := range items[:min(5, len(items))] {
		text := fmt.Sprintf("%s: %s", it.Key, it.Outcome)
		if it.Why != "" {
			text += ", " + c.Reason(it.Why)
		}
		if it.Error != "" {
			text += ": " + c.Local(it.Error)
		}
		out = append(out, Line{"item", text})
	}
	if n := len(items) - 5; n > 0 {
		out = append(out, Line{"", fmt.Sprintf("and %s more", print.Number(n))})
	}
	return out
}

// askedLine is the last request of the item to look at.
func askedLine(f Facts) []Line {
	it := f.focus()
	if it == nil || it.Asked == nil {
		return nil
	}
	a := it.Asked
	parts := []string{a.Method + " " + pathOf(a.URL)}
	switch {
	case a.Status > 0:
		parts = append(parts, fmt.Sprint(a.Status))
	case a.Kind == harvest.KindBlocked:
		parts = append(parts, "not sent")
	default:
		parts = append(parts, "no answer")
	}
	if a.Bytes > 0 {
		parts = append(parts, print.Bytes(a.Bytes))
	}
	if parts = append(parts, f.Clock.Near(a.At)); a.Note != "" {
		parts = append(parts, a.Note)
	}
	return []Line{{"asked", strings.Join(parts, " · ")}}
}

// pathOf is an address without what the host says already.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Host + u.RequestURI()
}

// foundLine is what came, where no line has said it.
func foundLine(f Facts) []Line {
	it := f.focus()
	if it == nil || f.Item == nil && f.Run.Items != 1 {
		return nil
	}
	text := f.Clock.Local(it.Error)
	if text == "" && f.Item == nil {
		text = f.Clock.Reason(it.Why)
	}
	if f.unread(it.Key) && strings.Contains(text, " unread since ") {
		text = "" // a line of its own says so
	}
	if text == "" && it.Seq > 0 {
		text = fmt.Sprintf("%s listed, %s new, %s changed, %s the same", print.Number(it.Tally.Listed), print.Number(it.Tally.New), print.Number(it.Tally.Changed), print.Number(it.Tally.Same))
	}
	if text == "" {
		return nil
	}
	return []Line{{"found", text}}
}

// goodLine is the same item when it ended well.
func goodLine(f Facts) []Line {
	it := f.focus()
	if it == nil || it.Good == nil {
		return nil
	}
	return []Line{{"before", fmt.Sprintf("%s, %s listed, %s new · %s", it.Good.Outcome, print.Number(it.Good.Tally.Listed), print.Number(it.Good.Tally.New), f.Clock.Full(it.GoodAt))}}
}

// soLines says in a sentence what each outcome means, the worst first.
func soLines(f Facts) []Line {
	came := []outcomes.Outcome{f.came()}
	if f.Item == nil && len(f.Run.Look) > 0 {
		came = nil
		for _, it := range f.Run.Look[:min(5, len(f.Run.Look))] {
			came = append(came, it.Outcome)
		}
	}
	told := map[outcomes.Outcome]bool{}
	var out []Line
	for _, o := range came {
		if m := Meaning(o); m != "" && !told[o] {
			told[o] = true
			out = append(out, Line{"so", m})
		}
	}
	return out
}

// Meaning says what an outcome means for somebody who looks for the cause.
func Meaning(o outcomes.Outcome) string {
	switch o {
	case outcomes.Empty:
		return "the source answered and listed nothing, where it always listed something"
	case outcomes.Broken:
		return "the page is there, and is not what was expected: changed shape, not \"nothing new\""
	case outcomes.Blocked:
		return "the source refuses us (401, 403, a challenge page or robots.txt)"
	case outcomes.Gone:
		return "the address no longer exists (404, 410, a set that vanished)"
	case outcomes.Throttled:
		return "the source asked for more rest than the run had time"
	case outcomes.Partial:
		return "some records or pages are missing; the rest is stored"
	case outcomes.Misconfigured:
		return "only a change of the campaign file can help"
	default:
		return ""
	}
}

// failureLines are what is unread, or came in place of an answer, with the
// commands that settle it.
func failureLines(f Facts) []Line {
	var records, answers []rows.Failure
	for _, x := range f.Run.Failures {
		if x.Answer {
			answers = append(answers, x)
		} else {
			records = append(records, x)
		}
	}
	var out []Line
	if len(answers) > 0 && bad(f.came()) {
		out = append(out, Line{"evidence", fmt.Sprintf("what came instead: starter failures show q-%d --body", answers[0].ID)})
	}
	if len(records) == 0 {
		return out
	}
	first, since := records[0], records[0].Since
	for _, x := range records {
		if x.Since.Before(since) {
			since = x.Since
		}
	}
	which := "--campaign " + first.Item.Campaign
	if f.Item != nil {
		which += " --item " + first.Item.Key
	}
	return append(out,
		Line{"unread", fmt.Sprintf("%s since %s: %s; starter failures show q-%d", print.Count(len(records), "record"), f.Clock.Full(since), first.Reason, first.ID)},
		Line{"then", fmt.Sprintf("starter failures retry %[1]s, or starter failures accept %[1]s", which)})
}
