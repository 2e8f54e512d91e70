package planner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// BudgetUse is a limit of a campaign and what is used of it in the day or month around a
// moment. A limit per run is always whole for the next run.
type BudgetUse struct {
	Entry string `json:"entry,omitempty"` // "": the whole campaign
	What  string `json:"what"`
	Per   string `json:"per"`
	Of    int64  `json:"of"`
	Used  int64  `json:"used"`
	// Until is when the day or month ends.
	Until time.Time `json:"until,omitzero"`
}

// spending is what reads the use of budgets.
type spending interface {
	Spent(ctx context.Context, campaign string, l rows.SpendLimit) (int64, error)
}

// BudgetOf returns how much of each limit of a campaign is used.
func BudgetOf(ctx context.Context, s spending, c *campaigns.Campaign, now time.Time) ([]BudgetUse, error) {
	now = now.In(c.Zone())
	var out []BudgetUse
	for _, l := range c.AllLimits() {
		u := BudgetUse{Entry: l.Entry, What: l.What, Per: l.Per, Of: l.N}
		var from int
		if from, u.Until = l.Period(now); l.Per != campaigns.PerRun {
			used, err := s.Spent(ctx, c.Name, rows.SpendLimit{What: l.What, Entry: l.Entry, From: from})
			if err != nil {
				return nil, err
			}
			u.Used = used
		}
		out = append(out, u)
	}
	return out, nil
}

// String returns one limit in words: "312 of 20000 requests this day".
func (u BudgetUse) String() string {
	a := campaigns.Allowance{What: u.What}
	text := fmt.Sprintf("%s of %s this %s", strings.TrimSuffix(a.Amount(u.Used), " "+u.What), a.Amount(u.Of), u.Per)
	if u.Per == campaigns.PerRun {
		text = a.Amount(u.Of) + " a run"
	}
	if u.Entry != "" {
		text += " (" + u.Entry + ")"
	}
	return text
}

// BudgetWords returns all limits in words; "" without any.
func BudgetWords(list []BudgetUse) string {
	texts := make([]string, 0, len(list))
	for _, u := range list {
		texts = append(texts, u.String())
	}
	return strings.Join(texts, ", ")
}
