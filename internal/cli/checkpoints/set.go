package checkpoints

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/takeover"
	"github.com/vendemmia/vendemmia/internal/units"
)

type checkpointsSet struct {
	*program.Program
	checkpointFlags
	lane string
	raw  string
	file string
}

func newCheckpointsSet(p *program.Program) *cobra.Command {
	c := &checkpointsSet{Program: p}
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
	f.StringVar(&c.raw, "json", "", "the checkpoint itself, as checkpoints show tells it")
	f.StringVar(&c.file, "file", "", "CSV of positions: item,from")
	program.Must(cmd.MarkFlagFilename("file", "csv"))
	return cmd
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
	return move(ctx, c.Program, s, c.lane, moves)
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
		return program.Usage("checkpoints set: say where to go on: from=2026-05-01, or --json VALUE, or --file positions.csv")
	case c.file != "" && c.item != "":
		return program.Usage("checkpoints set: --file names its items itself; leave out --item")
	case c.file == "" && c.item == "":
		return program.Usage("checkpoints set: say whose, with --item KEY, or many with --file positions.csv")
	case c.raw != "" && !json.Valid([]byte(c.raw)):
		return program.Usage("checkpoints set --json %s: not JSON", print.End(c.raw, 60))
	}
	return nil
}

func (c *checkpointsSet) moves(ctx context.Context, s program.Store, args []string) ([]Move, error) {
	if c.raw != "" {
		item, err := c.whose(ctx, s)
		return []Move{{Item: item, After: json.RawMessage(c.raw)}}, err
	}
	if c.file != "" {
		return c.many(ctx, s)
	}
	at, err := positionOf(args)
	if err != nil {
		return nil, err
	}
	m, err := resume(ctx, scope.NewInForce(c.Program, s), c.ItemFlags, takeover.Position{Item: c.item, At: at})
	return []Move{m}, err
}

func positionOf(args []string) (map[string]string, error) {
	at := map[string]string{}
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" || value == "" {
			return nil, program.Usage("checkpoints set %s: write from=2026-05-01, or a checkpoint as it is with --json", print.End(a, 60))
		}
		at[name] = value
	}
	return at, nil
}

// whose is the item that was named: wholly, or as one that a run has seen.
func (c *checkpointsSet) whose(ctx context.Context, s program.Store) (units.Item, error) {
	f := c.named()
	if f.Campaign != "" && f.Entry != "" {
		_, err := scope.FindCampaign(ctx, c.Program, s, f.Campaign)
		return units.Item{Campaign: f.Campaign, Entry: f.Entry, Key: f.Key}, err
	}
	it, err := scope.FindItem(ctx, c.Program, s, c.ItemFlags, c.item)
	return it.Item, err
}
