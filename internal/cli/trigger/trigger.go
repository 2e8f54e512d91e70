package trigger

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/times"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type trigger struct {
	*program.Program
	campaign   string
	fetcher    string
	given      []string
	processors int
	items      []string
	again      bool
	refresh    bool
	limit      int
	from       string
	until      string
	at         string
	in         string
	detach     bool
	strict     bool
}

// New makes `starter trigger`.
func New(p *program.Program) *cobra.Command {
	c := &trigger{Program: p}
	cmd := &cobra.Command{
		Use: "trigger [CAMPAIGN]", Short: "Start a run now and watch it",
		Long: `Start a run of a campaign, or of one fetcher without a campaign, and watch it
until it has ended. Ctrl-C ends the watching, not the run. It goes through the
same gate as a scheduled run: while one is going on, the campaign's overlap
policy decides. A paused campaign runs too: the pause is of its schedule.

With --at or --in the run starts by itself at that time, with this machine on or
off; see it with starter runs planned, take it back with starter runs cancel.`,
		Example: "  starter trigger --campaign news --item ansa-economia --again",
		Args:    cobra.MaximumNArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteCampaigns,
	}
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "", "the campaign to run")
	f.StringVar(&c.fetcher, "fetcher", "", "the fetcher to run without a campaign")
	program.AddParams(f, &c.given)
	f.IntVar(&c.processors, "processors", 0, "items in flight at a time; 0: as the campaign says")
	f.StringArrayVar(&c.items, "item", nil, "only the item with this key; may be repeated")
	f.BoolVar(&c.again, "again", false, "ask for everything once more; checkpoints do not move back")
	f.BoolVar(&c.refresh, "refresh", false, "make full passes now, due or not: list everything, then delete what is no longer listed")
	f.IntVar(&c.limit, "limit", 0, "a trial: end each item after so many documents, store nothing")
	f.StringVar(&c.from, "from", "", "nothing older than this time")
	f.StringVar(&c.until, "until", "", "only what is older than this time")
	f.StringVar(&c.at, "at", "", "start at this time instead of now: 18:00, or 2026-05-04T06:00")
	f.StringVar(&c.in, "in", "", "start after so long: 2h")
	f.BoolVarP(&c.detach, "detach", "d", false, "return once it is started")
	f.BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	p.CompleteFlag(cmd, "fetcher", p.CompleteFetchers)
	return cmd
}

func (c *trigger) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if len(args) == 1 {
		if c.campaign != "" {
			return program.Usage("trigger: %s and --campaign %s both name a campaign; one run is of one", args[0], c.campaign)
		}
		c.campaign = args[0]
	}
	start, camp, err := c.start(ctx)
	if err != nil {
		return err
	}
	id := watch.HandID(c.Program, camp.Name)
	if !start.At.IsZero() {
		id = func(try int) string { return workflows.HandID(camp.Name, start.At.Add(time.Duration(try)*time.Second)) }
	}
	return watch.StartAndWatch(ctx, c.Program, watch.Launch{Id: id, Campaign: camp, Start: start, Detach: c.detach, Strict: c.strict})
}

// start is the run's input, and the campaign it is of.
func (c *trigger) start(ctx context.Context) (in steps.Start, camp campaigns.Campaign, err error) {
	in = steps.Start{
		Campaign: c.campaign, Processors: c.processors, Items: c.items, ForceRefresh: c.again, Refresh: c.refresh, Limit: c.limit,
		Trigger: steps.TriggerHand, TriggeredBy: c.Who(),
	}
	if (c.campaign == "") == (c.fetcher == "") {
		return in, camp, program.Usage("trigger: say either --campaign NAME or --fetcher NAME")
	}
	if c.processors < 0 || c.limit < 0 {
		return in, camp, program.Usage("trigger: --processors and --limit must not be negative")
	}
	if in.Window, err = c.Window(c.from, c.until); err != nil {
		return in, camp, err
	}
	if in.At, err = c.later(); err != nil {
		return in, camp, err
	}
	if c.fetcher != "" {
		camp, err = c.withFetcher(&in)
	} else {
		camp, err = c.withCampaign(ctx, &in)
	}
	return in, camp, err
}

// later is when the run is to start; zero: now.
func (c *trigger) later() (time.Time, error) {
	if c.at != "" && c.in != "" {
		return time.Time{}, program.Usage("trigger: --at %s and --in %s both say when; one run starts once", c.at, c.in)
	}
	if c.in != "" {
		d, err := times.ParseDuration(c.in)
		if err != nil || d <= 0 {
			return time.Time{}, program.Usage("--in %s: not a length of time ahead; write one such as 2h", c.in)
		}
		return c.Env.Now().Add(d).UTC(), nil
	}
	at, err := c.Future("at", c.at)
	return at.UTC(), err
}

func (c *trigger) withFetcher(in *steps.Start) (camp campaigns.Campaign, err error) {
	kind, err := c.Env.Fetchers.Find(c.fetcher)
	if err != nil {
		return camp, program.Usage("%w", err)
	}
	in.Fetcher = kind.Name
	if in.Params, err = c.Overrides(c.given, source.OrNone(kind.Fields())); err != nil {
		return camp, err
	}
	if in.Params, err = kind.Imply(c.fetcher, in.Params); err != nil {
		return camp, err
	}
	return campaigns.Adhoc(kind.Name, in.Params, c.processors), source.CheckParams(kind, in.Params)
}

func (c *trigger) withCampaign(ctx context.Context, in *steps.Start) (camp campaigns.Campaign, err error) {
	s, err := c.Store(ctx)
	if err != nil {
		return camp, err
	}
	row, err := scope.FindCampaign(ctx, c.Program, s, c.campaign)
	if err != nil {
		return camp, err
	}
	if row.Paused != nil {
		c.Say("%s is paused%s; a run by hand goes all the same", row.Name, hold.PauseText(row.Paused, c.Clock))
	}
	if camp, err = campaigns.Decode(row.Definition.Spec); err != nil {
		return camp, err
	}
	if err := watch.Refreshes(camp, *in); err != nil {
		return camp, err
	}
	if in.Items, err = scope.StartKeys(ctx, c.Program, s, camp, c.items); err != nil {
		return camp, err
	}
	in.Params, err = c.Overrides(c.given, c.fieldsOf(camp))
	return camp, err
}

// fieldsOf returns the params of a campaign's only fetcher; nil where there are
// several, or where this program does not know it.
func (c *trigger) fieldsOf(camp campaigns.Campaign) []paramspec.Field {
	if len(camp.Entries) != 1 {
		return nil
	}
	kind, err := c.Env.Fetchers.Find(camp.Entries[0].Fetcher)
	if err != nil {
		return nil
	}
	return source.OrNone(kind.Fields())
}
