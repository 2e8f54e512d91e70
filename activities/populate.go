package activities

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	addBatch = 10_000 // items of one AddItems
	// maxNearKeys bounds the keys remembered to name the nearest right one.
	maxNearKeys = 10_000
)

// population writes the items of one entry into a run, in two passes over its
// rows, so that its memory does not grow with their number but for eight bytes
// each.
type population struct {
	*itemMaker
	queue  string
	rows   func() iter.Seq2[campaigns.Row, error]
	places *arrangement
	n      int
	hashes []uint64 // of keys, to find two alike
	near   []string // some keys, while single ones are looked for
}

// populate writes the items of all entries that need not be asked for. It may
// be called again after a crash: what is there stays.
func (a *Activities) populate(ctx context.Context, run rows.Run, c *campaigns.Campaign, start steps.Start) error {
	retry, err := a.retryKeys(ctx, start.RetryOf, c.Name)
	if err != nil {
		return err
	}
	var all []*population
	for i := range c.Entries {
		e := &c.Entries[i]
		if asks(e) {
			continue
		}
		p, err := a.countItems(ctx, c, e.Name, start, retry, func() iter.Seq2[campaigns.Row, error] { return a.rowsOf(ctx, e) })
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	if err := wanted(c, start, all); err != nil {
		return err
	}
	for _, p := range all {
		p.places.settle()
		if err := a.addItems(ctx, run.ID, p); err != nil {
			return err
		}
	}
	return nil
}

// asks reports whether an entry's items are asked for at every run.
func asks(e *campaigns.Entry) bool { return e.Split != nil && e.Split.Ask != "" }

// countItems is the first pass: how many items on which hosts, and no key twice.
func (a *Activities) countItems(
	ctx context.Context, c *campaigns.Campaign, name string, start steps.Start, retry map[uint64]bool, list func() iter.Seq2[campaigns.Row, error],
) (*population, error) {
	m, err := a.maker(c, name, start, retry)
	if err != nil {
		return nil, err
	}
	p := &population{itemMaker: m, queue: a.queue(m.entry), rows: list, places: newArrangement()}
	for r, err := range list() {
		if err != nil {
			return nil, err
		}
		item, keep, err := m.brief(r)
		if err != nil {
			return nil, err
		}
		p.note(item, keep)
		beat(ctx, p.n)
	}
	return p, p.alike()
}

func (p *population) note(item rows.RunItem, keep bool) {
	if p.only != nil && len(p.near) < maxNearKeys {
		p.near = append(p.near, item.Key)
	}
	if !keep {
		return
	}
	p.n++
	p.places.count(item.Host)
	p.hashes = append(p.hashes, keyHash(item.Entry, item.Key))
}

// alike refuses two items with one key: they would share a checkpoint.
func (p *population) alike() error {
	slices.Sort(p.hashes)
	for i := 1; i < len(p.hashes); i++ {
		if p.hashes[i] == p.hashes[i-1] {
			return p.nameAlike(p.hashes[i])
		}
	}
	p.hashes = nil
	return nil
}

func (p *population) nameAlike(hash uint64) error {
	for r, err := range p.rows() {
		if err != nil {
			return err
		}
		item, keep, err := p.make(r)
		if err != nil {
			return err
		}
		if keep && keyHash(item.Entry, item.Key) == hash {
			return misconfigured(p.entry.Name, fmt.Errorf("two items have the key %q; every item needs a key of its own, it names the checkpoint", item.Key))
		}
	}
	return nil
}

// wanted refuses keys that no entry has, unless some entry's items are yet to
// be asked for; and a start that leaves nothing to do.
func wanted(c *campaigns.Campaign, start steps.Start, all []*population) error {
	if len(start.Items) == 0 || slices.ContainsFunc(c.Entries, func(e campaigns.Entry) bool { return asks(&e) }) {
		return nil
	}
	found := map[string]bool{}
	var near []string
	for _, p := range all {
		near = append(near, p.near...)
		for _, key := range p.near {
			found[key] = true
		}
	}
	var unknown []string
	for _, key := range start.Items {
		if !found[key] && len(near) < maxNearKeys {
			unknown = append(unknown, suggest(key, near))
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return refuse("campaign %s has no item %s", c.Name, strings.Join(unknown, ", "))
}

func suggest(key string, near []string) string {
	if n := wording.Nearest(key, near); n != "" {
		return fmt.Sprintf("%s (did you mean %s?)", key, n)
	}
	return key
}

// addItems is the second pass.
func (a *Activities) addItems(ctx context.Context, run int64, p *population) error {
	batch := make([]rows.RunItem, 0, min(p.n, addBatch))
	for r, err := range p.rows() {
		if err != nil {
			return err
		}
		item, keep, err := p.make(r)
		if err != nil {
			return err
		}
		if !keep {
			continue
		}
		item.Run = run
		p.put(&item, p.places.place(item.Host))
		if batch = append(batch, item); len(batch) == addBatch {
			if err := a.flush(ctx, run, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return a.flush(ctx, run, batch)
}

// put gives an item its ordinal, which is its entry's and its place there, and its
// turn in a queue: the urgent first, then entries alternate.
func (p *population) put(item *rows.RunItem, place int64) {
	item.Ord = int64(p.index)<<32 | place
	item.Queue, item.Place = p.queue, int64(p.entry.Priority.Key())<<32|place
}

func (a *Activities) flush(ctx context.Context, run int64, batch []rows.RunItem) error {
	if len(batch) == 0 {
		return nil
	}
	beat(ctx, len(batch)*addBatch)
	if err := a.seam.AddItems(ctx, run, batch); err != nil {
		return fmt.Errorf("write the items of run %d: %w", run, err)
	}
	return nil
}

// beat tells Temporal, now and then, that a long list is being worked on.
func beat(ctx context.Context, n int) {
	if n%addBatch == 0 && activity.IsActivity(ctx) {
		activity.RecordHeartbeat(ctx, n)
	}
}

// retryKeys lists what a former run left undone; nil when there is none.
func (a *Activities) retryKeys(ctx context.Context, ref, campaign string) (map[uint64]bool, error) {
	if ref == "" {
		return nil, nil
	}
	former, err := a.Store.FindRun(ctx, ref)
	if err != nil {
		return nil, refuse("run %s, whose unfinished items are wanted, cannot be found: %s", ref, err)
	}
	if former.Campaign != campaign {
		return nil, refuse("run %s is of campaign %s, not of %s", ref, former.Campaign, campaign)
	}
	left, err := a.Store.RunItems(ctx, former.ID, rows.ItemFilter{Outcomes: undone()})
	if err != nil {
		return nil, err
	}
	keys := make(map[uint64]bool, len(left))
	for _, item := range left {
		keys[keyHash(item.Entry, item.Key)] = true
	}
	if len(keys) == 0 {
		return nil, refuse("run %s left nothing undone", ref)
	}
	return keys, nil
}

// undone are the outcomes after which a retry of the run takes an item again.
func undone() []outcomes.Outcome {
	return slices.DeleteFunc(outcomes.All(), func(o outcomes.Outcome) bool {
		return o == outcomes.Done || o == outcomes.Unchanged || o == outcomes.Skipped
	})
}
