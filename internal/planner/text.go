package planner

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// TextOptions are what a plan's text needs besides the plan.
type TextOptions struct {
	// Target is printed first, if set: the server and store that would change.
	Target string
	// Paths are the files as given, for the command line that applies the plan.
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
	parts = append(parts, wording.Count(p.Files, "file"), wording.Count(len(p.Changes), "campaign")+": "+strings.Join(counts, " "))
	return "project  " + strings.Join(parts, " · ")
}

// Columns of a change's lines.
const (
	indent = 4
	label  = 14
)

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

func (s *screen) gone(c Change, prune bool) {
	text := "no longer in any file: apply --prune would remove it and its schedule"
	switch {
	case c.Why != "":
		text = c.Why + ": apply deletes it"
	case prune:
		text = "no longer in any file: apply removes it and its schedule"
	}
	if c.Why == "" {
		stay := "checkpoints and documents stay"
		if c.Documents > 0 {
			stay = "checkpoints and " + wording.Number(c.Documents) + " documents stay"
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
	}
	if i.Note != "" && len(i.Rows) == 0 {
		return
	}
	s.sides(strings.Repeat(" ", indent)+pad("split", label)+fmt.Sprintf("%s -> %s", wording.Number(int64(i.Old)), wording.Count(i.New, "item")), i.File)
	for _, r := range i.Rows[:min(len(i.Rows), mostRows)] {
		s.wrapped("      "+string(r.Mark)+" "+pad(r.Key, 21)+" ", r.Text, 30)
	}
	if more := len(i.Rows) - mostRows; more > 0 {
		s.line(fmt.Sprintf("      … and %s more", wording.Number(int64(more))))
	}
}

func (e Estimate) words() string {
	var parts []string
	if e.Hosts > 0 {
		parts = append(parts, wording.Count(e.Hosts, "host"))
	}
	more := ""
	if e.Asked {
		more = " and more"
	}
	parts = append(parts, wording.Count(e.Items, "item")+more)
	if e.RequestsPerDay > 0 {
		word := map[bool]string{true: "about ", false: "at least "}[e.Seen]
		parts = append(parts, word+wording.Count(e.RequestsPerDay, "request")+"/day")
	}
	if e.ActionsPerMonth > 0 {
		parts = append(parts, thousands(e.ActionsPerMonth)+" Temporal actions/month"+more)
	}
	if len(e.Budget) > 0 {
		parts = append(parts, "budget: "+BudgetWords(e.Budget))
	}
	return strings.Join(parts, " · ")
}

// thousands formats an estimate: 51k for 51,432.
func thousands(n int) string {
	if n < 10000 {
		return wording.Number(int64(n))
	}
	return wording.Number(int64((n+500)/1000)) + "k"
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

func (s *screen) end(p *Plan, paths []string) {
	s.line("")
	if blocked := p.Blocked(); len(blocked) > 0 {
		s.wrapped("", "Nothing was changed, and nothing can be applied before "+wording.Count(len(blocked), "BLOCKED line")+" is settled.", 0)
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
	s.line("Nothing was changed. To apply: " + strings.Join(command, " ") + " --plan " + p.Digest[:minPlan])
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
		parts = append(parts, wording.Count(d.Moved, "checkpoint")+" moved along")
	}
	return string(d.Mark) + " " + d.Name + "  " + strings.Join(parts, " · ")
}
