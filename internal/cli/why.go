package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

type why struct {
	*program
	itemFlags
}

func newWhy(p *program) *cobra.Command {
	c := &why{program: p}
	cmd := &cobra.Command{
		Use: "why CAMPAIGN|RUN|ITEM|HOST", Short: "Say why something does not run, or brought nothing",
		Long: `Say why a campaign does not run, why a run stands still, why there is nothing
new, what holds a host up. The possible causes are looked at in order; the first
that fits is the answer, the others are printed as not the cause.`,
		Example: "  starter why news",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.completeRuns,
	}
	c.add(p, cmd)
	return cmd
}

func (c *why) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if a, ok, err := c.host(ctx, s, args[0]); ok || err != nil {
		c.out.Value(a)
		c.out.Printf("%s", whyScreen(a))
		return err
	}
	f, err := c.facts(ctx, s, args[0])
	if err != nil {
		return err
	}
	a := diagnose.Why(f)
	c.out.Value(a)
	c.out.Printf("%s", whyScreen(a))
	if f.Campaign == nil {
		return c.elsewhere(ctx, s)
	}
	return nil
}

func whyScreen(a diagnose.Answer) string {
	var b strings.Builder
	b.WriteString(print.Wrap(a.Say, 0, 0) + "\n")
	for _, l := range a.Lines {
		b.WriteString("  " + pad(l.Name, 10) + print.Wrap(l.Text, 12, 12) + "\n")
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
