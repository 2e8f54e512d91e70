package runs

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

func newRunsPlanned(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use: "planned", Short: "List runs that people asked for and that have not begun",
		Long: `List the runs that were asked for with trigger --at or --in and have not begun,
the next one first. Runs of schedules are not among them: campaigns list has
when those are due.`,
		Example: "  starter runs planned",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := p.Engine(cmd.Context())
			if err != nil {
				return err
			}
			list, err := e.Planned(cmd.Context())
			if err != nil {
				return err
			}
			show(p, list)
			return nil
		},
	}
}

func show(p *program.Program, list []engine.Planned) {
	out := p.Out.List()
	table := print.NewTable(print.Key("RUN"), print.Left("STARTS "+p.Clock.ZoneName()), print.Left("ASKED FOR"))
	for _, run := range list {
		out.Add(run)
		table.Row(run.WorkflowID, p.Clock.Near(run.At), p.Clock.Near(run.Asked))
	}
	out.End()
	p.Out.Table(table)
	if len(list) == 0 {
		p.Out.Printf("No run is planned.\n")
	}
}
