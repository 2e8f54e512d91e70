package campaigns

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/planner"
)

type campaignsPause struct {
	*program.Program
	note  string
	until string
	all   bool
}

func newCampaignsPause(p *program.Program) *cobra.Command {
	c := &campaignsPause{Program: p}
	cmd := &cobra.Command{
		Use: "pause NAME...", Short: "Let a campaign rest: no run is started on schedule",
		Long: `Pause the schedule of campaigns. A run that is going on goes on; a run by hand
works. An apply leaves the pause as it is. With --all every campaign that is
awake is paused, under one name that resume --all undoes.`,
		Example: `  starter campaigns pause news --note "feeds.csv under repair" --until "1 Jun"`,
		RunE:    c.run, ValidArgsFunction: p.CompleteCampaigns,
	}
	f := cmd.Flags()
	f.StringVar(&c.note, "note", "", "why; shown wherever the pause is")
	f.StringVar(&c.until, "until", "", "when the pause ends by itself, within five minutes; default: never")
	f.BoolVar(&c.all, "all", false, "every campaign that is not paused")
	return cmd
}

func (c *campaignsPause) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	until, err := c.Future("until", c.until)
	if err != nil {
		return err
	}
	pause := rows.Pause{By: c.Who(), At: c.Env.Now(), Note: c.note, Until: until}
	if c.all {
		pause.Token = "all-" + c.Env.Now().UTC().Format("20060102T150405Z")
	}
	names, err := chosen(ctx, c.Program, args, c.all, func(r rows.Campaign) bool { return r.Paused == nil })
	if err != nil {
		return err
	}
	return each(ctx, c.Program, names, "pause", func(ctx context.Context, r *planner.Planner, name string) (string, error) {
		return "paused" + hold.PauseText(&pause, c.Clock), r.Pause(ctx, name, pause)
	})
}

// chosen returns the named campaigns, or all that fit.
func chosen(ctx context.Context, p *program.Program, args []string, all bool, fits func(rows.Campaign) bool) ([]string, error) {
	if all == (len(args) > 0) {
		return nil, program.Usage("name the campaigns, or say --all")
	}
	if !all {
		return args, nil
	}
	s, err := p.Store(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range list {
		if fits(r) {
			names = append(names, r.Name)
		}
	}
	return names, nil
}

type campaignsResume struct {
	*program.Program
	all bool
}

func newCampaignsResume(p *program.Program) *cobra.Command {
	c := &campaignsResume{Program: p}
	cmd := &cobra.Command{
		Use: "resume NAME...", Short: "Wake a paused campaign",
		Long: `Resume the schedule of campaigns. --all undoes the last pause --all and wakes
nothing that was asleep before it.`,
		Example: "  starter campaigns resume news",
		RunE:    c.run, ValidArgsFunction: p.CompleteCampaigns,
	}
	cmd.Flags().BoolVar(&c.all, "all", false, "what the last pause --all put to rest")
	return cmd
}

func (c *campaignsResume) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	token, err := c.lastToken(ctx)
	if err != nil {
		return err
	}
	names, err := chosen(ctx, c.Program, args, c.all, func(r rows.Campaign) bool {
		return r.Paused != nil && r.Paused.Token != "" && r.Paused.Token == token
	})
	if err != nil {
		return err
	}
	return each(ctx, c.Program, names, "resume", func(ctx context.Context, r *planner.Planner, name string) (string, error) {
		return "resumed", r.Resume(ctx, name, c.Who(), c.Env.Now())
	})
}

// lastToken names the newest pause --all.
func (c *campaignsResume) lastToken(ctx context.Context) (string, error) {
	if !c.all {
		return "", nil
	}
	s, err := c.Store(ctx)
	if err != nil {
		return "", err
	}
	list, err := s.Campaigns(ctx, "", false)
	token := ""
	for _, r := range list {
		if r.Paused != nil {
			token = max(token, r.Paused.Token)
		}
	}
	return token, err
}

// each does something to every named campaign, after saying what is touched. It
// asks when that is not on this machine, or when sure is wanted.
func each(ctx context.Context, p *program.Program, names []string, verb string, change func(context.Context, *planner.Planner, string) (string, error)) error {
	s, err := p.Store(ctx)
	if err != nil {
		return err
	}
	for _, n := range names {
		if _, err := scope.FindCampaign(ctx, p, s, n); err != nil {
			return err
		}
	}
	if err := p.Aim(ctx, true, verb+" "+print.Some(names)); err != nil {
		return err
	}
	r, err := newPlanner(ctx, p)
	if err != nil {
		return err
	}
	list := p.Out.List()
	defer list.End()
	for _, n := range names {
		text, err := change(ctx, r, n)
		if err != nil {
			return err
		}
		list.Add(map[string]string{"campaign": n, "done": verb, "text": text})
		p.Out.Printf("%s  %s\n", n, text)
	}
	return nil
}
