package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
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

func (f *checkpointFlags) filter() rows.CheckpointFilter {
	if path, ok := itemPath(f.item); ok && f.entry == "" {
		return rows.CheckpointFilter{Campaign: path.Campaign, Entry: path.Entry, Key: path.Key}
	}
	return rows.CheckpointFilter{Campaign: f.campaign, Entry: f.entry, Key: f.item}
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
	found, err := s.Checkpoints(cmd.Context(), c.filter())
	if err != nil {
		return err
	}
	list := c.out.List()
	table := print.NewTable(print.Flex("ITEM"), print.Right("VERSION"), print.Right("WRITTEN "+c.clock.ZoneName()), print.Flex("VALUE"))
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
	found, err := s.Checkpoints(ctx, f.filter())
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

type checkpointsSet struct {
	*program
	checkpointFlags
	lane string
}

func newCheckpointsSet(p *program) *cobra.Command {
	c := &checkpointsSet{program: p}
	cmd := &cobra.Command{
		Use: "set VALUE...", Short: "Say where an item goes on",
		Long: `Write an item's checkpoint: a JSON value, or key=value pairs. A page in work is
dropped. The item may be one that no run has seen yet: then name campaign, entry
and key.`,
		Example: "  starter checkpoints set --campaign repositories --entry partners --item x from=2026-05-01",
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	c.add(p, cmd)
	cmd.Flags().StringVar(&c.lane, "lane", "", "of a backfill instead of the live lane")
	return cmd
}

func (c *checkpointsSet) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	value, err := c.value(args)
	if err != nil {
		return err
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	item, err := c.whose(ctx, s)
	if err != nil {
		return err
	}
	if err := c.aim(ctx, false, "set the checkpoint of "+item.String()); err != nil {
		return err
	}
	if err := s.SetCheckpoint(ctx, item, c.lane, value); err != nil {
		return err
	}
	c.out.Value(map[string]any{"item": item, "value": value})
	c.out.Printf("%s  %s\n", item, value)
	return s.Record(ctx, rows.Event{At: c.env.Now(), By: c.who(), Verb: "set checkpoint", On: item.String(), Note: print.End(string(value), 500)})
}

func (c *checkpointsSet) value(args []string) (json.RawMessage, error) {
	if len(args) == 1 && json.Valid([]byte(args[0])) {
		return json.RawMessage(args[0]), nil
	}
	for _, a := range args {
		if !strings.Contains(a, "=") {
			return nil, usage("checkpoints set %s: write a JSON value, or key=value pairs", a)
		}
	}
	m := map[string]json.RawMessage{}
	for _, a := range args {
		key, text, _ := strings.Cut(a, "=")
		v, err := typed(text, "any")
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
	return json.Marshal(m)
}

// whose is the item that was named: wholly, or as one that a run has seen.
func (c *checkpointsSet) whose(ctx context.Context, s Store) (harvest.Item, error) {
	f := c.filter()
	if f.Key == "" {
		return harvest.Item{}, usage("checkpoints set: say whose, with --item KEY")
	}
	if f.Campaign != "" && f.Entry != "" {
		_, err := c.findCampaign(ctx, s, f.Campaign)
		return harvest.Item{Campaign: f.Campaign, Entry: f.Entry, Key: f.Key}, err
	}
	it, err := c.findItem(ctx, s, c.itemFlags, c.item)
	return it.Item, err
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
	filter := c.filter()
	if filter.Campaign == "" && filter.Key == "" {
		return usage("checkpoints reset: say whose, with --campaign or --item")
	}
	s, err := c.Store(ctx)
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
