package workers

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/wording"
)

type drain struct {
	*program.Program
	resume bool
	note   string
	wait   bool
}

func newDrain(p *program.Program, resume bool) *cobra.Command {
	c := &drain{Program: p, resume: resume}
	cmd := &cobra.Command{
		Use: "drain WORKER...", Short: "Let a worker finish what it has, and take nothing new",
		Long: `Let workers finish the items that they have and take nothing new: no item, and
no step of a run. They stay, as "drained", until they are resumed or ended; a
process that is started anew takes work again.`,
		Example: "  starter workers drain worker-2 --note \"new kernel\" --wait",
	}
	if resume {
		cmd.Use, cmd.Short, cmd.Long = "resume WORKER...", "Let a drained worker take work again", "End what drain began: the workers take work again."
		cmd.Example = "  starter workers resume worker-2"
	}
	cmd.Args, cmd.RunE, cmd.ValidArgsFunction = cobra.MinimumNArgs(1), c.run, c.complete
	if !resume {
		cmd.Flags().StringVar(&c.note, "note", "", "why; shown wherever the worker is")
		cmd.Flags().BoolVar(&c.wait, "wait", false, "return when they have finished what they had")
	}
	return cmd
}

func (c *drain) run(cmd *cobra.Command, named []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if err := known(ctx, s, named); err != nil {
		return err
	}
	verb, pause := "drain", &rows.Pause{By: c.Who(), At: c.Env.Now(), Note: c.note}
	if c.resume {
		verb, pause = "resume", nil
	}
	if err := c.Aim(ctx, false, verb+" "+print.Some(named)); err != nil {
		return err
	}
	list := c.Out.List()
	defer list.End()
	for _, name := range named {
		if err := s.DrainWorker(ctx, name, pause); err != nil {
			return err
		}
		if err := s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: verb, On: "worker " + name, Note: c.note}); err != nil {
			return err
		}
		list.Add(map[string]string{"worker": name, "done": verb})
		c.Out.Printf("%s  %s\n", name, map[bool]string{true: "takes work again", false: "takes nothing new"}[c.resume])
	}
	if c.wait {
		return c.await(ctx, s, named)
	}
	return nil
}

// drainLook is how often the roster is read while --wait waits.
const drainLook = 500 * time.Millisecond

// await returns when all have drained, or are gone.
func (c *drain) await(ctx context.Context, s program.Store, named []string) error {
	tick := time.NewTicker(drainLook)
	defer tick.Stop()
	for {
		all, err := s.Workers(ctx)
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(all, func(w rows.Worker) bool {
			return w.Gone || w.State == rows.WorkerDrained || !slices.Contains(named, w.Identity)
		})
		if len(left) == 0 {
			c.Out.Printf("drained\n")
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// known refuses a name that no living worker has.
func known(ctx context.Context, s program.Store, named []string) error {
	names, err := living(ctx, s)
	if err != nil {
		return err
	}
	for _, name := range named {
		near := wording.Nearest(name, names)
		switch {
		case slices.Contains(names, name):
		case len(names) == 0:
			return program.Usage("worker %s: no worker reports to this store now; see starter workers", name)
		case near != "":
			return program.Usage("worker %s: no such worker is alive; did you mean %s?", name, near)
		default:
			return program.Usage("worker %s: no such worker is alive; there are %s", name, print.Some(names))
		}
	}
	return nil
}

func living(ctx context.Context, s program.Store) (names []string, err error) {
	all, err := s.Workers(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if !w.Gone {
			names = append(names, w.Identity)
		}
	}
	return names, nil
}

func (c *drain) complete(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return nil, program.NoFiles
	}
	names, err := living(cmd.Context(), s)
	if err != nil {
		return nil, program.NoFiles
	}
	return names, program.NoFiles
}
