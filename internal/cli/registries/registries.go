package registries

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// New makes `starter registry`.
func New(p *program.Program) *cobra.Command {
	return program.Group("registry", "Web services that say what to harvest, and are told how it goes",
		`A registry lists jobs; each becomes a campaign of its own, reg-NAME-JOB, and is
changed, paused, run and removed as the registry says. The registry is told how
its jobs go. What was made by hand is never touched. docs/registry.md has the
rules, docs/registry-api.yaml the interface.`,
		"  starter registry add library --url https://registry.example.org/v1 --every 30s",
		newAdd(p), newList(p), newShow(p), newSync(p), newPause(p), newResume(p), newRemove(p))
}

// find reads a registry; the error of an unknown one names the nearest.
func find(ctx context.Context, s program.Store, name string) (rows.Registry, error) {
	r, err := s.Registry(ctx, name)
	if !errors.Is(err, rows.ErrNotFound) {
		return r, err
	}
	all, err := s.Registries(ctx)
	if err != nil {
		return r, err
	}
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	if near := wording.Nearest(name, names); near != "" {
		return r, program.Usage("registry %s: there is none of that name; did you mean %s?", name, near)
	}
	return r, program.Usage("registry %s: there is none of that name; see `starter registry list`", name)
}

func complete(p *program.Program) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		s, err := p.Store(cmd.Context())
		if err != nil {
			return nil, program.NoFiles
		}
		all, err := s.Registries(cmd.Context())
		if err != nil {
			return nil, program.NoFiles
		}
		var out []string
		for _, r := range all {
			out = append(out, r.Name)
		}
		return program.Starting(program.Without(out, args), typed), program.NoFiles
	}
}

func newPause(p *program.Program) *cobra.Command {
	c := holding(p, false)
	cmd := &cobra.Command{
		Use: "pause NAME...", Short: "Ask a registry for nothing for a while",
		Long:    "Neither ask a registry nor report to it. Its campaigns go on as they are.",
		Example: `  starter registry pause library --note "they migrate" --until 2d`,
		Args:    cobra.MinimumNArgs(1), RunE: c.Run, ValidArgsFunction: complete(p),
	}
	c.AddFlags(cmd)
	return cmd
}

func newResume(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use: "resume NAME...", Short: "Ask a registry again",
		Long:    "End the pause of a registry: it is asked again, and told what it missed: how its\njobs are now.",
		Example: "  starter registry resume library",
		Args:    cobra.MinimumNArgs(1), RunE: holding(p, true).Run, ValidArgsFunction: complete(p),
	}
}

func holding(p *program.Program, resume bool) *hold.Holding {
	return &hold.Holding{Program: p, Resume: resume, Find: func(ctx context.Context, s program.Store, names []string) ([]hold.Held, error) {
		var list []hold.Held
		for _, name := range names {
			if _, err := find(ctx, s, name); err != nil {
				return nil, err
			}
			list = append(list, hold.Held{Kind: "registry", Name: name, On: "registry " + name, Put: func(ctx context.Context, pause *rows.Pause) error {
				if err := s.PauseRegistry(ctx, name, pause); err != nil {
					return err
				}
				return pauseSchedule(ctx, p, name, pause)
			}})
		}
		return list, nil
	}}
}

// pauseSchedule pauses a registry's schedule, so that the Web UI shows what the store
// says; nil resumes it. A pause that ends by itself is left to the store: until then each
// round finds that there is nothing to do.
func pauseSchedule(ctx context.Context, p *program.Program, name string, pause *rows.Pause) error {
	e, err := p.Engine(ctx)
	if err != nil {
		return err
	}
	i, err := e.Instance(ctx, p.OpenedStore.ID())
	if err != nil {
		return err
	}
	schedule := e.Schedules().GetHandle(ctx, i.RegistryScheduleID(name))
	switch {
	case pause == nil:
		err = schedule.Unpause(ctx, client.ScheduleUnpauseOptions{Note: "resumed by " + p.Who()})
	case pause.Until.IsZero():
		err = schedule.Pause(ctx, client.SchedulePauseOptions{Note: "paused by " + pause.By + note(pause.Note)})
	default:
		err = schedule.Unpause(ctx, client.ScheduleUnpauseOptions{Note: "paused in the store by " + pause.By + note(pause.Note)})
	}
	if err != nil {
		return fmt.Errorf("the store has it, the schedule of registry %s in Temporal not yet: %w; do it again", name, err)
	}
	return nil
}

func note(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}
