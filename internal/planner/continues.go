package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// continuing asks a fetcher whether the checkpoints of an entry survive a change of its
// params.
type continuing struct {
	old, now    campaigns.Entry
	fetcher     harvest.Continuer
	checkpoints map[string]json.RawMessage // by key
}

func (r *Planner) continuing(ctx context.Context, t *task, old, now campaigns.Entry) (*continuing, error) {
	c := &continuing{old: old, now: now, fetcher: r.about(now.Fetcher).Continuer, checkpoints: map[string]json.RawMessage{}}
	live := ""
	list, err := r.store.Checkpoints(ctx, rows.CheckpointFilter{Campaign: t.stored.Name, Entry: old.Name, Lane: &live})
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints of %s: %w", old.Name, err)
	}
	for _, cp := range list {
		c.checkpoints[cp.Key] = cp.Value
	}
	return c, nil
}

// of describes what happens to the checkpoint of one item; "" if its params are
// unchanged.
func (c *continuing) of(key string, old, now campaigns.Row) (text string, kept bool) {
	before, err := c.old.ItemParams(old, nil)
	after, err2 := c.now.ItemParams(now, nil)
	switch {
	case err != nil || err2 != nil || c.old.Fetcher == c.now.Fetcher && sameParams(before, after):
		return "", true
	case c.old.Fetcher != c.now.Fetcher:
		return "another fetcher: it begins anew", false
	case c.fetcher == nil:
		return "its fetcher does not say whether the checkpoint is kept", false
	}
	if kept, why := c.fetcher.Continues(c.checkpoints[key], before, after); !kept {
		return "its checkpoint does not hold: " + why, false
	}
	return "the checkpoint is kept", true
}

// anew lists the items whose rows are unchanged but whose checkpoints are lost, because
// params of the entry changed.
func (c *continuing) anew(before, after map[string]campaigns.Row) string {
	var keys []string
	why := ""
	for key, row := range after {
		old, existed := before[key]
		if !existed || rowChanged(old, row) {
			continue
		}
		if text, kept := c.of(key, old, row); !kept {
			keys, why = append(keys, key), text
		}
	}
	slices.Sort(keys)
	switch n := len(keys); {
	case n == 0:
		return ""
	case n == 1:
		return keys[0] + ": " + why
	default:
		return fmt.Sprintf("%d items (%s): %s", n, strings.Join(keys[:min(n, 2)], ", ")+more(n-2), why)
	}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return " …"
}
