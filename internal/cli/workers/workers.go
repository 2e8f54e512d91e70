package workers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type workers struct{ *program.Program }

// New makes `starter workers`.
func New(p *program.Program) *cobra.Command {
	c := &workers{p}
	return &cobra.Command{
		Use: "workers", Short: "List the workers, their queues and what they hold",
		Long: `List the workers that are alive: by the server's roster where it keeps one, else
by who polls the task queues. One that did not report for over a minute is
silent: dead, or cut off. ITEMS are the items a worker holds now, by the store.`,
		Example: "  starter workers",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

// workerView is one worker on one queue.
type workerView struct {
	engine.Worker
	Items int      `json:"items"`
	Runs  []string `json:"runs,omitempty"`
}

func (c *workers) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	e, err := c.Engine(ctx)
	if err != nil {
		return err
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	alive, queues, err := alive(ctx, c.Program, s, e)
	if err != nil {
		return err
	}
	held, err := claims(ctx, s)
	if err != nil {
		return err
	}
	list := c.Out.List()
	zone := " " + c.Clock.ZoneName()
	table := print.NewTable(print.Flex("WORKER"), print.Flex("QUEUE"), print.Left("STATUS"), print.Right("SINCE"+zone), print.Right("SEEN"), print.Right("ITEMS"))
	for i, w := range alive {
		v := workerView{Worker: w}
		if i == holder(alive, w.Identity, c.Queue(steps.QueueControl)) {
			v.Items, v.Runs = len(held[w.Identity]), slices.Compact(slices.Sorted(slices.Values(held[w.Identity])))
		}
		list.Add(v)
		table.Row(w.Identity, w.Queue, print.Dash(w.Status), c.Clock.Near(w.Since), seen(w, c.Clock), print.Number(v.Items))
	}
	list.End()
	c.Out.Table(table)
	if len(alive) == 0 {
		c.Out.Printf("No worker polls %s; start one: worker\n", print.Some(queues))
	}
	return nil
}

// holder is the row that tells what a worker holds: of its queues the first one
// that items come by. A worker has a row for each queue, and holds its items once.
func holder(all []engine.Worker, identity, control string) int {
	i := slices.IndexFunc(all, func(w engine.Worker) bool { return w.Identity == identity && w.Queue != control })
	if i < 0 {
		i = slices.IndexFunc(all, func(w engine.Worker) bool { return w.Identity == identity })
	}
	return i
}

func seen(w engine.Worker, c print.Clock) string {
	if w.LastSeen.IsZero() {
		return "-"
	}
	return print.Duration(max(0, c.Now().Sub(w.LastSeen)).Truncate(time.Second))
}

// alive returns the roster, and the pollers of those queues that campaigns use
// and nobody of the roster serves: a server may keep no roster, or list one
// queue of a process only.
func alive(ctx context.Context, p *program.Program, s program.Store, e program.Engine) ([]engine.Worker, []string, error) {
	queues, err := scope.Queues(ctx, p, s)
	if err != nil {
		return nil, nil, err
	}
	list, err := e.Workers(ctx)
	if err != nil && !errors.Is(err, engine.ErrUnsupported) && !errors.Is(err, engine.ErrForbidden) {
		return nil, nil, err
	}
	list = tidy(p, ours(list, queues))
	for _, q := range queues {
		if slices.ContainsFunc(list, func(w engine.Worker) bool { return w.Queue == q && reports(w) }) {
			continue
		}
		pollers, err := watch.AtWork(ctx, p, e, q)
		if err != nil {
			return nil, nil, err
		}
		for _, po := range pollers {
			list = slices.DeleteFunc(list, func(w engine.Worker) bool { return w.Queue == q && w.Identity == po.Identity })
			list = append(list, engine.Worker{Identity: po.Identity, Queue: q, LastSeen: po.LastSeen})
		}
	}
	slices.SortFunc(list, func(a, b engine.Worker) int {
		return cmp.Or(cmp.Compare(a.Identity, b.Identity), cmp.Compare(a.Queue, b.Queue))
	})
	return list, queues, nil
}

// tidy says of workers that ceased to report what is known of them: those that
// were ending have ended, the others are silent.
func tidy(p *program.Program, list []engine.Worker) []engine.Worker {
	list = slices.DeleteFunc(list, func(w engine.Worker) bool { return watch.Ending(w) && watch.LongAgo(p, w.LastSeen) })
	for i := range list {
		switch {
		case watch.Ending(list[i]):
			list[i].Status = "stopping"
		case watch.LongAgo(p, list[i].LastSeen):
			list[i].Status = silent
		}
	}
	return list
}

// reports: not silent, not about to end.
func reports(w engine.Worker) bool { return w.Status != silent && w.Status != "stopping" }

const silent = "silent"

// ours leaves out workers of others in the same namespace.
func ours(list []engine.Worker, queues []string) []engine.Worker {
	return slices.DeleteFunc(list, func(w engine.Worker) bool { return !slices.Contains(queues, w.Queue) })
}

// claims returns the runs of the items that each worker holds.
func claims(ctx context.Context, s program.Store) (map[string][]string, error) {
	open, err := s.OpenRuns(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, r := range open {
		items, err := s.RunItems(ctx, r.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemClaimed}})
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			out[it.Worker] = append(out[it.Worker], r.WorkflowID)
		}
	}
	return out, nil
}
