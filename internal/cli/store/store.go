package store

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
)

// New makes `starter store`.
func New(p *program.Program) *cobra.Command {
	return program.Group("store", "Back up and check the store, and say that it was put back from a copy",
		"What was collected, and where items go on, is in the store. docs/operate.md says\nhow it is saved and put back.",
		"  starter store verify",
		newStoreBackup(p), newStoreVerify(p), newStoreRestored(p))
}

type storeVerify struct{ *program.Program }

func newStoreVerify(p *program.Program) *cobra.Command {
	c := &storeVerify{Program: p}
	return &cobra.Command{
		Use: "verify", Short: "Look whether everything in the store is as it was written",
		Long: `Read the whole store: the database itself, every version of every document with
its body, the change numbers, the counts of items, every blob. Nothing is
written, and work may go on meanwhile. Exit code 1 when anything is wrong: then
stop all workers, keep the files, and put back the last copy that is sound.`,
		Example: "  starter store verify -o json",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

func (c *storeVerify) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	c.Announce("target   " + c.StoreName(s))
	bar := watch.NewProgress(c.Program)
	checks, err := s.Verify(cmd.Context(), func(done, total int64) {
		if bar.Screen {
			bar.Show(fmt.Sprintf("%s of %s changes", print.Number(int(done)), print.Number(int(total))), "")
		}
	})
	bar.Clear()
	if err != nil {
		return err
	}
	wrong := int64(0)
	t := print.NewTable(print.Left("CHECK"), print.Right("CHECKED"), print.Right("WRONG"))
	var examples []string
	for _, check := range checks {
		wrong += check.Wrong
		t.Row(check.Name, print.Number(int(check.Looked)), print.Number(int(check.Wrong)))
		for _, e := range check.Examples {
			examples = append(examples, check.Name+": "+e)
		}
	}
	c.Out.Value(map[string]any{"store": s.ID(), "sound": wrong == 0, "checks": checks})
	c.Out.Printf("%s", t.String())
	if wrong == 0 {
		c.Out.Printf("\nEverything is as it was written.\n")
		return nil
	}
	c.Out.Printf("\n%s\n", strings.Join(examples, "\n"))
	return fmt.Errorf("verify %s: %s wrong; stop all workers, keep the files, and put back the last copy that is sound (docs/operate.md)",
		c.StoreName(s), print.Count(int(wrong), "thing"))
}

type storeRestored struct{ *program.Program }

func newStoreRestored(p *program.Program) *cobra.Command {
	c := &storeRestored{Program: p}
	return &cobra.Command{
		Use: "restored", Short: "Say that the store was put back from a copy",
		Long: `Type this once, after an older copy was put back and before workers are started.
The store gets a new epoch: runs that the copy shows as open end as
store-restored, steps of workflows from before are refused, and followers of
documents changes get "database reset" and exit code 3.`,
		Example: "  starter store restored --yes",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

func (c *storeRestored) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	c.Announce("target   " + c.StoreName(s))
	if err := c.Confirm("say that this store was put back from a copy"); err != nil {
		return err
	}
	epoch, ended, err := s.Restored(cmd.Context(), c.Who())
	if err != nil {
		return err
	}
	c.Out.Value(map[string]any{"store": s.ID(), "epoch": epoch, "runs_ended": ended})
	c.Out.Printf("%s is of epoch %d now; %s ended as store-restored\n", c.StoreName(s), epoch, print.Count(ended, "run"))
	return nil
}
