package campaigns

import (
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

// AdhocPrefix and RegistryPrefix begin the names of campaigns that no file
// makes.
const (
	AdhocPrefix    = "adhoc-"
	RegistryPrefix = "reg-"
)

// names keeps campaigns apart over all files.
type names struct {
	report *report
	taken  map[string]yamltree.Pos
	was    []formerName
}

type formerName struct {
	at       yamltree.Pos
	old, new string
}

func newNames(r *report) *names { return &names{report: r, taken: map[string]yamltree.Pos{}} }

// campaign reports whether the name is free, and keeps it and its former ones.
func (n *names) campaign(m yamltree.Member) bool {
	for _, prefix := range []string{AdhocPrefix, RegistryPrefix} {
		if strings.HasPrefix(m.Key, prefix) {
			n.report.add(m.At, "", fmt.Sprintf("campaign %s: names that begin with %s are made by other means; choose another", m.Key, prefix))
			return false
		}
	}
	if first, twice := n.taken[m.Key]; twice {
		n.report.add(m.At, "", fmt.Sprintf("campaign %s is also at %s:%d; each stands once", m.Key, first.File, first.Line))
		return false
	}
	n.taken[m.Key] = m.At
	was := m.Value.Get("was")
	for _, old := range textsAt(m.Value, "was") {
		n.was = append(n.was, formerName{at: was.Pos, old: old, new: m.Key})
	}
	return true
}

// former checks the former names once all campaigns are known: state can move
// to one place only, and not away from a campaign that is still there.
func (n *names) former() {
	claimed := map[string]string{}
	for _, f := range n.was {
		at, alive := n.taken[f.old]
		switch {
		case f.old == f.new:
			n.report.add(f.at, f.new+".was", "is the name it has now")
		case alive:
			n.report.add(f.at, f.new+".was", fmt.Sprintf("%s is still a campaign, at %s:%d", f.old, at.File, at.Line))
		case claimed[f.old] != "" && claimed[f.old] != f.new:
			n.report.add(f.at, f.new+".was", fmt.Sprintf("%s moved to %s already; its state can go to one place only", f.old, claimed[f.old]))
		}
		claimed[f.old] = f.new
	}
}

// formerEntries does the same for the entries of one campaign.
func (b *build) formerEntries(entries []*yamltree.Node, names map[string]yamltree.Pos) {
	claimed := map[string]bool{}
	for _, e := range entries {
		for _, old := range textsAt(e, "was") {
			at := e.Get("was").Pos
			switch _, alive := names[old]; {
			case values.Name(old) != nil:
			case alive:
				b.report.add(at, b.name+".fetchers.was", old+" is the name of an entry that is there now")
			case claimed[old]:
				b.report.add(at, b.name+".fetchers.was", old+" moved to another entry already; its state can go to one place only")
			}
			claimed[old] = true
		}
	}
}
