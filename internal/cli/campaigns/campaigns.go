package campaigns

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// New makes `starter campaigns`.
func New(p *program.Program) *cobra.Command {
	return program.Group("campaigns", "What is collected, from where and when",
		"A campaign is a named set of sources with a schedule and policies. Files say\nwhat there is; `apply` makes it so.",
		"  starter campaigns plan campaigns/",
		newCampaignsValidate(p), newCampaignsPlan(p), newCampaignsApply(p), newCampaignsList(p), newCampaignsShow(p), newCampaignsTry(p),
		newCampaignsPause(p), newCampaignsResume(p), newCampaignsDelete(p), newCampaignsExport(p), newCampaignsSchema(p))
}
