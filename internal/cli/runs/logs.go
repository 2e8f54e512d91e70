package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

type runsLogs struct {
	*program.Program
	item, level, since string
	last               int
	follow             bool
}

func newRunsLogs(p *program.Program) *cobra.Command {
	c := &runsLogs{Program: p}
	cmd := &cobra.Command{
		Use: "logs RUN", Short: "Show what the workers logged about a run",
		Long: `Show what the workers logged about a run, of all of them together. It is kept as
long as the items of the run, at most 5,000 lines and as many warnings and
errors. "log: debug" in the campaign file makes the next run say more.

` + runRefs,
		Example: "  starter runs logs news --level warn",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteRuns,
	}
	f := cmd.Flags()
	f.StringVar(&c.item, "item", "", "only about this item")
	f.StringVar(&c.level, "level", "debug", "only from this level on: debug, info, warn, error")
	f.StringVar(&c.since, "since", "", "only since this time")
	f.IntVar(&c.last, "last", 200, "only so many, the last ones; 0: all")
	f.BoolVarP(&c.follow, "follow", "f", false, "go on until the run has ended")
	program.Complete(cmd, "level", "debug", "info", "warn", "error")
	return cmd
}

func (c *runsLogs) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, r, err := scope.NamedRun(ctx, c.Program, args[0])
	if err != nil {
		return err
	}
	f := rows.LogFilter{Run: r.ID, Item: c.item, Last: c.last}
	if err := known("level", []string{c.level}, []string{"debug", "info", "warn", "error"}); err != nil {
		return err
	}
	if err := f.Level.UnmarshalText([]byte(c.level)); err != nil {
		return err
	}
	if f.Since, err = c.Moment("since", c.since); err != nil {
		return err
	}
	list := c.Out.List()
	defer list.End()
	return c.lines(ctx, s, r, f, list.Add)
}

// followEvery is how often --follow looks.
const followEvery = time.Second

// lines prints what there is, and with --follow what comes, until the run has ended.
func (c *runsLogs) lines(ctx context.Context, s program.Store, r rows.Run, f rows.LogFilter, add func(any)) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		now, err := s.FindRun(ctx, r.WorkflowID)
		if err != nil {
			return err
		}
		lines, n, err := s.RunLog(ctx, f)
		if err != nil {
			return err
		}
		for _, l := range lines {
			add(l)
			c.Out.Printf("%s\n", c.line(l))
			f.After = l.ID
		}
		if !c.follow || now.State == rows.RunClosed {
			c.ending(lines, n, f)
			return nil
		}
		f.Last = 0
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func (c *runsLogs) line(l rows.LogLine) string {
	text := fmt.Sprintf("%s %-5s %s  %s", c.Clock.Time(l.At), strings.ToLower(l.Level.String()), l.Worker, l.Message)
	if l.Item != "" {
		text += "  item=" + l.Item
	}
	return strings.TrimRight(text+"  "+l.More, " ")
}

// ending says what is not shown.
func (c *runsLogs) ending(lines []rows.LogLine, n rows.LogCount, f rows.LogFilter) {
	if len(lines) == 0 && f.After == 0 {
		c.Out.Printf("No lines match; %s of this run are kept.\n", print.Count(n.Kept, "line"))
	}
	if n.Came > n.Kept {
		c.Out.Printf("%s more came and were not kept: a run keeps %s, and as many warnings and errors\n", print.Number(n.Came-n.Kept), print.Number(rows.MaxLogLines))
	}
}
