package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type campaignsList struct {
	*program.Program
	project string
	tags    []string
	removed bool
}

func newCampaignsList(p *program.Program) *cobra.Command {
	c := &campaignsList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List the campaigns that were applied",
		Long:    "List the campaigns that were applied, with their last run of all items and their\nnext.",
		Example: "  starter campaigns list --tag gazzetta",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.project, "project", "", "only of this project")
	f.StringArrayVar(&c.tags, "tag", nil, "only with this tag; may be repeated")
	f.BoolVar(&c.removed, "removed", false, "also those that were removed")
	return cmd
}

// campaignView is a campaign with its last run and its next.
type campaignView struct {
	rows.Campaign
	Last *rows.Run `json:"last_run,omitempty"`
	Next time.Time `json:"next,omitzero"`

	effective campaigns.Campaign
}

func (c *campaignsList) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, err := s.Campaigns(ctx, c.project, c.removed)
	if err != nil {
		return err
	}
	list := c.Out.List()
	table := print.NewTable(print.Key("CAMPAIGN"), print.Flex("SCHEDULE"), print.Word("LAST RUN"),
		print.Right("STARTED "+c.Clock.ZoneName()), print.Left("NEXT "+c.Clock.ZoneName()))
	for _, row := range all {
		v, err := view(ctx, c.Program, s, row)
		if err != nil {
			return err
		}
		if !hasTags(v.effective.Tags, c.tags) {
			continue
		}
		list.Add(v)
		last, at := "-", "-"
		if v.Last != nil {
			last, at = watch.RunWord(*v.Last), c.Clock.Near(v.Last.StartedAt)
		}
		table.Row(v.Name, scheduleWords(v.effective), last, at, nextWord(c.Program, v))
	}
	list.End()
	c.Out.Table(table)
	if table.Len() == 0 {
		c.Out.Printf("No campaigns yet; write one, then: starter campaigns apply campaigns/\n")
		return c.Elsewhere(ctx, s)
	}
	return nil
}

func view(ctx context.Context, p *program.Program, s program.Store, row rows.Campaign) (campaignView, error) {
	v := campaignView{Campaign: row}
	var err error
	if v.effective, err = campaigns.Decode(row.Definition.Spec); err != nil {
		return v, fmt.Errorf("campaign %s: %w", row.Name, err)
	}
	if v.Last, err = lastFull(ctx, s, row.Name); err != nil {
		return v, err
	}
	if v.effective.Schedule != nil && row.Paused == nil && row.Removed.IsZero() {
		if next := v.effective.Schedule.Next(p.Env.Now(), 1); len(next) > 0 {
			v.Next = next[0]
		}
	}
	return v, nil
}

// lookedBack is over how many runs the last full one is looked for.
const lookedBack = 50

// lastFull is the last run of all items of a campaign: runs of some, trials and
// backfills say nothing of the others. Where there was none, the last run.
func lastFull(ctx context.Context, s program.Store, campaign string) (*rows.Run, error) {
	runs, err := s.Runs(ctx, rows.RunFilter{Campaign: campaign, Limit: lookedBack})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	if i := slices.IndexFunc(runs, full); i >= 0 {
		return &runs[i], nil
	}
	return &runs[0], nil
}

func full(r rows.Run) bool {
	var start steps.Start
	err := json.Unmarshal(r.Overrides, &start)
	return r.RetryOf == "" && r.Lane == "" && (err != nil || len(start.Items) == 0 && start.Limit == 0 && start.Window.IsZero())
}

func nextWord(p *program.Program, v campaignView) string {
	switch {
	case !v.Removed.IsZero():
		return "removed"
	case v.Paused != nil:
		return "paused"
	default:
		return p.Clock.Near(v.Next)
	}
}

func scheduleWords(c campaigns.Campaign) string {
	if c.Schedule == nil {
		return "by hand"
	}
	return c.Schedule.String()
}

func hasTags(have, want []string) bool {
	for _, w := range want {
		if !strings.Contains(" "+strings.Join(have, " ")+" ", " "+w+" ") {
			return false
		}
	}
	return true
}

// itemsOf returns the campaign's known items.
func itemsOf(ctx context.Context, s program.Store, campaign string) (total, unhealthy int, err error) {
	items, err := s.Items(ctx, rows.ItemsFilter{Campaign: campaign})
	for _, it := range items {
		if it.Outcome.Severity() != outcomes.OK && it.Outcome != "" {
			unhealthy++
		}
	}
	return len(items), unhealthy, err
}
