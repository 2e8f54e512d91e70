package stats

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/planner"
)

type budgetStats struct{ *program.Program }

func newBudget(p *program.Program) *cobra.Command {
	c := &budgetStats{p}
	return &cobra.Command{
		Use: "budget [CAMPAIGN...]", Short: "What campaigns have used of their budgets",
		Long: `Count what campaigns have used of their budgets: in the last run, this day and
this month, in the campaign's time zone. Where nothing is left, items end as
throttled, why budget, until UNTIL, or until the next run.`,
		Example:           "  starter stats budget genova-on-x",
		ValidArgsFunction: p.CompleteCampaigns, RunE: c.run,
	}
}

// budgetView is a limit as `stats budget` shows it.
type budgetView struct {
	Campaign string `json:"campaign"`
	planner.BudgetUse
	Left int64 `json:"left"`
}

func (c *budgetStats) run(cmd *cobra.Command, named []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, err := c.campaigns(ctx, s, named)
	if err != nil {
		return err
	}
	list := c.Out.List()
	table := print.NewTable(print.Key("CAMPAIGN"), print.Left("OF"), print.Left("PER"), print.Right("USED"), print.Right("LIMIT"), print.Right("LEFT"), print.Left("UNTIL"))
	for _, row := range all {
		used, err := c.used(ctx, s, row)
		if err != nil {
			return err
		}
		for _, u := range used {
			v := budgetView{Campaign: row.Name, BudgetUse: u, Left: max(0, u.Of-u.Used)}
			list.Add(v)
			table.Row(v.name(), u.What, u.Per, v.amount(u.Used), v.amount(u.Of), v.amount(v.Left), c.until(u))
		}
	}
	list.End()
	c.Out.Table(table)
	return nil
}

// campaigns are the named ones, or all.
func (c *budgetStats) campaigns(ctx context.Context, s program.Store, named []string) ([]rows.Campaign, error) {
	if len(named) == 0 {
		return s.Campaigns(ctx, "", false)
	}
	var all []rows.Campaign
	for _, name := range named {
		if err := scope.CheckCampaign(ctx, c.Program, s, name); err != nil {
			return nil, err
		}
		row, err := s.Campaign(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}

// used is what is used of each limit of a campaign; of those per run, in its last run.
func (c *budgetStats) used(ctx context.Context, s program.Store, row rows.Campaign) ([]planner.BudgetUse, error) {
	def, err := campaigns.Decode(row.Definition.Spec)
	if err != nil || len(def.AllLimits()) == 0 {
		return nil, err
	}
	list, err := planner.BudgetOf(ctx, s, &def, c.Env.Now())
	if err != nil {
		return nil, err
	}
	last, err := s.Runs(ctx, rows.RunFilter{Campaign: row.Name, Limit: 1})
	if err != nil || len(last) == 0 {
		return list, err
	}
	for i, u := range list {
		if u.Per != campaigns.PerRun {
			continue
		}
		if list[i].Used, err = s.Spent(ctx, row.Name, rows.SpendLimit{What: u.What, Entry: u.Entry, Run: last[0].ID}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (v budgetView) name() string {
	if v.Entry == "" {
		return v.Campaign
	}
	return v.Campaign + "/" + v.Entry
}

func (v budgetView) amount(n int64) string {
	if v.What == campaigns.Bytes {
		return print.Bytes(n)
	}
	return print.Number(n)
}

func (c *budgetStats) until(u planner.BudgetUse) string {
	if u.Until.Equal(time.Time{}) {
		return "next run"
	}
	return c.Clock.Near(u.Until)
}
