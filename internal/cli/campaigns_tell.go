package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/rollout"
	"github.com/vendemmia/vendemmia/workflows"
)

type campaignsPause struct {
	*program
	note  string
	until string
	all   bool
}

func newCampaignsPause(p *program) *cobra.Command {
	c := &campaignsPause{program: p}
	cmd := &cobra.Command{
		Use: "pause NAME...", Short: "Let a campaign rest: no run is started on schedule",
		Long: `Pause the schedule of campaigns. A run that is going on goes on; a run by hand
works. An apply leaves the pause as it is. With --all every campaign that is
awake is paused, under one name that resume --all undoes.`,
		Example: `  starter campaigns pause news --note "feeds.csv under repair" --until "1 Jun"`,
		RunE:    c.run, ValidArgsFunction: p.completeCampaigns,
	}
	f := cmd.Flags()
	f.StringVar(&c.note, "note", "", "why; shown to whoever looks")
	f.StringVar(&c.until, "until", "", "when the pause is over; it is shown, and resumed by hand")
	f.BoolVar(&c.all, "all", false, "every campaign that is not paused")
	return cmd
}

func (c *campaignsPause) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	until, err := c.future("until", c.until)
	if err != nil {
		return err
	}
	pause := rows.Pause{By: c.who(), At: c.env.Now(), Note: c.note, Until: until}
	if c.all {
		pause.Token = "all-" + c.env.Now().UTC().Format("20060102T150405Z")
	}
	names, err := c.chosen(ctx, args, c.all, func(r rows.Campaign) bool { return r.Paused == nil })
	if err != nil {
		return err
	}
	return c.each(ctx, names, "pause", func(ctx context.Context, r *rollout.Rollout, name string) (string, error) {
		return "paused" + pauseText(&pause, c.clock), r.Pause(ctx, name, pause)
	})
}

// asApplied reads a campaign in the form that schedules are made of.
func asApplied(ctx context.Context, s campaignStore, name string) (workflows.Applied, error) {
	row, err := s.Campaign(ctx, name)
	if err != nil {
		return workflows.Applied{}, err
	}
	d := row.Definition
	a := workflows.Applied{Version: d.Version, Digest: d.Digest, By: d.Author, File: d.File, Line: d.Line, Commit: d.Commit, At: d.AppliedAt}
	if row.Paused != nil {
		a.Pause = &workflows.Pause{By: row.Paused.By, At: row.Paused.At, Note: row.Paused.Note}
	}
	a.Campaign, err = campaigns.Decode(d.Spec)
	return a, err
}

// future reads a time that must lie ahead; a span counts from now.
func (p *program) future(flag, text string) (time.Time, error) {
	if d, ok := span(text); ok && text != "" {
		return p.env.Now().Add(d), nil
	}
	t, err := p.moment(flag, text)
	if err == nil && !t.IsZero() && !t.After(p.env.Now()) {
		return t, usage("--%s %s is not ahead of now", flag, text)
	}
	return t, err
}

// chosen returns the named campaigns, or all that fit.
func (p *program) chosen(ctx context.Context, args []string, all bool, fits func(rows.Campaign) bool) ([]string, error) {
	if all == (len(args) > 0) {
		return nil, usage("name the campaigns, or say --all")
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
	*program
	all bool
}

func newCampaignsResume(p *program) *cobra.Command {
	c := &campaignsResume{program: p}
	cmd := &cobra.Command{
		Use: "resume NAME...", Short: "Wake a paused campaign",
		Long: `Resume the schedule of campaigns. --all undoes the last pause --all and wakes
nothing that was asleep before it.`,
		Example: "  starter campaigns resume news",
		RunE:    c.run, ValidArgsFunction: p.completeCampaigns,
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
	names, err := c.chosen(ctx, args, c.all, func(r rows.Campaign) bool {
		return r.Paused != nil && r.Paused.Token != "" && r.Paused.Token == token
	})
	if err != nil {
		return err
	}
	return c.each(ctx, names, "resume", func(ctx context.Context, r *rollout.Rollout, name string) (string, error) {
		return "resumed", r.Resume(ctx, name, c.who(), c.env.Now())
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

type campaignsDelete struct {
	*program
	cancel bool
}

func newCampaignsDelete(p *program) *cobra.Command {
	c := &campaignsDelete{program: p}
	cmd := &cobra.Command{
		Use: "delete NAME...", Short: "Remove a campaign's schedule; what it collected stays",
		Long: `Remove campaigns: no more runs. Documents, checkpoints, runs and definitions
stay, and come back to life when a campaign of that name is applied again. It
always asks.`,
		Example: "  starter campaigns delete x-torino",
		Args:    cobra.MinimumNArgs(1), RunE: c.run, ValidArgsFunction: p.completeCampaigns,
	}
	cmd.Flags().BoolVar(&c.cancel, "cancel-runs", false, "also end runs that are going on")
	return cmd
}

func (c *campaignsDelete) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	c.sure = true
	return c.each(ctx, args, "delete", func(ctx context.Context, r *rollout.Rollout, name string) (string, error) {
		if err := r.Delete(ctx, name, c.who()); err != nil {
			return "", err
		}
		text, err := c.runsOf(ctx, name)
		return "removed; its documents and checkpoints stay" + text, err
	})
}

// runsOf tells of the runs that are going on, and ends them when that was asked.
func (c *campaignsDelete) runsOf(ctx context.Context, name string) (string, error) {
	s, err := c.Store(ctx)
	if err != nil {
		return "", err
	}
	open, err := c.openRuns(ctx, s, name)
	if err != nil || len(open) == 0 {
		return "", err
	}
	e, err := c.Engine(ctx)
	if err != nil {
		return "", err
	}
	text := ""
	for _, r := range open {
		if !c.cancel {
			text += "; " + r.WorkflowID + " goes on"
			continue
		}
		if err := e.Cancel(ctx, r.WorkflowID, ""); err != nil && !errors.Is(err, engine.ErrClosed) {
			return "", err
		}
		text += "; " + r.WorkflowID + " is told to stop"
	}
	return text, nil
}

func (p *program) openRuns(ctx context.Context, s runStore, campaign string) ([]rows.Run, error) {
	all, err := s.OpenRuns(ctx)
	var out []rows.Run
	for _, r := range all {
		if r.Campaign == campaign {
			out = append(out, r)
		}
	}
	return out, err
}
