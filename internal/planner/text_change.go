package planner

import (
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/internal/wording"
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
