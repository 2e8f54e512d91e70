package items

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/planner"
)

type itemsShow struct {
	*program.Program
	scope.ItemFlags
}

func newItemsShow(p *program.Program) *cobra.Command {
	c := &itemsShow{Program: p}
	cmd := &cobra.Command{
		Use: "show KEY", Short: "Show one item: how it fares and where it goes on",
		Long:    "Show one item across runs: its address, its outcome, what it met last, how its\nlast runs ended, its checkpoint.",
		Example: "  starter items show ansa-economia",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.Add(p, cmd)
	return cmd
}

// itemDetail is all that `items show` tells.
type itemDetail struct {
	itemStory
	History     []rows.PastRun    `json:"history"` // the newest first
	Checkpoints []rows.Checkpoint `json:"checkpoints"`
	// Budget is what is used of its campaign's limits, and of its entry's.
	Budget []planner.BudgetUse `json:"budget,omitempty"`
}

func (c *itemsShow) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	it, err := scope.FindItem(ctx, c.Program, s, c.ItemFlags, args[0])
	if err != nil {
		return err
	}
	st, err := story(ctx, s, it)
	if err != nil {
		return err
	}
	gone, err := newFileless(ctx, c.Program, s)
	if err != nil {
		return err
	}
	st.NoFile = gone.has(ctx, it.Item)
	d := itemDetail{itemStory: st, History: st.Past[:min(len(st.Past), shownRuns)]}
	if d.Checkpoints, err = s.Checkpoints(ctx, rows.CheckpointFilter{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key}); err != nil {
		return err
	}
	if d.Budget, err = budgetOf(ctx, s, it.Item, c.Clock.Now()); err != nil {
		return err
	}
	c.Out.Value(d)
	c.Out.Printf("%s", itemScreen(d, c.Clock))
	return nil
}

func itemScreen(d itemDetail, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" && text != "-" {
			b.WriteString(print.Pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("item", d.Item.Item.String())
	line("label", d.Label)
	line("address", d.Address)
	line("fetcher", d.Fetcher)
	line("host", d.Host)
	line("outcome", strings.TrimSpace(strings.ToUpper(string(d.Outcome))+" "+print.Parens(diagnose.Streak(d.Item), d.Streak > 1)))
	if d.NoFile {
		line("file", "no campaign file has it any more; its documents and its checkpoint stay")
	}
	if !d.Since.IsZero() {
		line("since", c.Full(d.Since))
	}
	line("why", d.whyText(c))
	if d.Paused != nil {
		line("paused", strings.TrimSpace(hold.PauseText(d.Paused, c)))
	}
	line("last run", strings.TrimSpace(d.LastRun+" "+print.Parens(c.Full(d.LastAt), !d.LastAt.IsZero())))
	line("last good", c.Full(d.LastGood))
	line("last new", c.Full(d.LastNew))
	line("documents", print.Number(d.Documents))
	line("first seen", c.Full(d.FirstSeen))
	line("budget", planner.BudgetWords(d.Budget))
	line("full pass", diagnose.Pass(d.Pass, c))
	for _, cp := range d.Checkpoints {
		if len(cp.Value) == 0 {
			continue // nothing was committed yet
		}
		name := "checkpoint"
		if cp.Lane != "" {
			name = "lane " + cp.Lane
		}
		line(name, fmt.Sprintf("%s (version %d, %s)", print.End(string(cp.Value), 400), cp.Version, c.NearZone(cp.UpdatedAt)))
	}
	if len(d.History) > 1 {
		b.WriteString("\n" + pastTable(d.History, d.Address, c).String())
	}
	return b.String()
}

func pastTable(past []rows.PastRun, address string, c print.Clock) *print.Table {
	t := print.NewTable(print.Right("ENDED "+c.ZoneName()), print.Word("OUTCOME"), print.Right("LISTED"), print.Right("NEW"), print.Right("CHANGED"), print.Right("DEL"), print.Right("QUAR"), print.Flex("WORKER"), print.Column{Head: "MET", Flex: true, Min: 8, End: true})
	for _, p := range past {
		t.Row(c.Near(p.ClosedAt), string(p.Outcome), print.Number(p.Tally.Listed), print.Number(p.Tally.New), print.Number(p.Tally.Changed),
			print.Number(p.Tally.Deleted), print.Number(p.Tally.Quarantined), print.Dash(p.Worker), print.Dash(itemStory{Error: p.Error, Address: address}.metText()))
	}
	return t
}
