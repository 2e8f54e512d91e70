package checkpoints

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

// New makes `starter checkpoints`.
func New(p *program.Program) *cobra.Command {
	return program.Group("checkpoints", "Where items go on",
		"A checkpoint is where an item goes on at its next run. Its name is campaign /\nentry / key, also news/feed/ansa-economia.",
		"  starter checkpoints list --campaign news",
		newCheckpointsList(p), newCheckpointsShow(p), newCheckpointsSet(p), newCheckpointsReset(p))
}

type checkpointFlags struct {
	scope.ItemFlags
	item string
}

func (f *checkpointFlags) add(p *program.Program, cmd *cobra.Command) {
	f.ItemFlags.Add(p, cmd)
	cmd.Flags().StringVar(&f.item, "item", "", "only of the item with this key")
}

// named takes names as they were typed.
func (f *checkpointFlags) named() rows.CheckpointFilter {
	if path, ok := scope.ItemPath(f.item); ok && f.Entry == "" {
		return rows.CheckpointFilter{Campaign: path.Campaign, Entry: path.Entry, Key: path.Key}
	}
	return rows.CheckpointFilter{Campaign: f.Campaign, Entry: f.Entry, Key: f.item}
}

// filter resolves names; one that nothing has is a usage error. A checkpoint may
// be there before any run has seen its item.
func (f *checkpointFlags) filter(ctx context.Context, p *program.Program, s program.Store) (rows.CheckpointFilter, error) {
	key := f.named()
	if f.item != "" {
		if found, err := s.Checkpoints(ctx, key); err != nil || len(found) > 0 {
			return key, err
		}
	}
	of, item, err := scope.Narrow(ctx, p, s, f.ItemFlags, f.item)
	return rows.CheckpointFilter{Campaign: of.Campaign, Entry: of.Entry, Key: item}, err
}

type checkpointsList struct {
	*program.Program
	checkpointFlags
}

func newCheckpointsList(p *program.Program) *cobra.Command {
	c := &checkpointsList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List checkpoints",
		Long:    "List checkpoints with their values and the run that wrote them.",
		Example: "  starter checkpoints list --campaign repositories",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	return cmd
}

func (c *checkpointsList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	filter, err := c.filter(cmd.Context(), c.Program, s)
	if err != nil {
		return err
	}
	found, err := s.Checkpoints(cmd.Context(), filter)
	if err != nil {
		return err
	}
	list := c.Out.List()
	table := print.NewTable(print.Key("ITEM"), print.Right("VERSION"), print.Right("WRITTEN "+c.Clock.ZoneName()), print.Flex("VALUE"))
	for _, cp := range found {
		list.Add(cp)
		table.Row(checkpointName(cp), print.Number(cp.Version), c.Clock.Near(cp.UpdatedAt), string(cp.Value))
	}
	list.End()
	c.Out.Table(table)
	if len(found) == 0 {
		c.Out.Printf("No checkpoints match.\n")
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

func checkpointName(cp rows.Checkpoint) string {
	if cp.Lane != "" {
		return cp.Item.String() + " (" + cp.Lane + ")"
	}
	return cp.Item.String()
}

type checkpointsShow struct {
	*program.Program
	scope.ItemFlags
}

func newCheckpointsShow(p *program.Program) *cobra.Command {
	c := &checkpointsShow{Program: p}
	cmd := &cobra.Command{
		Use: "show ITEM", Short: "Show an item's checkpoint",
		Long:    "Show an item's checkpoint as JSON, for `fetchers try --checkpoint`.",
		Example: "  starter checkpoints show ansa-economia",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.Add(p, cmd)
	return cmd
}

func (c *checkpointsShow) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	f := checkpointFlags{ItemFlags: c.ItemFlags, item: args[0]}
	filter, err := f.filter(ctx, c.Program, s)
	if err != nil {
		return err
	}
	found, err := s.Checkpoints(ctx, filter)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("checkpoint of %s: none is stored, the item starts from the beginning; see `starter checkpoints list`", args[0])
	}
	list := c.Out.List()
	for _, cp := range found {
		list.Add(cp)
		c.Out.Printf("item        %s\nvalue       %s\nversion     %d, written %s by %s\n", checkpointName(cp), cp.Value, cp.Version,
			c.Clock.Full(cp.UpdatedAt), print.Dash(cp.Run))
	}
	list.End()
	return nil
}

type checkpointsReset struct {
	*program.Program
	checkpointFlags
}

func newCheckpointsReset(p *program.Program) *cobra.Command {
	c := &checkpointsReset{Program: p}
	cmd := &cobra.Command{
		Use: "reset", Short: "Make items begin at their beginning",
		Long: `Throw checkpoints away: the items begin at the beginning of what their source
has. Documents stay; what is the same is not stored twice. To ask once more
without losing the position there is trigger --again. It always asks.`,
		Example: "  starter checkpoints reset --campaign news --item ansa-economia",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	return cmd
}

func (c *checkpointsReset) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	if c.Campaign == "" && c.item == "" {
		return program.Usage("checkpoints reset: say whose, with --campaign or --item")
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	filter, err := c.filter(ctx, c.Program, s)
	if err != nil {
		return err
	}
	found, err := s.Checkpoints(ctx, filter)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("checkpoints reset: no checkpoint matches; see `starter checkpoints list`")
	}
	var names []string
	for _, cp := range found {
		names = append(names, checkpointName(cp))
	}
	question := fmt.Sprintf("reset %s (%s)", print.Count(len(found), "checkpoint"), print.Some(names))
	c.Sure = true
	if err := c.Aim(ctx, false, question); err != nil {
		return err
	}
	n, err := s.ResetCheckpoints(ctx, filter)
	if err != nil {
		return err
	}
	c.Out.Value(map[string]int{"reset": n})
	c.Out.Printf("%s reset; the %s from the beginning\n", print.Count(n, "checkpoint"), map[bool]string{true: "item starts", false: "items start"}[n == 1])
	return s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: "reset checkpoints", On: strings.Trim(filter.Campaign+" / "+filter.Entry+" / "+filter.Key, " /")})
}
