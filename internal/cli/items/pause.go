package items

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

func newItemsPause(p *program.Program) *cobra.Command {
	c, flags := holdingItems(p, false)
	cmd := &cobra.Command{
		Use: "pause KEY...", Short: "Leave items out of runs for a while",
		Long:    "Leave items out of their campaign's runs, which then are not amber because of\nthem. Their checkpoints stay.",
		Example: `  starter items pause nytimes-economy --note "moved, ask Ilse" --until 14d`,
		Args:    cobra.MinimumNArgs(1), RunE: c.Run,
	}
	flags.Add(p, cmd)
	c.AddFlags(cmd)
	return cmd
}

func newItemsResume(p *program.Program) *cobra.Command {
	c, flags := holdingItems(p, true)
	cmd := &cobra.Command{
		Use: "resume KEY...", Short: "Take paused items into runs again",
		Long:    "Take paused items into their campaign's runs again, from where they stopped.",
		Example: "  starter items resume nytimes-economy",
		Args:    cobra.MinimumNArgs(1), RunE: c.Run,
	}
	flags.Add(p, cmd)
	return cmd
}

func holdingItems(p *program.Program, resume bool) (*hold.Holding, *scope.ItemFlags) {
	flags := &scope.ItemFlags{}
	return &hold.Holding{Program: p, Resume: resume, Find: func(ctx context.Context, s program.Store, refs []string) ([]hold.Held, error) {
		var list []hold.Held
		for _, ref := range refs {
			it, err := scope.FindItem(ctx, p, s, *flags, ref)
			if err != nil {
				return nil, err
			}
			list = append(list, hold.Held{Kind: "item", Name: it.Item.String(), On: it.Item.String(), Put: func(ctx context.Context, pause *rows.Pause) error {
				return s.PauseItem(ctx, it.Item, pause)
			}})
		}
		return list, nil
	}}, flags
}
