package failures

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

// New makes `starter failures`.
func New(p *program.Program) *cobra.Command {
	return program.Group("failures", "Records that could not be read, with their bytes",
		"A record that cannot be parsed is kept with its bytes and the reason; the run\ngoes on, and its item ends partial until the record is read, gone, or accepted.",
		"  starter failures list --campaign news",
		newFailuresList(p), newFailuresShow(p), newFailuresRetry(p), newFailuresAccept(p))
}

type failuresList struct {
	*program.Program
	failureFlags
	run   string
	all   bool
	limit int
}

func newFailuresList(p *program.Program) *cobra.Command {
	c := &failuresList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List records that could not be read, the newest first",
		Long: `List records that could not be read and that nobody has accepted, the newest
first; with --all also those that were accepted, or read since.`,
		Example: "  starter failures list --run news",
		Args:    cobra.NoArgs, RunE: c.list,
	}
	f := cmd.Flags()
	c.add(p, cmd)
	f.StringVar(&c.run, "run", "", "only those that this run met last")
	f.BoolVarP(&c.all, "all", "a", false, "also accepted and resolved ones")
	f.IntVar(&c.limit, "limit", 50, "at most so many; 0: all")
	p.CompleteFlag(cmd, "run", p.CompleteRuns)
	return cmd
}

func (c *failuresList) list(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	filter, err := c.filter(ctx, c.Program, s)
	if err != nil {
		return err
	}
	filter.Open, filter.Limit = !c.all, c.limit
	if c.run != "" {
		r, err := scope.FindRun(ctx, c.Program, s, c.run)
		if err != nil {
			return err
		}
		filter.Run = r.ID
	}
	found, err := s.Failures(ctx, filter)
	if err != nil {
		return err
	}
	list := c.Out.List()
	table := print.NewTable(print.Left("FAILURE"), print.Flex("ITEM"), print.Left("STATE"), print.Right("TIMES"), print.Left("SINCE "+c.Clock.ZoneName()), print.Flex("REASON"))
	for _, f := range found {
		f.Bytes = nil
		list.Add(f)
		table.Row(scope.FailureRef(f.ID), f.Item.Campaign+" "+f.Item.Key, f.State(), print.Number(f.Times), c.Clock.Near(f.Since), f.Reason)
	}
	list.End()
	c.Out.Table(table)
	if len(found) == 0 {
		c.Out.Printf("%s\n", map[bool]string{false: "No open failures; all: starter failures list --all", true: "No failures."}[c.all])
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

type failuresShow struct {
	*program.Program
	body bool
}

func newFailuresShow(p *program.Program) *cobra.Command {
	c := &failuresShow{Program: p}
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show a record that could not be read",
		Long:    "Show a record that could not be read: where it came from, why, and its first\nbytes. With --body its bytes go to standard output as they came.",
		Example: "  starter failures show q-81 --body > record.xml",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	cmd.Flags().BoolVar(&c.body, "body", false, "write the bytes themselves and nothing else")
	return cmd
}

func (c *failuresShow) run(cmd *cobra.Command, args []string) error {
	id, err := failureID("show", args[0])
	if err != nil {
		return err
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	f, err := s.Failure(cmd.Context(), id)
	if err != nil {
		return fmt.Errorf("failure %s: %w; see `starter failures list`", scope.FailureRef(id), err)
	}
	if c.body {
		_, err := c.Env.Stdout.Write(f.Bytes)
		return err
	}
	c.Out.Value(f)
	c.Out.Printf("%s", failureScreen(f, c.Clock))
	return nil
}

func failureScreen(f rows.Failure, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(print.Pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("failure", scope.FailureRef(f.ID))
	line("item", f.Item.String())
	line("record", f.Record)
	line("reason", f.Reason)
	line("kind", string(f.Kind))
	line("run", fmt.Sprintf("%s, page %d, %s", f.Run, f.Seq, c.Full(f.At)))
	if f.Times > 1 {
		line("since", fmt.Sprintf("%s, met %s times", c.Full(f.Since), print.Number(f.Times)))
	}
	line("where", f.Where)
	if !f.Accepted.IsZero() {
		line("accepted", c.Full(f.Accepted))
	}
	if !f.Resolved.IsZero() {
		line("resolved", c.Full(f.Resolved))
	}
	size := print.Bytes(f.Size)
	if int64(len(f.Bytes)) < f.Size {
		size += ", the first " + print.Bytes(int64(len(f.Bytes))) + " kept"
	}
	line("size", size)
	b.WriteString("\n" + print.Preview(f.Bytes) + "\n")
	return b.String()
}
