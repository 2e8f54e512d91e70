package planner

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/store"
)

// evaluateLate handles a `was` whose new name is in the store already: checkpoints of
// the former name still move, unless both have one for the same item.
func (r *Planner) evaluateLate(ctx context.Context, t *task) error {
	if t.source == nil || t.stored == nil || t.renamed() {
		return nil
	}
	former := formerEntries(t.source.Campaign)
	if t.late == "" && len(former) == 0 {
		return nil
	}
	own, err := checkpointsOf(ctx, r.store, t.name)
	if err != nil {
		return err
	}
	for to, was := range former {
		t.moves = t.moves || len(own[was]) > 0
		t.blockLate(t.name+" / "+was, t.name+" / "+to, own[was], own[to])
	}
	if t.late == "" {
		return nil
	}
	t.moves = true
	old, err := checkpointsOf(ctx, r.store, t.late)
	if err != nil {
		return err
	}
	for entry, keys := range old {
		t.blockLate(t.late, t.name, keys, own[entry])
	}
	return nil
}

func (t *task) blockLate(was, now string, old, own map[string]bool) {
	both, first := 0, ""
	for key := range old {
		if own[key] {
			if both++; first == "" || key < first {
				first = key
			}
		}
	}
	if both == 0 || t.change.Blocked != "" {
		return
	}
	t.change.Blocked = fmt.Sprintf("`was` comes too late: %s has run already, and %s (%s%s) %s a checkpoint there and under %s; take `was` out of the file and the two stay apart, or choose a name that has not run yet and keep `was`: what %s had goes there",
		now, wording.Count(both, "item"), first, more(both-1), map[bool]string{true: "has", false: "have"}[both == 1], was, was)
}

// checkpointsOf returns the keys of a campaign's items with a checkpoint, by entry.
func checkpointsOf(ctx context.Context, s *store.Store, campaign string) (map[string]map[string]bool, error) {
	live := ""
	list, err := s.Checkpoints(ctx, rows.CheckpointFilter{Campaign: campaign, Lane: &live})
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints of %s: %w", campaign, err)
	}
	out := map[string]map[string]bool{}
	for _, c := range list {
		if out[c.Entry] == nil {
			out[c.Entry] = map[string]bool{}
		}
		out[c.Entry][c.Key] = true
	}
	return out, nil
}
