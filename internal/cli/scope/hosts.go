package scope

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// HostView is a host with what holds for it and how its items fare.
type HostView struct {
	rows.Host
	Items int `json:"items"`
	// Bad counts the items whose last end needs attention.
	Bad   int         `json:"bad"`
	State string      `json:"state"` // open, slowed, resting, paused
	On    []rows.Item `json:"-"`     // the items themselves
}

// Hosts returns every host that a file names, that an item lives on, or that
// rests, is slowed or paused; those with a state of their own first.
func Hosts(ctx context.Context, p *program.Program, s program.Store) ([]HostView, error) {
	known, err := s.Hosts(ctx)
	if err != nil {
		return nil, err
	}
	items, err := s.Items(ctx, rows.ItemsFilter{})
	if err != nil {
		return nil, err
	}
	byName := map[string]*HostView{}
	at := func(name string) *HostView {
		if byName[name] == nil {
			byName[name] = &HostView{Host: rows.Host{Name: name}}
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
	return ordered(p, byName), nil
}

func (v *HostView) take(it rows.Item) {
	v.Items++
	if it.Outcome != "" && it.Outcome.Severity() != outcomes.OK {
		v.Bad++
	}
	v.On = append(v.On, it)
}

func ordered(p *program.Program, byName map[string]*HostView) []HostView {
	all := make([]HostView, 0, len(byName))
	for _, v := range byName {
		v.State = hostState(v.Host, p.Env.Now())
		all = append(all, *v)
	}
	slices.SortFunc(all, func(a, b HostView) int {
		return cmp.Or(cmp.Compare(hostRank(a), hostRank(b)), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// hostRank puts first what somebody or something holds up, then what somebody
// said, then the others.
func hostRank(v HostView) int {
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
