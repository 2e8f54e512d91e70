package unsent

import (
	"context"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// UnsentOf are the notifications of a campaign that were tried in vain.
func UnsentOf(ctx context.Context, s program.Store, campaign string) ([]rows.Message, error) {
	return s.Messages(ctx, rows.MessageFilter{Campaign: campaign, Failed: true, Limit: 1000})
}

// UnsentText is a line about them; empty: there are none.
func UnsentText(list []rows.Message, c print.Clock) string { return diagnose.Unsent(list, c) }
