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
