package store

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/store"
)

type storeBackup struct {
	*program.Program
	keep int
}

func newStoreBackup(p *program.Program) *cobra.Command {
	c := &storeBackup{Program: p}
	cmd := &cobra.Command{
		Use: "backup FOLDER", Short: "Copy the store into a folder while work goes on",
		Long: `Write a copy of the database as it is at one moment into FOLDER, named by store
and time, and the blobs that are not there yet into FOLDER/blobs. Workers may
go on. A SQLite store is copied whole; a PostgreSQL store by pg_dump, which must
be on PATH. An interrupted copy leaves nothing under its name. To put a copy
back: docs/operate.md, "Put back".`,
		Example: "  starter store backup /backup --keep 14",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	cmd.Flags().IntVar(&c.keep, "keep", 0, "how many copies of this store stay, the newest; 0 keeps all")
	return cmd
}

func (c *storeBackup) run(cmd *cobra.Command, args []string) error {
	if c.keep < 0 {
		return program.Usage("--keep %d: give a number from 1, or 0 to keep all copies", c.keep)
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	c.Announce("target   " + c.StoreName(s))
	made, err := s.Backup(cmd.Context(), store.BackupOptions{Folder: c.Path(args[0]), Keep: c.keep, Now: time.Now()})
	if err != nil {
		return err
	}
	c.Out.Value(made)
	text := fmt.Sprintf("%s: %s", made.Path, print.Bytes(made.Bytes))
	if made.Blobs > 0 {
		text += ", " + print.Count(made.Blobs, "blob") + " copied"
	}
	if n := len(made.Removed); n > 0 {
		text += fmt.Sprintf(", %d older removed", n)
	}
	c.Out.Printf("%s\n", text)
	return nil
}
