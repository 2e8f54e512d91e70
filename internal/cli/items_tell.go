package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func newItemsPause(p *program) *cobra.Command {
	c, flags := holdingItems(p, false)
	cmd := &cobra.Command{
		Use: "pause KEY...", Short: "Leave items out of runs for a while",
		Long:    "Leave items out of their campaign's runs, which then are not amber because of\nthem. Their checkpoints stay.",
		Example: `  starter items pause nytimes-economy --note "moved, ask Ilse" --until 14d`,
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	flags.add(p, cmd)
	c.addFlags(cmd)
	return cmd
}

func newItemsResume(p *program) *cobra.Command {
	c, flags := holdingItems(p, true)
	cmd := &cobra.Command{
		Use: "resume KEY...", Short: "Take paused items into runs again",
		Long:    "Take paused items into their campaign's runs again, from where they stopped.",
		Example: "  starter items resume nytimes-economy",
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	flags.add(p, cmd)
	return cmd
}

func holdingItems(p *program, resume bool) (*holding, *itemFlags) {
	flags := &itemFlags{}
	return &holding{program: p, resume: resume, find: func(ctx context.Context, s Store, refs []string) ([]held, error) {
		var list []held
		for _, ref := range refs {
			it, err := p.findItem(ctx, s, *flags, ref)
			if err != nil {
				return nil, err
			}
			list = append(list, held{kind: "item", name: it.Item.String(), on: it.Item.String(), put: func(ctx context.Context, pause *rows.Pause) error {
				return s.PauseItem(ctx, it.Item, pause)
			}})
		}
		return list, nil
	}}, flags
}
