package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/takeover"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// many reads the file; every mistake in it is told, with its line.
func (c *checkpointsSet) many(ctx context.Context, s Store) ([]move, error) {
	text, err := userfile.Read(c.path(c.file), takeover.MaxPositions)
	if err != nil {
		return nil, usage("--file: %w", err)
	}
	list, err := takeover.ReadPositions(text)
	if wrong, ok := errors.AsType[*takeover.LineError](err); ok {
		return nil, c.refuse(&campaigns.Loaded{Problems: []campaigns.Problem{{File: c.file, Line: wrong.Line, Text: wrong.Text}}})
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.file, err)
	}
	if len(list) == 0 {
		return nil, usage("--file %s: no positions in it", c.file)
	}
	if c.campaign != "" {
		if _, err := c.findCampaign(ctx, s, c.campaign); err != nil {
			return nil, err
		}
	}
	moves, problems := c.inForce(s).resumeAll(ctx, c.itemFlags, list, c.file)
	if len(problems) > 0 {
		return nil, c.refuse(&campaigns.Loaded{Problems: problems})
	}
	return moves, ctx.Err()
}

func (a *inForce) resumeAll(ctx context.Context, f itemFlags, list []takeover.Position, file string) (moves []move, problems []campaigns.Problem) {
	for _, at := range list {
		m, err := a.resume(ctx, f, at)
		if err != nil {
			problems = append(problems, campaigns.Problem{File: file, Line: at.Line, Text: err.Error()})
			continue
		}
		moves = append(moves, m)
	}
	return moves, problems
}

// resume lets the item's fetcher make the checkpoint.
func (a *inForce) resume(ctx context.Context, f itemFlags, at takeover.Position) (move, error) {
	it, err := a.meant(ctx, f, at.Item)
	if err != nil {
		return move{}, err
	}
	r, ok := it.kind.New(nil).(harvest.Resumer)
	if !ok {
		return move{}, usage("item %s: its fetcher %s knows no positions; give the checkpoint itself: --json VALUE, as `checkpoints show` tells it", at.Item, it.kind.Name)
	}
	// A checkpoint may be bound to what the params are, which a reference is not.
	params, found, err := a.resolveSecrets(it.params)
	if err != nil {
		return move{}, usage("item %s: %w", at.Item, err)
	}
	mask := found.Mask()
	value, err := r.Resume(harvest.Request{Item: it.Key, Params: params}, at.At)
	if err != nil {
		return move{}, usage("item %s: %s", at.Item, mask.Text(harvest.AsError(err).Error()))
	}
	return move{Item: it.Item, After: mask.Keep(value)}, nil
}

// meant is the item of a definition in force that a word names: its key, or
// campaign / entry / key. Without a campaign it is one that a run has seen.
func (a *inForce) meant(ctx context.Context, f itemFlags, ref string) (appliedItem, error) {
	if f.campaign != "" {
		return a.find(ctx, f.campaign, f.entry, ref)
	}
	if path, ok := itemPath(ref); ok {
		return a.find(ctx, path.Campaign, path.Entry, path.Key)
	}
	seen, err := a.findItem(ctx, a.store, f, ref)
	if err != nil {
		return appliedItem{}, fmt.Errorf("%w; or name its campaign with --campaign", err)
	}
	return a.find(ctx, seen.Campaign, seen.Entry, seen.Key)
}
