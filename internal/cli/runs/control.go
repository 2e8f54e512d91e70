package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// tell is what pause, resume, set, skip and cancel share: one run is told
// something, and it is recorded who did.
type tell struct {
	*program.Program
	note       string
	processors int
}

func tellCommand(p *program.Program, c *tell, use, short, long, example string, say func(context.Context, program.Engine, rows.Run, []string) (string, error)) *cobra.Command {
	verb, _, _ := strings.Cut(use, " ")
	args := cobra.ExactArgs(1)
	if verb == "skip" {
		args = cobra.MinimumNArgs(2)
	}
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: args, ValidArgsFunction: p.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.one(cmd.Context(), verb, args, say)
		},
	}
	if verb != "set" && verb != "resume" {
		cmd.Flags().StringVar(&c.note, "note", "", "why; shown with the run")
	}
	return cmd
}

// one finds the run, says what will be touched, and tells it.
func (c *tell) one(ctx context.Context, verb string, args []string, say func(context.Context, program.Engine, rows.Run, []string) (string, error)) error {
	s, r, err := scope.NamedRun(ctx, c.Program, args[0])
	if err != nil {
		return err
	}
	if r.State == rows.RunClosed {
		return fmt.Errorf("%s %s: it ended at %s, %s", verb, r.WorkflowID, c.Clock.Full(r.ClosedAt), r.Outcome)
	}
	if err := c.Aim(ctx, true, verb+" "+r.WorkflowID); err != nil {
		return err
	}
	e, err := c.Engine(ctx)
	if err != nil {
		return err
	}
	text, err := say(ctx, e, r, args[1:])
	if err != nil {
		return err
	}
	if err := s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: verb, On: r.WorkflowID, Note: c.note}); err != nil {
		return err
	}
	c.Out.Value(map[string]string{"run": r.WorkflowID, "done": verb, "text": text})
	c.Out.Printf("%s  %s\n", r.WorkflowID, text)
	return nil
}

func newRunsPause(p *program.Program) *cobra.Command {
	c := &tell{Program: p}
	return tellCommand(p, c, "pause RUN", "Make a running run hold still",
		"Make a running run finish the pages in work and start nothing more until it is\nresumed. Its deadline goes on.",
		`  starter runs pause news --note "source asked for quiet"`,
		func(ctx context.Context, e program.Engine, r rows.Run, _ []string) (string, error) {
			return "paused; go on: starter runs resume " + r.WorkflowID, e.Pause(ctx, r.WorkflowID, steps.PauseIn{By: c.Who(), Why: c.note})
		})
}

func newRunsResume(p *program.Program) *cobra.Command {
	c := &tell{Program: p}
	return tellCommand(p, c, "resume RUN", "Let a paused run go on",
		"Let a paused run go on where its items stopped.", "  starter runs resume news",
		func(ctx context.Context, e program.Engine, r rows.Run, _ []string) (string, error) {
			return "goes on", e.Resume(ctx, r.WorkflowID, steps.ResumeIn{By: c.Who()})
		})
}

func newRunsSet(p *program.Program) *cobra.Command {
	c := &tell{Program: p}
	cmd := tellCommand(p, c, "set RUN", "Change how many items of a running run are in flight",
		"Change how many items of a running run are in flight at a time. Only this run is\nchanged, not the campaign.",
		"  starter runs set news --processors 20",
		func(ctx context.Context, e program.Engine, r rows.Run, _ []string) (string, error) {
			if c.processors < 1 {
				return "", program.Usage("--processors must be 1 or more")
			}
			in := steps.SetProcessorsIn{Processors: c.processors, By: c.Who()}
			return fmt.Sprintf("%d items in flight from now on", c.processors), e.SetProcessors(ctx, r.WorkflowID, in)
		})
	cmd.Flags().IntVar(&c.processors, "processors", 0, "items in flight at a time, 1 or more")
	return cmd
}

func newRunsSkip(p *program.Program) *cobra.Command {
	c := &tell{Program: p}
	return tellCommand(p, c, "skip RUN KEY...", "Take open items out of a running run",
		"Close open items of a running run as skipped. They are asked again at the next\nrun.",
		"  starter runs skip news nytimes-economy",
		func(ctx context.Context, e program.Engine, r rows.Run, refs []string) (string, error) {
			s, err := c.Store(ctx)
			if err != nil {
				return "", err
			}
			keys, err := scope.RunKeys(ctx, s, r, refs)
			if err != nil {
				return "", err
			}
			for _, key := range keys {
				in := steps.SkipItemIn{RunOf: steps.RunOf{Run: r.ID}, Key: key, By: c.Who(), Why: c.note}
				if err := e.Skip(ctx, r.WorkflowID, in); err != nil {
					return "", err
				}
			}
			return fmt.Sprintf("%d skipped", len(keys)), nil
		})
}

// untilClosed waits for the end of a run in the store.
func untilClosed(ctx context.Context, p *program.Program, r rows.Run) error {
	s, err := p.Store(ctx)
	if err != nil {
		return err
	}
	tick := time.NewTicker(p.Pace)
	defer tick.Stop()
	for r.State != rows.RunClosed {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if r, err = s.RunByRunID(ctx, r.RunID); err != nil {
			return err
		}
	}
	return nil
}
