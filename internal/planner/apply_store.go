package planner

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// applyStore writes lists, then definitions and hosts in one transaction, then pauses
// and removals. It returns how many checkpoints moved, by campaign.
func (r *Planner) applyStore(ctx context.Context, v *view, in Input) (map[string]int, error) {
	a, gone, err := r.application(ctx, v, in)
	if err != nil {
		return nil, err
	}
	moved := map[string]int{}
	if len(a.Campaigns) > 0 || len(v.plan.Hosts) > 0 {
		done, err := r.store.Apply(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("write the definitions: %w", err)
		}
		for _, d := range done {
			moved[d.Name] = d.Moved
		}
	}
	if err := r.applyPauses(ctx, v); err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		if err := r.store.RemoveCampaigns(ctx, gone, in.Author); err != nil {
			return nil, fmt.Errorf("remove the campaigns that are no longer in any file: %w", err)
		}
	}
	return moved, nil
}

// application saves the lists and returns the definitions and hosts to write, and the
// campaigns to remove.
func (r *Planner) application(ctx context.Context, v *view, in Input) (a rows.Application, gone []string, err error) {
	a = rows.Application{Project: in.Loaded.Project, Author: in.Author, At: in.Now, Hosts: applyHosts(in.Loaded)}
	for _, t := range v.tasks {
		switch {
		case t.source == nil && t.stored != nil && in.Prune:
			gone = append(gone, t.name)
		case t.source != nil && !t.sameDefinition():
			if err := r.saveLists(ctx, t.source); err != nil {
				return a, nil, err
			}
			c, err := applyCampaign(t, in.Commit)
			if err != nil {
				return a, nil, err
			}
			a.Campaigns = append(a.Campaigns, c)
		}
	}
	return a, gone, nil
}

func applyCampaign(t *task, commit string) (rows.ApplyCampaign, error) {
	spec, err := t.source.Campaign.Canonical()
	if err != nil {
		return rows.ApplyCampaign{}, err
	}
	return rows.ApplyCampaign{
		Name: t.name, Digest: t.digest, Spec: spec, File: t.source.File, Line: t.source.Line, Commit: commit,
		Was: t.source.Campaign.Was, WasEntry: formerEntries(t.source.Campaign), WasItem: formerKeys(t.source),
	}, nil
}

func applyHosts(l *campaigns.Loaded) []rows.Host {
	out := make([]rows.Host, 0, len(l.Hosts))
	for _, h := range l.Hosts {
		out = append(out, rows.Host{Name: h.Name, Project: l.Project, Every: h.Every, Connections: h.Connections, Robots: h.Robots, CA: h.CA, Source: h.Source})
	}
	return out
}

// saveLists stores the rows of list files by digest. Lists that are stored already
// stay.
func (r *Planner) saveLists(ctx context.Context, s *campaigns.Source) error {
	for digest, list := range s.Lists {
		var failed error
		encoded := func(yield func(rows.ListRow) bool) {
			for _, row := range list {
				var raw json.RawMessage
				if raw, failed = json.Marshal(row); failed != nil || !yield(raw) {
					return
				}
			}
		}
		err := r.store.SaveList(ctx, digest, encoded)
		if err == nil {
			err = failed
		}
		if err != nil {
			return fmt.Errorf("store list %s of %s: %w", digest, s.Campaign.Name, err)
		}
	}
	return nil
}

func (r *Planner) applyPauses(ctx context.Context, v *view) error {
	for _, t := range v.tasks {
		if t.source == nil {
			continue
		}
		if samePause(t.pause, t.storedPause()) {
			continue
		}
		if err := r.store.PauseCampaign(ctx, t.name, t.pause); err != nil {
			return fmt.Errorf("write the pause of %s: %w", t.name, err)
		}
	}
	return nil
}
