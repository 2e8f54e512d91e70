package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// appliedItem is an item as the definition in force makes it.
type appliedItem struct {
	harvest.Item
	kind fetchers.Kind
	// params are whole, secrets as references.
	params json.RawMessage
}

// inForce looks items up by their keys in the definitions in force; each
// campaign is read once.
type inForce struct {
	*program
	store Store
	known map[string]map[string][]appliedItem // by campaign, by key
}

func (p *program) inForce(s Store) *inForce {
	return &inForce{program: p, store: s, known: map[string]map[string][]appliedItem{}}
}

// find returns the item of a campaign with a key; entry may be empty where only
// one has it.
func (a *inForce) find(ctx context.Context, campaign, entry, key string) (appliedItem, error) {
	items, err := a.of(ctx, campaign)
	if err != nil {
		return appliedItem{}, err
	}
	var found []appliedItem
	for _, it := range items[key] {
		if entry == "" || it.Entry == entry {
			found = append(found, it)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return appliedItem{}, fmt.Errorf("item %s: campaign %s as it was applied has none with this key%s", key, campaign, near(key, items))
	default:
		return appliedItem{}, fmt.Errorf("item %s: it is in %s and in %s; say which with --entry", key, found[0].Entry, found[1].Entry)
	}
}

func near(key string, items map[string][]appliedItem) string {
	var keys []string
	for k := range items {
		keys = append(keys, k)
	}
	if n := harvest.Nearest(key, keys); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

func (a *inForce) of(ctx context.Context, name string) (map[string][]appliedItem, error) {
	if items, ok := a.known[name]; ok {
		return items, nil
	}
	row, err := a.findCampaign(ctx, a.store, name)
	if err != nil {
		return nil, err
	}
	c, err := campaigns.Decode(row.Definition.Spec)
	if err != nil {
		return nil, fmt.Errorf("campaign %s: %w", name, err)
	}
	items := map[string][]appliedItem{}
	for _, e := range c.Entries {
		if err := a.entry(ctx, c.Name, e, items); err != nil {
			return nil, fmt.Errorf("items of %s / %s: %w", c.Name, e.Name, err)
		}
	}
	a.known[name] = items
	return items, nil
}

func (a *inForce) entry(ctx context.Context, campaign string, e campaigns.Entry, into map[string][]appliedItem) error {
	kind, err := a.env.Fetchers.Find(e.Fetcher)
	if err != nil {
		return err
	}
	list, err := a.rows(ctx, campaign, e)
	if err != nil {
		return err
	}
	for _, row := range list {
		params, err := e.ItemParams(row, nil)
		if err != nil {
			return err
		}
		key, err := e.ItemKey(params, kind.Identity, row)
		if err != nil {
			return err
		}
		into[key] = append(into[key], appliedItem{Item: harvest.Item{Campaign: campaign, Entry: e.Name, Key: key}, kind: kind, params: params})
	}
	return nil
}

// rows are those of the file, or those that the source listed when it was last
// asked.
func (a *inForce) rows(ctx context.Context, campaign string, e campaigns.Entry) ([]campaigns.Row, error) {
	switch {
	case e.Split == nil:
		return []campaigns.Row{{}}, nil
	case e.Split.Ask != "":
		name, err := a.listed(ctx, campaign, e.Name)
		if err != nil || name == "" {
			return nil, err
		}
		return a.list(ctx, name)
	case e.Split.List != "":
		return a.list(ctx, e.Split.List)
	default:
		return e.Split.Items, nil
	}
}

// listed names the list that a source gave when it was last asked; it is kept
// in the checkpoint of the pseudo item split.
func (a *inForce) listed(ctx context.Context, campaign, entry string) (string, error) {
	lane := ""
	found, err := a.store.Checkpoints(ctx, rows.CheckpointFilter{Campaign: campaign, Entry: entry, Key: "split", Lane: &lane})
	if err != nil || len(found) == 0 || len(found[0].Value) == 0 {
		return "", err
	}
	var last struct{ List string }
	if err := json.Unmarshal(found[0].Value, &last); err != nil {
		return "", fmt.Errorf("the checkpoint of split names no list: %w", err)
	}
	return last.List, nil
}

func (a *inForce) list(ctx context.Context, name string) ([]campaigns.Row, error) {
	var out []campaigns.Row
	for raw, err := range a.store.List(ctx, name) {
		var row campaigns.Row
		if err == nil {
			err = json.Unmarshal(raw, &row)
		}
		if errors.Is(err, rows.ErrNotFound) {
			return nil, fmt.Errorf("its list %s is not in the store; apply the campaign again: %w", name, err)
		}
		if err != nil {
			return nil, fmt.Errorf("read its list: %w", err)
		}
		out = append(out, row)
	}
	return out, nil
}
