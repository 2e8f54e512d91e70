package why

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

type why struct {
	*program.Program
	scope.ItemFlags
	at string
}

// New makes `starter why`.
func New(p *program.Program) *cobra.Command {
	c := &why{Program: p}
	cmd := &cobra.Command{
		Use: "why CAMPAIGN|RUN|ITEM|HOST", Short: "Say why something does not run, or brought nothing",
		Long: `Say why a campaign does not run, why a run stands still, why there is nothing
new, what holds a host up. The possible causes are looked at in order; the first
that fits is the answer, the others are printed as not the cause.

With --at: what became of a campaign at a moment that has passed, and why it did
not start then.`,
		Example: "  starter why news",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteRuns,
	}
	c.Add(p, cmd)
	cmd.Flags().StringVar(&c.at, "at", "", "a moment that has passed, of a campaign: what became of it then")
	return cmd
}

func (c *why) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if c.at != "" {
		a, err := c.then(ctx, s, args[0])
		if err != nil {
			return err
		}
		c.answer(a)
		return nil
	}
	if a, ok, err := c.host(ctx, s, args[0]); ok || err != nil {
		c.answer(a)
		return err
	}
	f, err := c.facts(ctx, s, args[0])
	if err != nil {
		return err
	}
	if c.answer(diagnose.Why(f)); f.Campaign != nil {
		return nil
	}
	return c.Elsewhere(ctx, s)
}

func (c *why) answer(a diagnose.Answer) {
	c.Out.Value(a)
	c.Out.Printf("%s", whyScreen(a))
}

func whyScreen(a diagnose.Answer) string {
	var b strings.Builder
	b.WriteString(print.Wrap(a.Say, 0, 0) + "\n")
	for _, l := range a.Lines {
		b.WriteString("  " + print.Pad(l.Name, 10) + print.Wrap(l.Text, 12, 12) + "\n")
	}
	if len(a.Not) > 0 {
		b.WriteString(together("not the cause: ", a.Not) + "\n")
	}
	return b.String()
}

// together wraps a list so that no line ends within one of its parts.
func together(head string, parts []string) string {
	const glue = "\u00a0"
	kept := make([]string, len(parts))
	for i, part := range parts {
		kept[i] = strings.ReplaceAll(part, " ", glue)
	}
	wrapped := print.Wrap(head+strings.Join(kept, " · "), 0, len(head))
	return strings.ReplaceAll(wrapped, glue, " ")
}
