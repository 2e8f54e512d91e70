package items

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// New makes `starter items`.
func New(p *program.Program) *cobra.Command {
	return program.Group("items", "The sources one by one, across runs",
		"An item is one fetcher with one set of params: what fails, is retried and goes\non by itself. Its name is campaign / entry / key; the key alone does where it is\nthe only one.",
		"  starter items list --unhealthy",
		newItemsList(p), newItemsShow(p), newItemsPause(p), newItemsResume(p), newItemsRetry(p))
}
