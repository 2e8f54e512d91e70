package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/takeover"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

type checkpointsSet struct {
	*program
	checkpointFlags
	lane string
	raw  string
	file string
}

func newCheckpointsSet(p *program) *cobra.Command {
	c := &checkpointsSet{program: p}
	cmd := &cobra.Command{
		Use: "set [NAME=VALUE...]", Short: "Say where items go on",
		Long: `Make an item go on from a position, in its fetcher's words: from=2026-05-01.
Many at once with --file: a CSV of item,from. All of it happens, or nothing. A
page in work is dropped; while a run has the item in flight it is refused.
--json writes a checkpoint as it is, also of an item that no run has seen yet:
then name campaign, entry and key.`,
		Example: "  starter checkpoints set --campaign repositories --item x from=2026-05-01",
		Args:    cobra.ArbitraryArgs, RunE: c.run,
	}
	c.add(p, cmd)
	f := cmd.Flags()
	f.StringVar(&c.lane, "lane", "", "of a backfill instead of the live lane")
	f.StringVar(&c.raw, "json", "", "the checkpoint itself, as `checkpoints show` tells it")
	f.StringVar(&c.file, "file", "", "CSV of positions: item,from")
	must(cmd.MarkFlagFilename("file", "csv"))
	return cmd
}

// move is a checkpoint to be set.
type move struct {
	Item   harvest.Item    `json:"item"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after"`
}

func (c *checkpointsSet) run(cmd *cobra.Command, args []string) error {
	if err := c.one(args); err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	moves, err := c.moves(ctx, s, args)
	if err != nil {
		return err
	}
	return c.move(ctx, s, c.lane, moves)
}

// one wants exactly one way of saying where to go on.
func (c *checkpointsSet) one(args []string) error {
	ways := 0
	for _, given := range []bool{len(args) > 0, c.raw != "", c.file != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return usage("checkpoints set: say where to go on: from=2026-05-01, or --json VALUE, or --file positions.csv")
	case c.file != "" && c.item != "":
		return usage("checkpoints set: --file names its items itself; leave out --item")
	case c.file == "" && c.item == "":
		return usage("checkpoints set: say whose, with --item KEY, or many with --file positions.csv")
	case c.raw != "" && !json.Valid([]byte(c.raw)):
		return usage("checkpoints set --json %s: not JSON", print.End(c.raw, 60))
	}
	return nil
}

func (c *checkpointsSet) moves(ctx context.Context, s Store, args []string) ([]move, error) {
	if c.raw != "" {
		item, err := c.whose(ctx, s)
		return []move{{Item: item, After: json.RawMessage(c.raw)}}, err
	}
	if c.file != "" {
		return c.many(ctx, s)
	}
	at, err := positionOf(args)
	if err != nil {
		return nil, err
	}
	m, err := c.inForce(s).resume(ctx, c.itemFlags, takeover.Position{Item: c.item, At: at})
	return []move{m}, err
}

func positionOf(args []string) (map[string]string, error) {
	at := map[string]string{}
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" || value == "" {
			return nil, usage("checkpoints set %s: write from=2026-05-01, or a checkpoint as it is with --json", print.End(a, 60))
		}
		at[name] = value
	}
	return at, nil
}

// many reads the file; every mistake in it is told, with its line.
func (c *checkpointsSet) many(ctx context.Context, s Store) ([]move, error) {
	f, err := os.Open(c.path(c.file))
	if err != nil {
		return nil, usage("--file: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	list, err := takeover.ReadPositions(f)
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
	params, hidden, err := a.resolveSecrets(it.params)
	if err != nil {
		return move{}, usage("item %s: %w", at.Item, err)
	}
	value, err := r.Resume(harvest.Request{Item: it.Key, Params: params}, at.At)
	if err != nil {
		return move{}, usage("item %s: %s", at.Item, secrets.Redact(harvest.AsError(err).Error(), hidden))
	}
	return move{Item: it.Item, After: value}, nil
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

// whose is the item that was named: wholly, or as one that a run has seen.
func (c *checkpointsSet) whose(ctx context.Context, s Store) (harvest.Item, error) {
	f := c.filter()
	if f.Campaign != "" && f.Entry != "" {
		_, err := c.findCampaign(ctx, s, f.Campaign)
		return harvest.Item{Campaign: f.Campaign, Entry: f.Entry, Key: f.Key}, err
	}
	it, err := c.findItem(ctx, s, c.itemFlags, c.item)
	return it.Item, err
}

// move sets checkpoints and tells before and after.
func (p *program) move(ctx context.Context, s Store, lane string, moves []move) error {
	if err := before(ctx, s, lane, moves); err != nil {
		return err
	}
	if err := inFlight(ctx, s, lane, moves); err != nil {
		return err
	}
	if err := p.aim(ctx, false, "set "+print.Count(len(moves), "checkpoint")); err != nil {
		return err
	}
	for i, m := range moves {
		if err := s.SetCheckpoint(ctx, m.Item, lane, m.After); err != nil {
			return fmt.Errorf("%w; %d of %d checkpoints were set", err, i, len(moves))
		}
		if err := s.Record(ctx, rows.Event{At: p.env.Now(), By: p.who(), Verb: "set checkpoint", On: m.Item.String(), Note: print.End(string(m.After), 500)}); err != nil {
			return err
		}
	}
	p.moved(moves)
	return nil
}

func (p *program) moved(moves []move) {
	list := p.out.List()
	table := print.NewTable(print.Flex("ITEM"), print.Flex("BEFORE"), print.Flex("AFTER"))
	for _, m := range moves {
		list.Add(m)
		table.Row(m.Item.String(), print.Dash(string(m.Before)), string(m.After))
	}
	list.End()
	if len(moves) == 1 {
		p.out.Printf("item     %s\nbefore   %s\nafter    %s\n", moves[0].Item, print.Wrap(print.Dash(string(moves[0].Before)), 9, 9), print.Wrap(string(moves[0].After), 9, 9))
		return
	}
	p.out.Table(table)
	p.out.Printf("%s set\n", print.Count(len(moves), "checkpoint"))
}

// before fills in where the items stand.
func before(ctx context.Context, s Store, lane string, moves []move) error {
	now := map[harvest.Item]json.RawMessage{}
	seen := map[string]bool{}
	for _, m := range moves {
		if seen[m.Item.Campaign] {
			continue
		}
		seen[m.Item.Campaign] = true
		found, err := s.Checkpoints(ctx, rows.CheckpointFilter{Campaign: m.Item.Campaign, Lane: &lane})
		if err != nil {
			return err
		}
		for _, cp := range found {
			now[cp.Item] = cp.Value
		}
	}
	for i := range moves {
		moves[i].Before = now[moves[i].Item]
	}
	return nil
}

// inFlight refuses items that a worker has in hand: its page would be lost, and
// what it asks next would not be from here.
func inFlight(ctx context.Context, s Store, lane string, moves []move) error {
	meant := map[harvest.Item]bool{}
	for _, m := range moves {
		meant[m.Item] = true
	}
	open, err := s.OpenRuns(ctx)
	if err != nil {
		return err
	}
	for _, r := range open {
		if r.Lane != lane {
			continue
		}
		items, err := s.RunItems(ctx, r.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemClaimed}})
		if err != nil {
			return err
		}
		for _, it := range items {
			if item := (harvest.Item{Campaign: r.Campaign, Entry: it.Entry, Key: it.Key}); meant[item] {
				return fmt.Errorf("%s is in flight in run %s; nothing was changed. Wait for it, or stop it: starter runs pause %s", item, r.WorkflowID, r.WorkflowID)
			}
		}
	}
	return nil
}
