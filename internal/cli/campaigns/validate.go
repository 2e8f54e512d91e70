package campaigns

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/source"
)

type campaignsValidate struct {
	*program.Program
	ask     bool
	network source.NetworkFlags
}

func newCampaignsValidate(p *program.Program) *cobra.Command {
	c := &campaignsValidate{Program: p}
	cmd := &cobra.Command{
		Use: "validate [PATH...]", Short: "Check campaign files",
		Long: `Check files, or folders of them, and the lists they name: every problem with its
line, and what is allowed but probably not meant: a schedule that never fires or
fires every minute, one address under two keys. Nothing is asked of the network,
nothing is changed. Default: campaigns.

With --probe every address is asked what it is, politely, two of a host at once:
one row for each item, what is wrong on top. Exit code 1 when one does not
answer as it should. Neither Temporal nor a store is needed.`,
		Example: "  starter campaigns validate campaigns/ --probe",
		RunE:    c.run,
	}
	cmd.Flags().BoolVar(&c.ask, "probe", false, "ask every address what it is")
	c.network.Add(cmd.Flags())
	return cmd
}

func (c *campaignsValidate) run(cmd *cobra.Command, args []string) error {
	l, err := campaignfiles.Load(c.Program, args)
	if err != nil {
		return err
	}
	if c.ask && len(l.Problems) == 0 {
		return c.probe(cmd.Context(), l)
	}
	notYet := append([]campaigns.Problem{}, l.NotYet...)
	var names []string
	var warnings []campaigns.Problem
	for _, s := range l.Campaigns {
		names = append(names, s.Campaign.Name)
		warnings = append(warnings, s.Warnings(c.Env.Now(), campaignfiles.Lookup(c.Program))...)
		notYet = append(notYet, s.NotYet...)
	}
	c.Out.Value(map[string]any{
		"project": l.Project, "files": l.Files, "campaigns": campaignfiles.OrEmpty(names), "problems": campaignfiles.OrEmpty(l.Problems), "warnings": campaignfiles.OrEmpty(warnings), "not_yet": campaignfiles.OrEmpty(notYet),
	})
	if len(l.Problems) > 0 {
		return campaignfiles.Refuse(c.Program, l)
	}
	if c.Out.People() {
		campaignfiles.Places(c.Program, "Accepted, but not implemented yet:", notYet)
		campaignfiles.Places(c.Program, "Allowed, but probably not meant:", warnings)
	}
	verdict := "nothing wrong"
	if len(warnings) > 0 {
		verdict = "no error, " + print.Count(len(warnings), "warning")
	}
	c.Out.Printf("%s in %s: %s.\n", print.Count(len(names), "campaign"), print.Count(len(l.Files), "file"), verdict)
	return nil
}
