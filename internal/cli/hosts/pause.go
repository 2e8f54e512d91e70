package hosts

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

func newHostsPause(p *program.Program) *cobra.Command {
	c := holdingHosts(p, false)
	cmd := &cobra.Command{
		Use: "pause HOST...", Short: "Ask a host for nothing for a while",
		Long: `Let no worker ask a host for anything: requests that are on their way end, the
items of the host wait for their next retry. Workers hear of it within seconds.
The host "*" is all of them.`,
		Example: `  starter hosts pause repo.example.org --note "they migrate" --until 2d`,
		Args:    cobra.MinimumNArgs(1), RunE: c.Run, ValidArgsFunction: completeHosts(p),
	}
	c.AddFlags(cmd)
	return cmd
}

func newHostsResume(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use: "resume HOST...", Short: "Ask a host again",
		Long:    "End a pause, a rest that the host had asked for, and the longer gap that its\ntrouble brought.",
		Example: "  starter hosts resume repo.example.org",
		Args:    cobra.MinimumNArgs(1), RunE: holdingHosts(p, true).Run, ValidArgsFunction: completeHosts(p),
	}
}

func holdingHosts(p *program.Program, resume bool) *hold.Holding {
	return &hold.Holding{Program: p, Resume: resume, Find: func(ctx context.Context, s program.Store, names []string) ([]hold.Held, error) {
		all, err := scope.Hosts(ctx, p, s)
		if err != nil {
			return nil, err
		}
		var list []hold.Held
		for _, name := range names {
			v, err := findHost(all, name)
			if err != nil && (resume || name != "*") { // all may be paused, though no file names "*"
				return nil, err
			}
			list = append(list, heldHost(s, cmp.Or(v.Name, name)))
		}
		return list, nil
	}}
}

// heldHost is a host; to let it go ends all that holds it up.
func heldHost(s program.Store, name string) hold.Held {
	return hold.Held{Kind: "host", Name: name, On: "host " + name, Put: func(ctx context.Context, pause *rows.Pause) error {
		if err := s.PauseHost(ctx, name, pause); err != nil || pause != nil {
			return err
		}
		if err := s.RestHost(ctx, name, time.Time{}, ""); err != nil {
			return err
		}
		return s.SlowHost(ctx, name, 0, "")
	}}
}
