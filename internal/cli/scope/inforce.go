package scope

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// AppliedItem is an item as the definition in force makes it.
type AppliedItem struct {
	units.Item
	Kind fetchers.Kind
	// Params are whole, secrets as references.
	Params json.RawMessage
}

// InForce looks items up by their keys in the definitions in force; each
// campaign is read once.
type InForce struct {
	*program.Program
	Store program.Store
	known map[string]map[string][]AppliedItem // by campaign, by key
}

func NewInForce(p *program.Program, s program.Store) *InForce {
	return &InForce{Program: p, Store: s, known: map[string]map[string][]AppliedItem{}}
}

// Find returns the item of a campaign with a key; entry may be empty where only
// one has it.
func (a *InForce) Find(ctx context.Context, campaign, entry, key string) (AppliedItem, error) {
	items, err := a.Of(ctx, campaign)
	if err != nil {
		return AppliedItem{}, err
	}
	var found []AppliedItem
	for _, it := range items[key] {
		if entry == "" || it.Entry == entry {
			found = append(found, it)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return AppliedItem{}, fmt.Errorf("item %s: campaign %s as it was applied has none with this key%s", key, campaign, near(key, items))
	default:
		return AppliedItem{}, fmt.Errorf("item %s: it is in %s and in %s; say which with --entry", key, found[0].Entry, found[1].Entry)
	}
}

func near(key string, items map[string][]AppliedItem) string {
	var keys []string
	for k := range items {
		keys = append(keys, k)
	}
	if n := wording.Nearest(key, keys); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

func (a *InForce) Of(ctx context.Context, name string) (map[string][]AppliedItem, error) {
	if items, ok := a.known[name]; ok {
		return items, nil
	}
	row, err := FindCampaign(ctx, a.Program, a.Store, name)
	if err != nil {
		return nil, err
	}
	c, err := campaigns.Decode(row.Definition.Spec)
	if err != nil {
		return nil, fmt.Errorf("campaign %s: %w", name, err)
	}
	items := map[string][]AppliedItem{}
	for _, e := range c.Entries {
		if err := a.entry(ctx, c.Name, e, items); err != nil {
			return nil, fmt.Errorf("items of %s / %s: %w", c.Name, e.Name, err)
		}
	}
	a.known[name] = items
	return items, nil
}

func (a *InForce) entry(ctx context.Context, campaign string, e campaigns.Entry, into map[string][]AppliedItem) error {
	kind, err := a.Env.Fetchers.Find(e.Fetcher)
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
		into[key] = append(into[key], AppliedItem{Item: units.Item{Campaign: campaign, Entry: e.Name, Key: key}, Kind: kind, Params: params})
	}
	return nil
}

// rows are those of the file, or those that the source listed when it was last
// asked.
func (a *InForce) rows(ctx context.Context, campaign string, e campaigns.Entry) ([]campaigns.Row, error) {
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
func (a *InForce) listed(ctx context.Context, campaign, entry string) (string, error) {
	lane := ""
	found, err := a.Store.Checkpoints(ctx, rows.CheckpointFilter{Campaign: campaign, Entry: entry, Key: "split", Lane: &lane})
	if err != nil || len(found) == 0 || len(found[0].Value) == 0 {
		return "", err
	}
	var last struct{ List string }
	if err := json.Unmarshal(found[0].Value, &last); err != nil {
		return "", fmt.Errorf("the checkpoint of split names no list: %w", err)
	}
	return last.List, nil
}

func (a *InForce) list(ctx context.Context, name string) ([]campaigns.Row, error) {
	var out []campaigns.Row
	for raw, err := range a.Store.List(ctx, name) {
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
