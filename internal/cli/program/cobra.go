package program

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Group is a noun; its verbs do the work.
func Group(use, short, long, example string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Example: example}
	cmd.AddCommand(verbs...)
	return cmd
}

// Complete gives a flag its possible values.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	Must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// Must is for what only a defect of this package can break.
func Must(err error) {
	if err != nil {
		panic(fmt.Sprintf("cli: %v", err))
	}
}

// FeedCursor is a number of a change as followers keep it.
func FeedCursor(f rows.Feed, n int64) string { return fmt.Sprintf("%s:%d", f.ID, n) }
