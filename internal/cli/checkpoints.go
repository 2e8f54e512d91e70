package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func newCheckpoints(p *program) *cobra.Command {
	return group("checkpoints", "Where items go on",
		"A checkpoint is where an item goes on at its next run. Its name is campaign /\nentry / key, also news/feed/ansa-economia.",
		"  starter checkpoints list --campaign news",
		newCheckpointsList(p), newCheckpointsShow(p), newCheckpointsSet(p), newCheckpointsReset(p))
}

type checkpointFlags struct {
	itemFlags
	item string
}

func (f *checkpointFlags) add(p *program, cmd *cobra.Command) {
	f.itemFlags.add(p, cmd)
	cmd.Flags().StringVar(&f.item, "item", "", "only of the item with this key")
}

// named takes names as they were typed.
func (f *checkpointFlags) named() rows.CheckpointFilter {
	if path, ok := itemPath(f.item); ok && f.entry == "" {
		return rows.CheckpointFilter{Campaign: path.Campaign, Entry: path.Entry, Key: path.Key}
	}
	return rows.CheckpointFilter{Campaign: f.campaign, Entry: f.entry, Key: f.item}
}

// filter resolves names; one that nothing has is a usage error. A checkpoint may
// be there before any run has seen its item.
func (f *checkpointFlags) filter(ctx context.Context, p *program, s Store) (rows.CheckpointFilter, error) {
	key := f.named()
	if f.item != "" {
		if found, err := s.Checkpoints(ctx, key); err != nil || len(found) > 0 {
			return key, err
		}
	}
	of, item, err := p.narrow(ctx, s, f.itemFlags, f.item)
	return rows.CheckpointFilter{Campaign: of.campaign, Entry: of.entry, Key: item}, err
}

type checkpointsList struct {
	*program
	checkpointFlags
}

func newCheckpointsList(p *program) *cobra.Command {
	c := &checkpointsList{program: p}
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
	filter, err := c.filter(cmd.Context(), c.program, s)
	if err != nil {
		return err
	}
	found, err := s.Checkpoints(cmd.Context(), filter)
	if err != nil {
		return err
	}
	list := c.out.List()
	table := print.NewTable(print.Key("ITEM"), print.Right("VERSION"), print.Right("WRITTEN "+c.clock.ZoneName()), print.Flex("VALUE"))
	for _, cp := range found {
		list.Add(cp)
		table.Row(checkpointName(cp), print.Number(cp.Version), c.clock.Near(cp.UpdatedAt), string(cp.Value))
	}
	list.End()
	c.out.Table(table)
	if len(found) == 0 {
		c.out.Printf("(none)\n")
		return c.elsewhere(cmd.Context(), s)
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
	*program
	itemFlags
}

func newCheckpointsShow(p *program) *cobra.Command {
	c := &checkpointsShow{program: p}
	cmd := &cobra.Command{
		Use: "show ITEM", Short: "Show an item's checkpoint",
		Long:    "Show an item's checkpoint as JSON, for `fetchers try --checkpoint`.",
		Example: "  starter checkpoints show ansa-economia",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.add(p, cmd)
	return cmd
}

func (c *checkpointsShow) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	f := checkpointFlags{itemFlags: c.itemFlags, item: args[0]}
	filter, err := f.filter(ctx, c.program, s)
	if err != nil {
		return err
	}
	found, err := s.Checkpoints(ctx, filter)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("checkpoint of %s: there is none, it begins at the beginning; see `starter checkpoints list`", args[0])
	}
	list := c.out.List()
	for _, cp := range found {
		list.Add(cp)
		c.out.Printf("item        %s\nvalue       %s\nversion     %d, written %s by %s\n", checkpointName(cp), cp.Value, cp.Version,
			c.clock.Full(cp.UpdatedAt), print.Dash(cp.Run))
	}
	list.End()
	return nil
}

type checkpointsReset struct {
	*program
	checkpointFlags
}

func newCheckpointsReset(p *program) *cobra.Command {
	c := &checkpointsReset{program: p}
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
	if c.campaign == "" && c.item == "" {
		return usage("checkpoints reset: say whose, with --campaign or --item")
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	filter, err := c.filter(ctx, c.program, s)
	if err != nil {
		return err
	}
	found, err := s.Checkpoints(ctx, filter)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("checkpoints reset: there is none to throw away; see `starter checkpoints list`")
	}
	var names []string
	for _, cp := range found {
		names = append(names, checkpointName(cp))
	}
	question := fmt.Sprintf("throw away %s (%s)", print.Count(len(found), "checkpoint"), some(names))
	c.sure = true
	if err := c.aim(ctx, false, question); err != nil {
		return err
	}
	n, err := s.ResetCheckpoints(ctx, filter)
	if err != nil {
		return err
	}
	c.out.Value(map[string]int{"reset": n})
	c.out.Printf("%s thrown away\n", print.Count(n, "checkpoint"))
	return s.Record(ctx, rows.Event{At: c.env.Now(), By: c.who(), Verb: "reset checkpoints", On: strings.Trim(filter.Campaign+" / "+filter.Entry+" / "+filter.Key, " /")})
}
