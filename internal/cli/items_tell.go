package cli

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type itemsPause struct {
	*program
	itemFlags
	note   string
	until  string
	resume bool
}

func newItemsPause(p *program) *cobra.Command {
	c := &itemsPause{program: p}
	cmd := &cobra.Command{
		Use: "pause KEY...", Short: "Leave items out of runs for a while",
		Long:    "Leave items out of their campaign's runs, which then are not amber because of\nthem. Their checkpoints stay.",
		Example: `  starter items pause nytimes-economy --note "moved, ask Ilse" --until 14d`,
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	c.add(p, cmd)
	cmd.Flags().StringVar(&c.note, "note", "", "why; shown to whoever looks")
	cmd.Flags().StringVar(&c.until, "until", "", "when the pause ends by itself; default: never")
	return cmd
}

func newItemsResume(p *program) *cobra.Command {
	c := &itemsPause{program: p, resume: true}
	cmd := &cobra.Command{
		Use: "resume KEY...", Short: "Take paused items into runs again",
		Long:    "Take paused items into their campaign's runs again, from where they stopped.",
		Example: "  starter items resume nytimes-economy",
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	c.add(p, cmd)
	return cmd
}

func (c *itemsPause) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	until, err := c.future("until", c.until)
	if err != nil {
		return err
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	var items []rows.Item
	for _, ref := range args {
		it, err := c.findItem(ctx, s, c.itemFlags, ref)
		if err != nil {
			return err
		}
		items = append(items, it)
	}
	verb, pause := "pause", &rows.Pause{By: c.who(), At: c.env.Now(), Note: c.note, Until: until}
	if c.resume {
		verb, pause = "resume", nil
	}
	if err := c.aim(ctx, false, verb+" "+some(args)); err != nil {
		return err
	}
	list := c.out.List()
	defer list.End()
	for _, it := range items {
		if err := s.PauseItem(ctx, it.Item, pause); err != nil {
			return err
		}
		if err := s.Record(ctx, rows.Event{At: c.env.Now(), By: c.who(), Verb: verb, On: it.Item.String(), Note: c.note}); err != nil {
			return err
		}
		list.Add(map[string]string{"item": it.Item.String(), "done": verb})
		c.out.Printf("%s  %sd%s\n", it.Item, verb, pauseText(pause, c.clock))
	}
	return nil
}

type itemsRetry struct {
	*program
	itemFlags
	again   bool
	refresh bool
	detach  bool
	strict  bool
}

func newItemsRetry(p *program) *cobra.Command {
	c := &itemsRetry{program: p}
	cmd := &cobra.Command{
		Use: "retry KEY...", Short: "Run some items of a campaign now",
		Long:    "Start a run of these items only. They go on from their checkpoints; with --again\neverything the source lists is asked for once more.",
		Example: "  starter items retry ansa-economia --again",
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	c.add(p, cmd)
	cmd.Flags().BoolVar(&c.again, "again", false, "ask for everything once more; checkpoints do not move back")
	cmd.Flags().BoolVar(&c.refresh, "refresh", false, "make a full pass now, due or not: list everything, then delete what is no longer listed")
	cmd.Flags().BoolVarP(&c.detach, "detach", "d", false, "return once it is started")
	cmd.Flags().BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	return cmd
}

func (c *itemsRetry) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	start := steps.Start{Again: c.again, Refresh: c.refresh, Trigger: steps.TriggerHand, TriggeredBy: c.who()}
	for _, ref := range args {
		it, err := c.findItem(ctx, s, c.itemFlags, ref)
		if err != nil {
			return err
		}
		if start.Campaign != "" && start.Campaign != it.Campaign {
			return usage("items retry: %s and %s are of two campaigns; one run is of one", args[0], ref)
		}
		start.Campaign = it.Campaign
		start.Items = append(start.Items, it.Key)
	}
	a, err := asApplied(ctx, s, start.Campaign)
	if err != nil {
		return err
	}
	return c.launch(ctx, launch{id: c.handID(start.Campaign), campaign: a.Campaign, start: start, detach: c.detach, strict: c.strict})
}
