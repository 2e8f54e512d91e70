package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// splitKey is the pseudo item that stands for the asking itself. Its
	// checkpoint names the last good list.
	splitKey = "split"
	// maxAsks is how often a source is asked before the last good list is used.
	maxAsks = 3
	// maxElements bounds what one source may list.
	maxElements = 1_000_000
)

// lastGood is the checkpoint of the pseudo item.
type lastGood struct {
	List  string    `json:"list"`
	Items int       `json:"items"`
	Run   int64     `json:"run"` // that asked
	At    time.Time `json:"at"`
	// Told is the list of which the last run that took all items told what is no
	// longer listed; Before the one that this run compares with, if it tells.
	Told   string `json:"told,omitempty"`
	Before string `json:"before,omitempty"`
}

// Expand asks the source for the items of one entry and writes them into the
// run. When the source does not answer, the last good list is used and the
// pseudo item "split" of the run says why. Asked again for the same run, it
// uses the list it got.
func (a *Activities) Expand(ctx context.Context, in steps.ExpandIn) (steps.Expanded, error) {
	run, c, err := a.campaignOf(ctx, in.RunOf)
	if err != nil {
		return steps.Expanded{}, err
	}
	e, _, err := entry(c, in.Entry)
	if err != nil {
		return steps.Expanded{}, err
	}
	if run.State != rows.RunOpening {
		return a.expanded(ctx, run.ID, e.Name)
	}
	good, failure, err := a.listing(ctx, run, c, e)
	if err != nil {
		return steps.Expanded{}, err
	}
	n, err := a.populateAsked(ctx, run, c, e, good, failure)
	return steps.Expanded{Items: n, Old: failure != nil}, err
}

// expanded is what an earlier attempt wrote.
func (a *Activities) expanded(ctx context.Context, run int64, name string) (steps.Expanded, error) {
	spans, err := a.Store.EntryRanges(ctx, run)
	for _, s := range spans {
		if s.Entry == name {
			return steps.Expanded{Items: s.Items}, err
		}
	}
	return steps.Expanded{}, err
}

// listing returns the list to use. The failure is set when the source did not
// answer and the list is an old one, or none; the error, when it is to be asked
// again soon.
func (a *Activities) listing(ctx context.Context, run rows.Run, c *campaigns.Campaign, e *campaigns.Entry) (lastGood, *harvest.Error, error) {
	item := units.Item{Campaign: c.Name, Entry: e.Name, Key: splitKey}
	good, err := a.lastGood(ctx, item)
	if err != nil || good.Run == run.ID {
		return good, nil, err
	}
	list, err := a.ask(ctx, run, c, e)
	if err == nil && len(list) == 0 && good.Items > 0 {
		err = harvest.Errorf(harvest.KindBroken, "list items", e.Name, "the source lists none, where it listed %d", good.Items)
	}
	if err != nil {
		failure := harvest.AsError(err)
		return good, failure, askSoon(ctx, e, failure)
	}
	name, err := a.saveList(ctx, item, list)
	if err != nil {
		return good, nil, err
	}
	start, err := startOf(run)
	if err != nil {
		return good, nil, err
	}
	good = follows(good, name, len(list), run, start)
	good.At = a.Now()
	value, err := json.Marshal(good)
	if err != nil {
		return good, nil, err
	}
	return good, nil, a.Store.SetCheckpoint(ctx, item, "", value)
}

func (a *Activities) lastGood(ctx context.Context, item units.Item) (lastGood, error) {
	lane := ""
	found, err := a.Store.Checkpoints(ctx, rows.CheckpointFilter{Campaign: item.Campaign, Entry: item.Entry, Key: item.Key, Lane: &lane})
	if err != nil || len(found) == 0 {
		return lastGood{}, err
	}
	var good lastGood
	if err := json.Unmarshal(found[0].Value, &good); err != nil {
		return lastGood{}, nil // somebody wrote it by hand: as if there were none
	}
	return good, nil
}

// saveList keeps a list under a name that its content makes.
func (a *Activities) saveList(ctx context.Context, item units.Item, list []rows.ListRow) (string, error) {
	sum, err := harvest.Fingerprint(list)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("ask:%s/%s:%s", item.Campaign, item.Entry, sum)
	seq := func(yield func(rows.ListRow) bool) {
		for _, row := range list {
			if !yield(row) {
				return
			}
		}
	}
	if err := a.Store.SaveList(ctx, name, seq); err != nil {
		return "", fmt.Errorf("keep the list of %s: %w", item, err)
	}
	return name, nil
}

// populateAsked writes the listed items, and the pseudo item after a failure.
func (a *Activities) populateAsked(
	ctx context.Context, run rows.Run, c *campaigns.Campaign, e *campaigns.Entry, good lastGood, failure *harvest.Error,
) (int, error) {
	start, err := startOf(run)
	if err != nil {
		return 0, err
	}
	retry, err := a.retryKeys(ctx, start.RetryOf, c.Name)
	if err != nil {
		return 0, err
	}
	list := inline(nil)
	if good.List != "" {
		list = a.listRows(ctx, good.List)
	}
	p, err := a.countItems(ctx, c, e.Name, start, retry, func() iter.Seq2[campaigns.Row, error] { return list })
	if err != nil {
		return 0, err
	}
	p.places.settle()
	if err := a.addItems(ctx, run.ID, p); err != nil {
		return p.n, err
	}
	if failure == nil {
		return p.n, a.vanished(ctx, run, p, good)
	}
	pseudo, err := notListed(p, run.ID, good, failure)
	if err != nil {
		return p.n, err
	}
	p.put(&pseudo, int64(p.n))
	return p.n, a.flush(ctx, run.ID, []rows.RunItem{pseudo})
}

// notListed is the pseudo item: partial beside an old list, else ended as its
// kind of error ends.
func notListed(p *population, run int64, good lastGood, failure *harvest.Error) (rows.RunItem, error) {
	end := ended{Outcome: outcomes.OfKind(failure.Kind), Kind: failure.Kind, Why: string(outcomes.WhyTriedTooManyTimes), Error: failure.Error()}
	if _, spent := errors.AsType[*overBudget](failure); spent {
		end.Why = string(outcomes.WhyBudget)
	}
	if good.List != "" {
		end.Outcome = outcomes.Partial
		end.Why = fmt.Sprintf("the source could not be asked for its items; those of %s were used", good.At.UTC().Format("2006-01-02 15:04 UTC"))
	}
	raw, err := json.Marshal(policy{Ended: &end})
	return rows.RunItem{
		Run: run, Entry: p.entry.Name, Key: splitKey, Label: "the list of items",
		Fetcher: p.kind.Name, Policy: raw, State: rows.ItemOpen,
	}, err
}
