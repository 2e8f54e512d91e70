package workers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type workers struct {
	*program.Program
	limit int
}

// New makes `starter workers`.
func New(p *program.Program) *cobra.Command {
	c := &workers{Program: p}
	cmd := &cobra.Command{
		Use: "workers", Short: "List the workers and what each is doing, or drain one",
		Long: `List the workers of this store that are alive, as they report themselves, and
the items that each holds. USED and FREE are of the items that a process runs at
once, on all its queues together. One that stays silent for longer than its
--heartbeat is gone; what it held is taken by others.`,
		Example: "  starter workers drain worker-2",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	cmd.Flags().IntVar(&c.limit, "limit", 20, "show at most so many items of each worker; 0: all")
	cmd.AddCommand(newDrain(p, false), newDrain(p, true))
	return cmd
}

// stranger is the state of one that polls a queue and does not report to this store.
const stranger rows.WorkerState = "unknown"

// workerView is one worker.
type workerView struct {
	rows.Worker
	Used  int             `json:"used"` // of its slots
	Free  int             `json:"free"`
	Items []rows.HeldItem `json:"items,omitempty"`
}

func (c *workers) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, unserved, err := c.views(ctx, s)
	if err != nil {
		return err
	}
	list := c.Out.List()
	for _, v := range all {
		list.Add(v)
	}
	list.End()
	if !c.Out.People() {
		return nil
	}
	c.Out.Table(rosterTable(all, c.Clock))
	for _, v := range all {
		if v.Why != "" {
			c.Out.Printf("%s  %s\n", v.Identity, print.Wrap(v.Why, len(v.Identity)+2, len(v.Identity)+2))
		}
	}
	if at := atWorkTable(all, c.limit, c.Clock); at != nil {
		c.Out.Printf("\n")
		c.Out.Table(at)
	}
	if len(unserved) > 0 {
		c.Out.Printf("No worker polls %s; start one: worker\n", print.Some(unserved))
	}
	return nil
}

// views joins the roster with the claims, and with who else polls the queues that
// nobody of the roster serves.
func (c *workers) views(ctx context.Context, s program.Store) (all []workerView, unserved []string, err error) {
	roster, err := s.Workers(ctx)
	if err != nil {
		return nil, nil, err
	}
	held, err := s.HeldItems(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range roster {
		if !w.Gone {
			all = append(all, joined(w, held))
		}
	}
	queues, err := scope.Queues(ctx, c.Program, s)
	if err != nil {
		return nil, nil, err
	}
	for _, q := range queues {
		if slices.ContainsFunc(all, func(v workerView) bool { return v.State != stranger && slices.Contains(v.Queues, q) }) {
			continue
		}
		found := false
		if all, found, err = c.strangers(ctx, all, roster, q); err != nil {
			return nil, nil, err
		}
		if !found {
			unserved = append(unserved, q)
		}
	}
	return all, unserved, nil
}

func joined(w rows.Worker, held []rows.HeldItem) workerView {
	v := workerView{Worker: w}
	for _, h := range held {
		if h.Worker == w.Identity {
			v.Items = append(v.Items, h)
		}
	}
	v.Used, v.Free = len(v.Items), max(0, w.Slots-len(v.Items))
	return v
}

// strangers adds who polls a queue and is not in the roster: a worker of another
// store, or of another release.
func (c *workers) strangers(ctx context.Context, all []workerView, roster []rows.Worker, queue string) ([]workerView, bool, error) {
	e, err := c.Engine(ctx)
	if err != nil {
		return all, false, err
	}
	pollers, err := watch.AtWork(ctx, c.Program, e, queue)
	if err != nil {
		return all, false, err
	}
	found := false
	for _, po := range pollers {
		if slices.ContainsFunc(roster, func(w rows.Worker) bool { return w.Identity == po.Identity }) {
			continue // it has died
		}
		found = true
		if i := slices.IndexFunc(all, func(v workerView) bool { return v.State == stranger && v.Identity == po.Identity }); i >= 0 {
			all[i].Queues = append(all[i].Queues, queue)
			continue
		}
		all = append(all, workerView{Worker: rows.Worker{
			Identity: po.Identity, Queues: []string{queue}, State: stranger, Seen: po.LastSeen, Why: "polls for work and does not report to this store",
		}})
	}
	return all, found, nil
}

func rosterTable(all []workerView, c print.Clock) *print.Table {
	t := print.NewTable(print.Key("WORKER"), print.Flex("HOST"), print.Flex("QUEUES"), print.Left("VERSION"), print.Left("STATE"), print.Right("USED"), print.Right("FREE"),
		print.Right("MEMORY"), print.Right("SEEN")).Spare("VERSION", "MEMORY", "HOST")
	for _, v := range all {
		t.Row(v.Identity, print.Dash(v.Host), shortQueues(v.Queues), print.Dash(v.Version), string(v.State), print.Number(v.Used), print.Number(v.Free), memoryText(v.Worker), seen(v.Seen, c))
	}
	return t
}

// shortQueues leaves out what all names begin with.
func shortQueues(names []string) string {
	var out []string
	for _, name := range names {
		if i := strings.Index(name, steps.QueueControl); i >= 0 {
			name = "control"
		} else if i := strings.Index(name, steps.QueueFetch); i >= 0 {
			name = "fetch"
		}
		out = append(out, name)
	}
	return print.Dash(strings.Join(out, ","))
}

func memoryText(w rows.Worker) string {
	if w.MemoryUsed == 0 {
		return "-"
	}
	return fmt.Sprintf("%d MiB", w.MemoryUsed>>20)
}

func seen(at time.Time, c print.Clock) string {
	if at.IsZero() {
		return "-"
	}
	return print.Duration(max(0, c.Now().Sub(at)).Truncate(time.Second))
}

// atWorkTable says what each worker is doing; nil when none does anything.
func atWorkTable(all []workerView, limit int, c print.Clock) *print.Table {
	t, any := print.NewTable(print.Key("WORKER"), print.Flex("RUN"), print.Key("ITEM"), print.Right("SINCE "+c.ZoneName()), print.Right("DONE")), false
	for _, v := range all {
		for i, h := range v.Items {
			if any = true; limit > 0 && i >= limit {
				t.Row(v.Identity, "", fmt.Sprintf("and %s more", print.Number(len(v.Items)-i)), "", "")
				break
			}
			t.Row(v.Identity, h.Run, h.Key, since(h.Since, c), doneText(h))
		}
	}
	if !any {
		return nil
	}
	return t
}

func since(at time.Time, c print.Clock) string {
	if at.IsZero() {
		return "-"
	}
	return c.Time(at)
}

func doneText(h rows.HeldItem) string {
	switch {
	case h.Total > 0:
		return print.Number(h.Done) + " of " + print.Number(h.Total)
	case h.Done > 0:
		return print.Number(h.Done)
	default:
		return "-"
	}
}
