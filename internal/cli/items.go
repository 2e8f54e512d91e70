package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func newItems(p *program) *cobra.Command {
	return group("items", "The sources one by one, across runs",
		"An item is one fetcher with one set of params: what fails, is retried and goes\non by itself. Its name is campaign / entry / key; the key alone does where it is\nthe only one.",
		"  starter items list --unhealthy",
		newItemsList(p), newItemsShow(p), newItemsPause(p), newItemsResume(p), newItemsRetry(p))
}

// itemFlags select items.
type itemFlags struct {
	campaign string
	entry    string
}

func (i *itemFlags) add(p *program, cmd *cobra.Command) {
	cmd.Flags().StringVar(&i.campaign, "campaign", "", "only of this campaign")
	cmd.Flags().StringVar(&i.entry, "entry", "", "only of this entry of a campaign")
	p.completeFlag(cmd, "campaign", p.completeCampaigns)
}

type itemsList struct {
	*program
	itemFlags
	unhealthy bool
	limit     int
}

func newItemsList(p *program) *cobra.Command {
	c := &itemsList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List items with how they fare",
		Long:    "List items with their last outcome, for how many runs in a row it has been as\ngood or as bad, and when they last ended well.",
		Example: "  starter items list --campaign news --unhealthy",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	cmd.Flags().BoolVar(&c.unhealthy, "unhealthy", false, "only those that need a look")
	cmd.Flags().IntVar(&c.limit, "limit", 200, "at most so many; 0: all")
	return cmd
}

func (c *itemsList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	items, err := s.Items(cmd.Context(), rows.ItemsFilter{Campaign: c.campaign, Entry: c.entry, Unhealthy: c.unhealthy, Limit: c.limit})
	if err != nil {
		return err
	}
	list := c.out.List()
	zone := " " + c.clock.ZoneName()
	table := print.NewTable(print.Flex("CAMPAIGN"), print.Flex("ITEM"), print.Left("OUTCOME"), print.Right("STREAK"),
		print.Right("GOOD"+zone), print.Right("NEW"+zone), print.Right("DOCS"))
	for _, it := range items {
		list.Add(it)
		table.Row(it.Campaign, nameOf(it), itemState(it), print.Number(it.Streak), c.clock.Near(it.LastGood), c.clock.Near(it.LastNew), print.Number(it.Documents))
	}
	list.End()
	c.out.Table(table)
	if len(items) == 0 {
		c.out.Printf("%s\n", map[bool]string{true: "(none is unhealthy)", false: "(none seen yet)"}[c.unhealthy])
		return c.elsewhere(cmd.Context(), s)
	}
	return nil
}

func nameOf(it rows.Item) string {
	if it.Label != "" {
		return it.Label
	}
	return it.Key
}

func itemState(it rows.Item) string {
	if it.Paused != nil {
		return "paused"
	}
	return print.Dash(string(it.Outcome))
}

type itemsShow struct {
	*program
	itemFlags
}

func newItemsShow(p *program) *cobra.Command {
	c := &itemsShow{program: p}
	cmd := &cobra.Command{
		Use: "show KEY", Short: "Show one item: how it fares and where it goes on",
		Long:    "Show one item across runs: its outcome, its streak, its checkpoint.",
		Example: "  starter items show ansa-economia",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.add(p, cmd)
	return cmd
}

// itemDetail is all that `items show` tells.
type itemDetail struct {
	rows.Item
	Checkpoints []rows.Checkpoint `json:"checkpoints"`
}

func (c *itemsShow) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	it, err := c.findItem(ctx, s, c.itemFlags, args[0])
	if err != nil {
		return err
	}
	d := itemDetail{Item: it}
	if d.Checkpoints, err = s.Checkpoints(ctx, rows.CheckpointFilter{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key}); err != nil {
		return err
	}
	c.out.Value(d)
	c.out.Printf("%s", itemScreen(d, c.clock))
	return nil
}

func itemScreen(d itemDetail, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" && text != "-" {
			b.WriteString(pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("item", d.Item.Item.String())
	line("label", d.Label)
	line("fetcher", d.Fetcher)
	line("host", d.Host)
	line("outcome", strings.TrimSpace(strings.ToUpper(string(d.Outcome))+" "+parens(diagnose.Streak(d.Item), d.Streak > 1)))
	line("why", d.Why)
	if d.Paused != nil {
		line("paused", strings.TrimSpace(pauseText(d.Paused, c)))
	}
	line("last run", strings.TrimSpace(d.LastRun+" "+parens(c.Full(d.LastAt), !d.LastAt.IsZero())))
	line("last good", c.Full(d.LastGood))
	line("last new", c.Full(d.LastNew))
	line("documents", print.Number(d.Documents))
	line("first seen", c.Full(d.FirstSeen))
	line("full pass", diagnose.Pass(d.Pass, c))
	for _, cp := range d.Checkpoints {
		name := "checkpoint"
		if cp.Lane != "" {
			name = "lane " + cp.Lane
		}
		line(name, fmt.Sprintf("%s (version %d, %s)", print.End(string(cp.Value), 400), cp.Version, c.NearZone(cp.UpdatedAt)))
	}
	return b.String()
}

func parens(text string, show bool) string {
	if !show {
		return ""
	}
	return "(" + text + ")"
}

// findItem resolves a key, or campaign / entry / key.
func (p *program) findItem(ctx context.Context, s itemStore, f itemFlags, ref string) (rows.Item, error) {
	found, err := itemsNamed(ctx, s, f, ref)
	if err != nil {
		return rows.Item{}, err
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return rows.Item{}, fmt.Errorf("item %s: no run has seen it%s; see `starter items list`", ref, p.nearItem(ctx, s, f, ref))
	default:
		var names []string
		for _, it := range found {
			names = append(names, fmt.Sprintf("%q", it.Item.String()))
		}
		return rows.Item{}, usage("item %s: there are several; say which with --campaign and --entry: %s", ref, some(names))
	}
}

// itemsNamed returns the items a name fits: a key, else campaign/entry/key. A key
// may hold slashes itself, so it comes first.
func itemsNamed(ctx context.Context, s itemStore, f itemFlags, ref string) ([]rows.Item, error) {
	found, err := s.Items(ctx, rows.ItemsFilter{Campaign: f.campaign, Entry: f.entry, Key: ref})
	if err != nil || len(found) > 0 {
		return found, err
	}
	path, ok := itemPath(ref)
	if !ok {
		return nil, nil
	}
	return s.Items(ctx, rows.ItemsFilter{Campaign: path.Campaign, Entry: path.Entry, Key: path.Key})
}

// itemPath reads "news / feed / ansa", also without the blanks; an address is
// no path.
func itemPath(ref string) (harvest.Item, bool) {
	for _, by := range []string{" / ", "/"} {
		parts := strings.SplitN(ref, by, 3)
		if len(parts) == 3 && !strings.Contains(parts[0], ":") && parts[1] != "" {
			return harvest.Item{Campaign: parts[0], Entry: parts[1], Key: parts[2]}, true
		}
	}
	return harvest.Item{}, false
}

func (p *program) nearItem(ctx context.Context, s itemStore, f itemFlags, ref string) string {
	all, err := s.Items(ctx, rows.ItemsFilter{Campaign: f.campaign, Entry: f.entry, Limit: 10_000})
	if err != nil {
		return ""
	}
	var keys []string
	for _, it := range all {
		keys = append(keys, it.Key)
	}
	if near := harvest.Nearest(ref, keys); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}
