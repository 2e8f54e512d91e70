package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxDetails and maxLines bound the current details: they travel in an
	// address, which proxies cut and every access log on the way keeps.
	maxDetails = 1200
	maxLines   = 9
	// showEvery is how often they may change while nothing special happens.
	showEvery = 5 * time.Second
)

// shown is what was shown last.
type shown struct {
	at   time.Time
	text string
	word string // what the run was doing
}

// show sets the current details, at most every showEvery unless the run does
// something else than before, or has just changed its ways.
func (r *run) show(ctx workflow.Context, changed bool) {
	now := workflow.Now(ctx)
	if !changed && r.word() == r.shown.word && now.Sub(r.shown.at) < showEvery {
		return
	}
	r.set(ctx, details(r.head(), r.seen(), r.tail(now)))
}

// showResult shows what the store has counted: what came with an attempt that did
// not return, the run itself has not.
func (r *run) showResult(ctx workflow.Context, sum steps.Summary) {
	known := r.state.Tally.New
	if len(sum.Items) > 0 {
		r.state.Closed, r.state.Tally = closedItems(sum), sum.Documents.Tally()
	}
	head := r.headline(string(sum.Outcome)) + said(sum.Ending)
	rows := r.seen()
	if len(sum.Items) > 0 && (known != sum.Documents.New || rows.items() != r.state.Closed) {
		rows = table{outcomeRows(sum.Items), false}
	}
	tail := strings.Join(sum.LookAt, " · ")
	if tail == "" {
		tail = sum.Why
	}
	r.set(ctx, details(head, rows, tail))
}

// said is how the run ended, at the end of its headline.
func said(e outcomes.Ending) string {
	if e == "" {
		return ""
	}
	return " · " + e.Words()
}

// closedItems counts the items that came to an end of their own.
func closedItems(sum steps.Summary) (n int) {
	for _, o := range outcomes.All() {
		if o != outcomes.Cancelled {
			n += sum.Items[o]
		}
	}
	return n
}

func (r *run) set(ctx workflow.Context, text string) {
	if text == r.shown.text {
		return
	}
	r.shown = shown{at: workflow.Now(ctx), text: text, word: r.word()}
	workflow.SetCurrentDetails(ctx, text)
}

func (r *run) head() string {
	switch {
	case r.over:
		return r.headline(r.word())
	case r.state.Run.Busy != "", r.state.Run.Run == 0, len(r.state.Run.Ask) > 0:
		return "**" + r.word() + "**" // nothing is known to count
	default:
		return r.headline(r.word())
	}
}

// word says what the run is doing.
func (r *run) word() string {
	switch {
	case r.over:
		return "closing"
	case r.state.Run.Busy != "":
		return "waiting in line"
	case r.state.Run.Run == 0:
		return "at the gate"
	case len(r.state.Run.Ask) > 0:
		return "asking for items"
	case r.state.Paused != "":
		return "paused"
	case len(r.running) == 0 && len(r.state.Pending) > 0:
		return "resting"
	default:
		return "running"
	}
}

// headline is "**running** 101 of 130 · 2,418 new · 9 changed".
func (r *run) headline(word string) string {
	if r.state.Run.Run == 0 {
		return "**" + word + "**"
	}
	t := r.state.Tally
	line := fmt.Sprintf("**%s** %s of %s · %s new · %s changed", word, wording.Number(r.state.Closed), wording.Number(r.state.Run.Items), wording.Number(t.New), wording.Number(t.Changed))
	if t.Deleted > 0 {
		line += fmt.Sprintf(" · %s deleted", wording.Number(t.Deleted))
	}
	if t.Quarantined > 0 {
		line += fmt.Sprintf(" · %s quarantined", wording.Number(t.Quarantined))
	}
	return line
}

// tail is what is waited for.
func (r *run) tail(now time.Time) string {
	switch {
	case r.state.Paused != "":
		return "paused " + r.state.Paused
	case r.state.Run.Busy != "":
		return "waits for " + r.state.Run.Busy
	case r.state.Trouble != "":
		return r.troubles()
	}
	first := earliest(r.state.Pending, now, time.Time{})
	if first < 0 {
		return ""
	}
	return restSummary(r.state.Pending, first, now)
}

// table has one line per outcome, with what was new where that is known.
type table struct {
	rows []row
	new  bool
}

type row struct {
	outcome outcomes.Outcome
	n, new  int
}

func (r *run) seen() table {
	t := table{new: true}
	for _, o := range outcomes.All() {
		if s := r.state.Seen[o]; s.Items > 0 {
			t.rows = append(t.rows, row{outcome: o, n: s.Items, new: s.New})
		}
	}
	return t
}

func (t table) items() (n int) {
	for _, r := range t.rows {
		n += r.n
	}
	return n
}

func outcomeRows(items map[outcomes.Outcome]int) []row {
	var rows []row
	for _, o := range outcomes.All() {
		if n := items[o]; n > 0 {
			rows = append(rows, row{outcome: o, n: n})
		}
	}
	return rows
}

// details puts the page together in Markdown. Of a table that is too long the
// end stays: it stands in the order of what needs attention.
func details(head string, t table, tail string) string {
	lines := []string{head}
	room := maxLines - 4
	if tail != "" {
		room -= 2
	}
	if len(t.rows) > 0 {
		lines = append(lines, "", t.line("outcome", "items", "new"), t.line("---", "---:", "---:"))
		for _, r := range t.rows[max(0, len(t.rows)-room):] {
			lines = append(lines, t.line(string(r.outcome), wording.Number(r.n), wording.Number(r.new)))
		}
	}
	if tail != "" {
		lines = append(lines, "", plain(tail, maxDetails/2))
	}
	return strings.Join(lines, "\n")
}

func (t table) line(name, n, documents string) string {
	if !t.new {
		return fmt.Sprintf("| %s | %s |", name, n)
	}
	return fmt.Sprintf("| %s | %s | %s |", name, n, documents)
}
