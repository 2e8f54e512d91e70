package rollout

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// width is how many columns a plan takes.
const width = 80

// TextOptions are what a plan's text needs besides the plan.
type TextOptions struct {
	// Target is printed first, if given: what would be touched.
	Target string
	// Paths are the files as they were given, for the command that applies.
	Paths []string
}

// Text writes the plan for people. The JSON of Plan is for programs.
func (p *Plan) Text(w io.Writer, o TextOptions) error {
	s := &screen{}
	if o.Target != "" {
		s.line("target   " + o.Target)
	}
	s.line(p.headline())
	s.line("")
	for _, m := range []Mark{MarkChanged, MarkNew, MarkDrift, MarkGone} {
		for _, c := range p.Changes {
			if c.Mark == m {
				s.change(c, p.Prune)
			}
		}
	}
	s.hosts(p.Hosts)
	s.same(p.Changes)
	s.fires(p.Changes)
	if c := p.Busiest; c != nil {
		s.wrapped("  ", fmt.Sprintf("busiest: %s, %d campaigns at once, spread over minutes unless their jitter is 0", fires([]time.Time{c.At}), c.Campaigns), 2)
	}
	s.end(p, o.Paths)
	_, err := io.WriteString(w, s.String())
	return err
}

func (p *Plan) headline() string {
	var parts []string
	if p.Project != "" {
		parts = append(parts, p.Project)
	}
	var counts []string
	for _, c := range []struct {
		mark Mark
		word string
	}{{MarkNew, "new"}, {MarkChanged, "change"}, {MarkDrift, "drift"}, {MarkGone, "prune"}} {
		if n := p.Count(c.mark); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, c.word))
		}
	}
	if len(counts) == 0 {
		counts = append(counts, "no change")
	}
	parts = append(parts, plural(p.Files, "file"), plural(len(p.Changes), "campaign")+": "+strings.Join(counts, " "))
	return "project  " + strings.Join(parts, " · ")
}

// screen collects lines of at most width columns.
type screen struct{ strings.Builder }

func (s *screen) line(text string) { s.WriteString(strings.TrimRight(text, " ") + "\n") }

// Columns of a change's lines.
const (
	indent = 4
	label  = 14
)

// field writes a label and its text, wrapped under itself.
func (s *screen) field(name, text string) {
	s.wrapped(strings.Repeat(" ", indent)+pad(name, label), text, indent+label)
}

// wrapped writes words behind a beginning; further lines begin at a column.
func (s *screen) wrapped(begin, text string, column int) {
	at := begin
	if utf8.RuneCountInString(begin) > column {
		at += "  "
	}
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(at)+1+utf8.RuneCountInString(word) > width {
			s.line(at)
			at, empty = strings.Repeat(" ", column), true
		}
		if !empty {
			at += " "
		}
		at, empty = at+word, false
	}
	s.line(at)
}

func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(text)))
}

// sides writes left and right to the two ends of a line.
func (s *screen) sides(left, right string) {
	gap := width - 2 - utf8.RuneCountInString(left) - utf8.RuneCountInString(right)
	s.line(left + strings.Repeat(" ", max(2, gap)) + right)
}

func (s *screen) change(c Change, prune bool) {
	where := c.File
	if c.Line > 0 {
		where = fmt.Sprintf("%s:%d", c.File, c.Line)
	}
	title := string(c.Mark) + " " + c.Name
	if c.Mark == MarkGone {
		s.gone(c, prune)
		return
	}
	s.sides(title, where)
	if c.Blocked != "" {
		s.field("BLOCKED", c.Blocked)
	}
	if c.Was != "" {
		s.field("was", c.Was+": its checkpoints and documents come along")
	}
	for _, d := range c.Differences {
		s.field(d.Path, orNone(d.Old)+" -> "+orNone(d.New))
	}
	for _, i := range c.Items {
		s.items(i)
	}
	if c.Why != "" {
		s.field("!", c.Why)
	}
	for _, d := range c.Drift {
		s.field(d.Path, orNone(d.Old)+" there, "+orNone(d.New)+" here: apply puts it back")
	}
	if c.Paused != "" {
		s.field("paused", c.Paused)
	}
	if c.Mark == MarkNew && len(c.Next) > 0 {
		s.field("next", firesText(c.Next, width-indent-label))
	}
	if c.Estimate != nil {
		s.field("estimate", c.Estimate.words())
	}
	for _, w := range c.Warnings {
		s.field("note", w)
	}
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return text
}

func (s *screen) gone(c Change, prune bool) {
	text := "in no file any more: apply --prune would remove it and its schedule"
	switch {
	case c.Why != "":
		text = c.Why + ": apply deletes it"
	case prune:
		text = "in no file any more: apply removes it and its schedule"
	}
	if c.Why == "" {
		stay := "checkpoints and documents stay"
		if c.Documents > 0 {
			stay = "checkpoints and " + number(c.Documents) + " documents stay"
		}
		text += " (" + stay + ")"
	}
	s.wrapped(pad("- "+c.Name, indent+label-1)+" ", text, indent+label)
}

// mostRows is how many rows of a list a plan's text shows.
const mostRows = 8

func (s *screen) items(i ItemChange) {
	if i.Note != "" {
		s.field("items", strings.TrimPrefix(i.Entry+": ", ": ")+i.Note)
		return
	}
	s.sides(strings.Repeat(" ", indent)+pad("split", label)+fmt.Sprintf("%s -> %s", number(int64(i.Old)), plural(i.New, "item")), i.File)
	for _, r := range i.Rows[:min(len(i.Rows), mostRows)] {
		s.wrapped("      "+string(r.Mark)+" "+pad(r.Key, 21)+" ", r.Text, 30)
	}
	if more := len(i.Rows) - mostRows; more > 0 {
		s.line(fmt.Sprintf("      … and %s more", number(int64(more))))
	}
}

func (e Estimate) words() string {
	var parts []string
	if e.Hosts > 0 {
		parts = append(parts, plural(e.Hosts, "host"))
	}
	more := ""
	if e.Asked {
		more = " and more"
	}
	parts = append(parts, plural(e.Items, "item")+more)
	if e.RequestsPerDay > 0 {
		parts = append(parts, plural(e.RequestsPerDay, "request")+"/day"+more)
	}
	if e.ActionsPerMonth > 0 {
		parts = append(parts, thousands(e.ActionsPerMonth)+" Temporal actions/month"+more)
	}
	return strings.Join(parts, " · ")
}

// thousands writes 51k for 51,432: it is an estimate.
func thousands(n int) string {
	if n < 10000 {
		return number(int64(n))
	}
	return number(int64((n+500)/1000)) + "k"
}

func (s *screen) hosts(hosts []Difference) {
	if len(hosts) == 0 {
		return
	}
	s.line("~ hosts")
	for _, d := range hosts {
		s.field(d.Path, orNone(d.Old)+" -> "+orNone(d.New))
	}
}

func (s *screen) same(changes []Change) {
	var names []string
	for _, c := range changes {
		if c.Mark == MarkSame {
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		s.wrapped("= ", strings.Join(names, ", ")+"  no change", 2)
	}
}

// mostFires is how many campaigns' fires a plan shows.
const mostFires = 12

func (s *screen) fires(changes []Change) {
	coming := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return len(c.Next) == 0 || c.Mark == MarkNew })
	if len(coming) == 0 {
		return
	}
	slices.SortStableFunc(coming, func(a, b Change) int { return a.Next[0].Compare(b.Next[0]) })
	s.line("")
	s.line("next fires")
	column := 2
	for _, c := range coming[:min(len(coming), mostFires)] {
		column = max(column, len(c.Name)+4)
	}
	column = min(column, 26)
	for _, c := range coming[:min(len(coming), mostFires)] {
		s.line(pad("  "+c.Name, column) + firesText(c.Next, width-max(column, len(c.Name)+2)))
	}
	if more := len(coming) - mostFires; more > 0 {
		s.line("  … and " + plural(more, "more campaign"))
	}
}

// firesText writes as many fires as fit: "Sat 9 May 18:00 · Sat 16 · Sat 6 June
// CEST". What is as it was before is left out.
func firesText(next []time.Time, room int) string {
	for n := len(next); n > 1; n-- {
		if text := fires(next[:n]); utf8.RuneCountInString(text) <= room {
			return text
		}
	}
	return fires(next[:1])
}

func fires(next []time.Time) string {
	parts := make([]string, 0, len(next))
	var last time.Time
	for _, t := range next {
		parts = append(parts, fireText(t, last))
		last = t
	}
	zone, _ := next[0].Zone()
	return strings.Join(parts, " · ") + " " + zone
}

func fireText(t, last time.Time) string {
	var words []string
	if last.IsZero() || t.YearDay() != last.YearDay() || t.Year() != last.Year() {
		words = append(words, t.Format("Mon 2"))
		if last.IsZero() || t.Month() != last.Month() {
			words = append(words, t.Format("Jan"))
		}
		if !last.IsZero() && t.Year() != last.Year() {
			words = append(words, t.Format("2006"))
		}
	}
	if clock := t.Format("15:04"); len(words) == 0 || last.IsZero() || clock != last.Format("15:04") {
		words = append(words, clock)
	}
	return strings.Join(words, " ")
}

func (s *screen) end(p *Plan, paths []string) {
	s.line("")
	if blocked := p.Blocked(); len(blocked) > 0 {
		s.wrapped("", "Nothing was changed, and nothing can be applied before "+plural(len(blocked), "BLOCKED line")+" is settled.", 0)
		return
	}
	if !p.Pending() {
		s.line("Nothing to do.")
		return
	}
	command := append([]string{"starter campaigns apply"}, paths...)
	if p.Prune {
		command = append(command, "--prune")
	}
	s.line("Nothing was changed. Do it: " + strings.Join(command, " ") + " --plan " + p.Digest[:minPlan])
}

// String is the line that apply prints for a campaign.
func (d Done) String() string {
	words := map[Action]string{ActionCreate: "schedule made", ActionUpdate: "schedule updated", ActionDelete: "schedule deleted"}
	parts := []string{}
	if d.Definition != "" {
		parts = append(parts, d.Definition)
	} else {
		parts = append(parts, "removed")
	}
	if word := words[d.Action]; word != "" {
		parts = append(parts, word)
	}
	if d.Moved > 0 {
		parts = append(parts, plural(d.Moved, "checkpoint")+" moved along")
	}
	return string(d.Mark) + " " + d.Name + "  " + strings.Join(parts, " · ")
}
