package campaigns

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// entryPasses are the full passes of an entry's items, counted.
type entryPasses struct {
	Items    int `json:"items"`
	UnderWay int `json:"under_way,omitempty"`
	// Due is how many are due now; Next when the first of the others will be.
	Due  int       `json:"due,omitempty"`
	Next time.Time `json:"next,omitzero"`
	Last time.Time `json:"last,omitzero"`
}

// PassesOf counts the passes of the entries that say refresh.
func PassesOf(ctx context.Context, s program.Store, camp campaigns.Campaign, now time.Time) (map[string]*entryPasses, error) {
	all := map[string]*entryPasses{}
	for _, e := range camp.Entries {
		if e.Refresh <= 0 {
			continue
		}
		list, err := s.Items(ctx, rows.ItemsFilter{Campaign: camp.Name, Entry: e.Name})
		if err != nil {
			return nil, err
		}
		p := &entryPasses{}
		for _, it := range list {
			if it.Pass.Number > 0 || it.Documents > 0 { // the others never listed anything
				p.add(it, e.Refresh, now)
			}
		}
		all[e.Name] = p
	}
	return all, nil
}

func (p *entryPasses) add(it rows.Item, refresh time.Duration, now time.Time) {
	p.Items++
	if it.Pass.DoneAt.After(p.Last) {
		p.Last = it.Pass.DoneAt
	}
	next := it.Pass.Next(refresh, it.FirstSeen)
	switch {
	case it.Pass.UnderWay():
		p.UnderWay++
	case !next.After(now):
		p.Due++
	case p.Next.IsZero() || next.Before(p.Next):
		p.Next = next
	}
}

func (p *entryPasses) text(c print.Clock) string {
	if p == nil || p.Items == 0 {
		return "; the first harvest is a full pass"
	}
	text := ""
	if p.UnderWay > 0 {
		text += fmt.Sprintf("; %s under way", print.Number(p.UnderWay))
	}
	if p.Due > 0 {
		text += fmt.Sprintf("; %s due at the next run", print.Number(p.Due))
	}
	if !p.Next.IsZero() {
		text += "; next due " + c.Full(p.Next)
	}
	if !p.Last.IsZero() {
		text += "; last " + c.Full(p.Last)
	}
	return text
}
