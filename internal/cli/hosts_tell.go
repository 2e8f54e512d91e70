package cli

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func newHostsPause(p *program) *cobra.Command {
	c := holdingHosts(p, false)
	cmd := &cobra.Command{
		Use: "pause HOST...", Short: "Ask a host for nothing for a while",
		Long: `Let no worker ask a host for anything: requests that are on their way end, the
items of the host wait for their next retry. Workers hear of it within seconds.
The host "*" is all of them.`,
		Example: `  starter hosts pause repo.example.org --note "they migrate" --until 2d`,
		Args:    cobra.MinimumNArgs(1), RunE: c.run, ValidArgsFunction: p.completeHosts,
	}
	c.addFlags(cmd)
	return cmd
}

func newHostsResume(p *program) *cobra.Command {
	return &cobra.Command{
		Use: "resume HOST...", Short: "Ask a host again",
		Long:    "End a pause, a rest that the host had asked for, and the longer gap that its\ntrouble brought: whoever types this knows better.",
		Example: "  starter hosts resume repo.example.org",
		Args:    cobra.MinimumNArgs(1), RunE: holdingHosts(p, true).run, ValidArgsFunction: p.completeHosts,
	}
}

func holdingHosts(p *program, resume bool) *holding {
	return &holding{program: p, resume: resume, find: func(ctx context.Context, s Store, names []string) ([]held, error) {
		all, err := p.hosts(ctx, s)
		if err != nil {
			return nil, err
		}
		var list []held
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
func heldHost(s Store, name string) held {
	return held{kind: "host", name: name, on: "host " + name, put: func(ctx context.Context, pause *rows.Pause) error {
		if err := s.PauseHost(ctx, name, pause); err != nil || pause != nil {
			return err
		}
		if err := s.RestHost(ctx, name, time.Time{}, ""); err != nil {
			return err
		}
		return s.SlowHost(ctx, name, 0, "")
	}}
}
