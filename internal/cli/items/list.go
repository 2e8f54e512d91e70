package items

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/unsent"
)

type itemsList struct {
	*program.Program
	scope.ItemFlags
	unhealthy bool
	strict    bool
	limit     int
	tags      []string
	outcomes  []string
	text      string
}

func newItemsList(p *program.Program) *cobra.Command {
	c := &itemsList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List items with how they fare",
		Long: `List items with their last outcome, for how many runs in a row it has been as
good or as bad, and when they last ended well. KEY is the name that commands
take. An item that no campaign file has any more is marked, and never unhealthy.

With --unhealthy: those that need attention, since when, and why.`,
		Example: "  starter items list --campaign news --unhealthy --strict",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.Add(p, cmd)
	cmd.Flags().BoolVar(&c.unhealthy, "unhealthy", false, "only those that need attention")
	cmd.Flags().BoolVar(&c.strict, "strict", false, "with --unhealthy: exit 1 when there is one")
	cmd.Flags().IntVar(&c.limit, "limit", 200, "at most so many; 0: all")
	cmd.Flags().StringSliceVar(&c.tags, "tag", nil, "only of campaigns with this tag; several: with all of them")
	cmd.Flags().StringSliceVar(&c.outcomes, "outcome", nil, "only with this last outcome; may be repeated")
	cmd.Flags().StringVar(&c.text, "text", "", "only with this text in key, label, host or reason")
	program.Complete(cmd, "outcome", program.OutcomeNames()...)
	return cmd
}

func (c *itemsList) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	if c.strict && !c.unhealthy {
		return program.Usage("items list: --strict goes with --unhealthy")
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if err := c.Check(ctx, c.Program, s); err != nil {
		return err
	}
	items, err := c.items(ctx, s)
	if err != nil {
		return err
	}
	list := c.Out.List()
	for _, it := range items {
		list.Add(it)
	}
	list.End()
	c.Out.Table(c.table(items))
	if err := c.unsent(ctx, s); err != nil {
		return err
	}
	if c.strict && len(items) > 0 {
		return program.Quiet(program.ExitError)
	}
	if len(items) == 0 {
		c.Out.Printf("%s\n", c.nothing())
		return c.Elsewhere(ctx, s)
	}
	return nil
}

// nothing says what an empty list means.
func (c *itemsList) nothing() string {
	switch {
	case len(c.tags)+len(c.outcomes) > 0 || c.text != "":
		return "No items match."
	case c.unhealthy:
		return "No unhealthy items."
	default:
		return "No run has seen an item yet."
	}
}

// unsent is a line about notifications that could not be sent.
func (c *itemsList) unsent(ctx context.Context, s program.Store) error {
	found, err := unsent.UnsentOf(ctx, s, c.Campaign)
	if text := unsent.UnsentText(found, c.Clock); text != "" {
		c.Out.Printf("\n%s\n", print.Wrap("unsent: "+text, 0, 8))
	}
	return err
}

// items reads at most limit of them; of the unhealthy ones also what their runs
// tell.
func (c *itemsList) items(ctx context.Context, s program.Store) ([]itemStory, error) {
	filter := rows.ItemsFilter{Campaign: c.Campaign, Entry: c.Entry, Unhealthy: c.unhealthy, Text: c.text}
	var err error
	if filter.Campaigns, err = scope.Tagged(ctx, s, c.tags); err != nil {
		return nil, err
	}
	if filter.Outcomes, err = program.Outcomes(c.outcomes); err != nil {
		return nil, err
	}
	found, err := s.Items(ctx, filter)
	if err != nil {
		return nil, err
	}
	gone, err := newFileless(ctx, c.Program, s)
	if err != nil {
		return nil, err
	}
	var out []itemStory
	for _, it := range found {
		if c.limit > 0 && len(out) == c.limit {
			break
		}
		st := itemStory{Item: it, NoFile: gone.has(ctx, it.Item)}
		if c.unhealthy && st.NoFile {
			continue
		}
		if c.unhealthy {
			if st, err = story(ctx, s, it); err != nil {
				return nil, err
			}
		}
		out = append(out, st)
	}
	return out, nil
}

func (c *itemsList) table(items []itemStory) *print.Table {
	zone := " " + c.Clock.ZoneName()
	if c.unhealthy {
		t := print.NewTable(print.Flex("CAMPAIGN"), print.Key("KEY"), print.Word("OUTCOME"), print.Right("SINCE"+zone), print.Column{Head: "WHY", Flex: true, Min: 8, End: true})
		for _, it := range items {
			t.Row(it.Campaign, it.Key, itemState(it), c.Clock.Near(it.Since), it.whyLine(c.Clock))
		}
		if !slices.ContainsFunc(items, func(it itemStory) bool { return it.Campaign != items[0].Campaign }) && len(items) > 0 {
			t = t.Without("CAMPAIGN") // the room is for the reason
		}
		return t
	}
	t := print.NewTable(print.Flex("CAMPAIGN"), print.Key("KEY"), print.Flex("LABEL"), print.Word("OUTCOME"), print.Right("STREAK"),
		print.Right("GOOD"+zone), print.Right("NEW"+zone), print.Right("DOCS"))
	for _, it := range items {
		t.Row(it.Campaign, it.Key, it.Label, itemState(it), print.Number(it.Streak), c.Clock.Near(it.LastGood), c.Clock.Near(it.LastNew), print.Number(it.Documents))
	}
	return spareLabels(t, items, "NEW"+zone)
}

// spareLabels leaves out labels where there are none; they give way to keys, and
// then other columns do.
func spareLabels(t *print.Table, items []itemStory, heads ...string) *print.Table {
	if !slices.ContainsFunc(items, func(it itemStory) bool { return it.Label != "" && it.Label != it.Key }) {
		t = t.Without("LABEL")
	}
	return t.Spare(append([]string{"LABEL"}, heads...)...)
}

func itemState(it itemStory) string {
	switch {
	case it.NoFile:
		return "no longer in any file"
	case it.Paused != nil:
		return "paused"
	default:
		return print.Dash(string(it.Outcome))
	}
}
