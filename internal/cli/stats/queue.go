package stats

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/wording"
)

type queueStats struct{ *program.Program }

func newQueue(p *program.Program) *cobra.Command {
	c := &queueStats{p}
	return &cobra.Command{
		Use: "queue [QUEUE...]", Short: "Count what waits and what is in work, by task queue",
		Long: `Count the items of runs that are going on, by task queue. DUE can be taken now,
RUNNING is with a worker, RESTING waits for a retry or for a host's rest, HELD
belongs to a run that is opening, paused or stopping. WAITED is how long the one
that waits longest has been due. Workers report the same as metrics
(vendemmia_queue_items, vendemmia_queue_oldest_due_seconds).`,
		Example:           "  starter stats queue -o json",
		ValidArgsFunction: completeQueues(p), RunE: c.run,
	}
}

// queueView is a queue as `stats queue` shows it.
type queueView struct {
	rows.Queue
	Waited float64 `json:"waited_seconds"`
}

func (c *queueStats) run(cmd *cobra.Command, named []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	now := c.Env.Now()
	all, err := queues(cmd.Context(), c.Program, s, now)
	if err != nil {
		return err
	}
	if all, err = only(all, named); err != nil {
		return err
	}
	list := c.Out.List()
	table := print.NewTable(print.Key("QUEUE"), print.Right("DUE"), print.Right("RUNNING"), print.Right("RESTING"), print.Right("HELD"), print.Right("WAITED"), print.Right("NEXT"))
	for _, q := range all {
		list.Add(queueView{q, q.Waited(now).Seconds()})
		table.Row(q.Queue, print.Number(q.Due), print.Number(q.Running), print.Number(q.Resting), print.Number(q.Held), waited(q, now), c.next(q))
	}
	list.End()
	c.Out.Table(table)
	return c.line(cmd.Context(), s)
}

// line says how many runs wait for the one before them: these have no items yet.
func (c *queueStats) line(ctx context.Context, s program.Store) error {
	states, err := s.RunStates(ctx)
	if err == nil && states[rows.RunWaiting] > 0 {
		c.Out.Printf("%s for the run before it: starter runs list --open\n", print.Count(states[rows.RunWaiting], "run")+waits(states[rows.RunWaiting]))
	}
	return err
}

func waits(n int) string {
	if n == 1 {
		return " waits"
	}
	return " wait"
}

func waited(q rows.Queue, now time.Time) string {
	if q.OldestDue.IsZero() {
		return "-"
	}
	return print.Duration(q.Waited(now).Truncate(time.Second))
}

func (c *queueStats) next(q rows.Queue) string {
	if q.NextDue.IsZero() {
		return "-"
	}
	return c.Clock.Near(q.NextDue)
}

// queues are all that campaigns use, and those that have items by now.
func queues(ctx context.Context, p *program.Program, s program.Store, now time.Time) ([]rows.Queue, error) {
	list, err := s.Queues(ctx, now)
	if err != nil {
		return nil, err
	}
	used, err := scope.FetchQueues(ctx, p, s)
	if err != nil {
		return nil, err
	}
	for _, name := range used {
		if !slices.ContainsFunc(list, func(q rows.Queue) bool { return q.Queue == name }) {
			list = append(list, rows.Queue{Queue: name})
		}
	}
	slices.SortFunc(list, func(a, b rows.Queue) int { return strings.Compare(a.Queue, b.Queue) })
	return list, nil
}

// only keeps the named ones; a name that is no queue's is an error.
func only(all []rows.Queue, named []string) ([]rows.Queue, error) {
	if len(named) == 0 {
		return all, nil
	}
	var names []string
	for _, q := range all {
		names = append(names, q.Queue)
	}
	for _, name := range named {
		if slices.Contains(names, name) {
			continue
		}
		if near := wording.Nearest(name, names); near != "" {
			return nil, program.Usage("stats queue %s: no campaign uses this queue; did you mean %s?", name, near)
		}
		return nil, program.Usage("stats queue %s: no campaign uses this queue; there are %s", name, strings.Join(names, ", "))
	}
	return slices.DeleteFunc(all, func(q rows.Queue) bool { return !slices.Contains(named, q.Queue) }), nil
}

func completeQueues(p *program.Program) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		s, err := p.Store(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, err := scope.FetchQueues(cmd.Context(), p, s)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
