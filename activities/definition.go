package activities

import (
	"context"
	"fmt"
	"sync"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// maxDefinitions bounds the decoded definitions a process keeps.
const maxDefinitions = 256

// definitions remembers decoded definitions, which never change.
type definitions struct {
	mu    sync.Mutex
	known map[string]*campaigns.Campaign
}

func (d *definitions) get(ref string) *campaigns.Campaign {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[ref]
}

func (d *definitions) put(ref string, c *campaigns.Campaign) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil || len(d.known) >= maxDefinitions {
		d.known = map[string]*campaigns.Campaign{}
	}
	d.known[ref] = c
}

// definition returns a campaign as it was applied; it must not be changed.
func (a *Activities) definition(ctx context.Context, campaign string, version int) (*campaigns.Campaign, error) {
	ref := rows.Ref(campaign, version)
	if c := a.definitions.get(ref); c != nil {
		return c, nil
	}
	stored, err := a.Store.Definition(ctx, campaign, version)
	if err != nil {
		return nil, fmt.Errorf("read definition %s: %w", ref, err)
	}
	c, err := campaigns.Decode(stored.Spec)
	if err != nil {
		return nil, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "decode definition", On: ref, Err: err, Advice: "apply the campaign's file again"}
	}
	a.definitions.put(ref, &c)
	return &c, nil
}

// entry returns the campaign's entry of a name and its place, from 0.
func entry(c *campaigns.Campaign, name string) (*campaigns.Entry, int, error) {
	for i := range c.Entries {
		if c.Entries[i].Name == name {
			return &c.Entries[i], i, nil
		}
	}
	return nil, 0, harvest.Errorf(harvest.KindMisconfigured, "find entry", name, "campaign %s has no such entry in this definition", c.Name)
}
