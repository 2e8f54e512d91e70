package checkpoints

import (
	"context"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/cli/takeover"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// many reads the file; every mistake in it is reported, with its line.
func (c *checkpointsSet) many(ctx context.Context, s program.Store) ([]Move, error) {
	text, err := userfile.Read(c.Path(c.file), takeover.MaxPositions)
	if err != nil {
		return nil, program.Usage("--file: %w", err)
	}
	list, err := takeover.ReadPositions(text)
	if wrong, ok := errors.AsType[*takeover.LineError](err); ok {
		return nil, campaignfiles.Refuse(c.Program, &campaigns.Loaded{Problems: []campaigns.Problem{{File: c.file, Line: wrong.Line, Text: wrong.Text}}})
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.file, err)
	}
	if len(list) == 0 {
		return nil, program.Usage("--file %s: no positions in it", c.file)
	}
	if c.Campaign != "" {
		if _, err := scope.FindCampaign(ctx, c.Program, s, c.Campaign); err != nil {
			return nil, err
		}
	}
	moves, problems := resumeAll(ctx, scope.NewInForce(c.Program, s), c.ItemFlags, list, c.file)
	if len(problems) > 0 {
		return nil, campaignfiles.Refuse(c.Program, &campaigns.Loaded{Problems: problems})
	}
	return moves, ctx.Err()
}

func resumeAll(ctx context.Context, a *scope.InForce, f scope.ItemFlags, list []takeover.Position, file string) (moves []Move, problems []campaigns.Problem) {
	for _, at := range list {
		m, err := resume(ctx, a, f, at)
		if err != nil {
			problems = append(problems, campaigns.Problem{File: file, Line: at.Line, Text: err.Error()})
			continue
		}
		moves = append(moves, m)
	}
	return moves, problems
}

// resume lets the item's fetcher make the checkpoint.
func resume(ctx context.Context, a *scope.InForce, f scope.ItemFlags, at takeover.Position) (Move, error) {
	it, err := meant(ctx, a, f, at.Item)
	if err != nil {
		return Move{}, err
	}
	r, ok := it.Kind.New(nil).(harvest.Resumer)
	if !ok {
		return Move{}, program.Usage("item %s: its fetcher %s knows no positions; give the checkpoint itself: --json VALUE, as `checkpoints show` tells it", at.Item, it.Kind.Name)
	}
	// A checkpoint may be bound to what the params are, which a reference is not.
	params, found, err := source.ResolveSecrets(a.Program, it.Params)
	if err != nil {
		return Move{}, program.Usage("item %s: %w", at.Item, err)
	}
	mask := found.Mask()
	value, err := r.Resume(harvest.Request{Item: it.Key, Params: params}, at.At)
	if err != nil {
		return Move{}, program.Usage("item %s: %s", at.Item, mask.Text(harvest.AsError(err).Error()))
	}
	return Move{Item: it.Item, After: mask.Keep(value)}, nil
}

// meant is the item of a definition in force that a word names: its key, or
// campaign / entry / key. Without a campaign it is one that a run has seen.
func meant(ctx context.Context, a *scope.InForce, f scope.ItemFlags, ref string) (scope.AppliedItem, error) {
	if f.Campaign != "" {
		return a.Find(ctx, f.Campaign, f.Entry, ref)
	}
	if path, ok := scope.ItemPath(ref); ok {
		return a.Find(ctx, path.Campaign, path.Entry, path.Key)
	}
	seen, err := scope.FindItem(ctx, a.Program, a.Store, f, ref)
	if err != nil {
		return scope.AppliedItem{}, fmt.Errorf("%w; or name its campaign with --campaign", err)
	}
	return a.Find(ctx, seen.Campaign, seen.Entry, seen.Key)
}
