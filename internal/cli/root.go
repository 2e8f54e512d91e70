package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/begin"
	"github.com/vendemmia/vendemmia/internal/cli/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/checkpoints"
	"github.com/vendemmia/vendemmia/internal/cli/codec"
	"github.com/vendemmia/vendemmia/internal/cli/dev"
	"github.com/vendemmia/vendemmia/internal/cli/documents"
	"github.com/vendemmia/vendemmia/internal/cli/events"
	"github.com/vendemmia/vendemmia/internal/cli/failures"
	"github.com/vendemmia/vendemmia/internal/cli/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/hosts"
	"github.com/vendemmia/vendemmia/internal/cli/items"
	"github.com/vendemmia/vendemmia/internal/cli/mir"
	"github.com/vendemmia/vendemmia/internal/cli/outbox"
	"github.com/vendemmia/vendemmia/internal/cli/probe"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/registries"
	"github.com/vendemmia/vendemmia/internal/cli/runs"
	"github.com/vendemmia/vendemmia/internal/cli/setup"
	"github.com/vendemmia/vendemmia/internal/cli/stats"
	"github.com/vendemmia/vendemmia/internal/cli/store"
	"github.com/vendemmia/vendemmia/internal/cli/trigger"
	"github.com/vendemmia/vendemmia/internal/cli/why"
	"github.com/vendemmia/vendemmia/internal/cli/workers"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// commands is every command of starter.
func commands() []func(*program.Program) *cobra.Command {
	return []func(*program.Program) *cobra.Command{
		dev.New,
		begin.New,
		probe.New,
		why.New,
		setup.New,
		store.New,
		campaigns.New,
		trigger.New,
		runs.New,
		items.New,
		failures.New,
		outbox.New,
		documents.New,
		checkpoints.New,
		fetchers.New,
		newImport,
		events.New,
		registries.New,
		workers.New,
		stats.New,
		hosts.New,
		codec.New,
		newConfig,
		newCompletion,
		newVersion,
	}
}

// newImport joins the importers of three nouns.
func newImport(p *program.Program) *cobra.Command {
	return checkpoints.NewImport(p, mir.NewCrontab(p), mir.NewDocuments(p), registries.NewImport(p))
}

func newRoot(p *program.Program) *cobra.Command {
	root := &cobra.Command{
		Use:   "starter",
		Short: "Collect documents from the outside world, on schedule",
		Long: `starter speaks to a store (what was collected) and to Temporal (what is going
on). It opens either only for the commands that need it.

Text is for people; -o json and -o jsonl are for programs. Exit codes: 0 ok,
1 error, 2 usage, 3 the run failed, 4 warnings with --strict, 5 differences with
--detailed-exit-code, 130 interrupted.`,
		Example:           "  starter fetchers try feed --params url=https://example.org/rss.xml",
		Version:           p.Env.Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error { return p.Prepare() },
	}
	root.SetVersionTemplate(versionLine(p))
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	p.AddFlags(root)
	for _, make := range commands() {
		root.AddCommand(make(p))
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return program.Usage("%w; see `%s --help`", err, cmd.CommandPath())
	})
	harden(root)
	return root
}

// harden makes every mistake at the keyboard a usage error: wrong arguments, an
// unknown command, a noun without its verb.
func harden(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if slices.Contains(args, "") {
				return program.Usage("%s: an argument is empty; usage: %s", verbOf(c), c.UseLine())
			}
			if err := check(c, args); err != nil {
				return program.Usage("%s: %w; usage: %s", verbOf(c), err, c.UseLine())
			}
			return nil
		}
	}
	if cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = noVerb
	}
	for _, sub := range cmd.Commands() {
		harden(sub)
	}
}

// verbOf is a command as errors name it: without the program's name, which stands
// before every error.
func verbOf(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

func noVerb(cmd *cobra.Command, args []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if len(args) == 0 && !cmd.HasParent() {
		return cmd.Help()
	}
	if len(args) == 0 {
		return program.Usage("%s: a verb is missing, one of %s", verbOf(cmd), strings.Join(names, ", "))
	}
	typed := strings.TrimSpace(verbOf(cmd) + " " + args[0])
	if near := wording.Nearest(args[0], names); near != "" {
		return program.Usage("%s: no such command; did you mean %s?", typed, near)
	}
	return program.Usage("%s: no such command; there are %s", typed, strings.Join(names, ", "))
}
