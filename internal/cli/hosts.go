package cli

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func newHosts(p *program) *cobra.Command {
	return group("hosts", "The servers that are asked, and how they are treated",
		"A host has one truth for all campaigns and workers: its gap, its connections,\nrobots.txt, who paused it, and until when it asked to be left alone.",
		"  starter hosts list --unhealthy",
		newHostsList(p), newHostsShow(p), newHostsPause(p), newHostsResume(p))
}

// hostView is a host with what holds for it and how its items fare.
type hostView struct {
	rows.Host
	Items int `json:"items"`
	// Bad counts the items whose last end needs a look.
	Bad   int    `json:"bad"`
	State string `json:"state"` // open, slowed, resting, paused
	items []rows.Item
}

// hosts returns every host that a file names, that an item lives on, or that
// rests, is slowed or paused; those with a state of their own first.
func (p *program) hosts(ctx context.Context, s Store) ([]hostView, error) {
	known, err := s.Hosts(ctx)
	if err != nil {
		return nil, err
	}
	items, err := s.Items(ctx, rows.ItemsFilter{})
	if err != nil {
		return nil, err
	}
	byName := map[string]*hostView{}
	at := func(name string) *hostView {
		if byName[name] == nil {
			byName[name] = &hostView{Host: rows.Host{Name: name}}
		}
		return byName[name]
	}
	for _, h := range known {
		at(h.Name).Host = h
	}
	for _, it := range items {
		if it.Host != "" {
			at(it.Host).take(it)
		}
	}
	return p.ordered(byName), nil
}

func (v *hostView) take(it rows.Item) {
	v.Items++
	if it.Outcome != "" && it.Outcome.Severity() != harvest.OK {
		v.Bad++
	}
	v.items = append(v.items, it)
}

func (p *program) ordered(byName map[string]*hostView) []hostView {
	all := make([]hostView, 0, len(byName))
	for _, v := range byName {
		v.State = hostState(v.Host, p.env.Now())
		all = append(all, *v)
	}
	slices.SortFunc(all, func(a, b hostView) int {
		return cmp.Or(cmp.Compare(hostRank(a), hostRank(b)), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// hostRank puts first what somebody or something holds up, then what somebody
// said, then the others.
func hostRank(v hostView) int {
	switch {
	case v.State != "open":
		return 0
	case v.Source != "":
		return 1
	default:
		return 2
	}
}

func hostState(h rows.Host, now time.Time) string {
	switch {
	case h.Paused.Holds(now):
		return "paused"
	case h.RestUntil.After(now):
		return "resting"
	case h.Slow > 0:
		return "slowed"
	default:
		return "open"
	}
}
