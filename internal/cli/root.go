package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/config"
)

// commands is every command of starter.
func commands() []func(*program) *cobra.Command {
	return []func(*program) *cobra.Command{
		newDev,
		newInit,
		newProbe,
		newWhy,
		newSetup,
		newStore,
		newCampaigns,
		newTrigger,
		newRuns,
		newItems,
		newFailures,
		newOutbox,
		newDocuments,
		newCheckpoints,
		newFetchers,
		newImport,
		newWorkers,
		newHosts,
		newConfig,
		newCompletion,
		newVersion,
	}
}

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "starter",
		Short: "Collect documents from the outside world, on schedule",
		Long: `starter speaks to a store (what was collected) and to Temporal (what is going
on). It opens either only for the commands that need it.

Text is for people; -o json and -o jsonl are for programs. Exit codes: 0 ok,
1 error, 2 usage, 3 the run failed, 4 warnings with --strict, 5 differences with
--detailed-exit-code, 130 interrupted.`,
		Example:           "  starter fetchers try feed --params url=https://example.org/rss.xml",
		Version:           p.env.Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error { return p.prepare() },
	}
	root.SetVersionTemplate(p.versionLine())
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	p.addFlags(root)
	for _, make := range commands() {
		root.AddCommand(make(p))
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see `%s --help`", err, cmd.CommandPath())
	})
	harden(root)
	return root
}

// addFlags adds what every command takes: how to write, and the settings that
// say where store and Temporal are.
func (p *program) addFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVarP(&p.flags.output, "output", "o", "text", "what to write: text, json or jsonl")
	f.StringVar(&p.flags.configFile, "config-file", "", "file of settings; default: vendemmia.yaml, looked for upwards ("+config.ConfigFileEnv+")")
	f.BoolVarP(&p.flags.yes, "yes", "y", false, "do not ask before something is changed")
	for _, k := range config.All() {
		if slices.Contains(flagSettings(), k.Name) {
			f.String(k.Name, "", k.Help+" ("+k.Env()+")")
		}
	}
	p.given = func(name string) (string, bool) {
		flag := f.Lookup(name)
		return flag.Value.String(), flag.Changed
	}
	complete(root, "output", "text", "json", "jsonl")
}

// flagSettings are the settings that starter takes as flags; `starter config`
// tells all.
func flagSettings() []string {
	return []string{"store", "instance", "temporal-address", "temporal-namespace", "temporal-profile", "temporal-config-file"}
}

// harden makes every mistake at the keyboard a usage error: wrong arguments, an
// unknown command, a noun without its verb.
func harden(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usage("%s: %w; it goes: %s", c.CommandPath(), err, c.UseLine())
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
		return usage("%s: and then? one of %s", cmd.CommandPath(), strings.Join(names, ", "))
	}
	if near := harvest.Nearest(args[0], names); near != "" {
		return usage("%s %s: no such command; did you mean %s?", cmd.CommandPath(), args[0], near)
	}
	return usage("%s %s: no such command; there are %s", cmd.CommandPath(), args[0], strings.Join(names, ", "))
}

// group is a noun; its verbs do the work.
func group(use, short, long, example string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Example: example}
	cmd.AddCommand(verbs...)
	return cmd
}

// complete gives a flag its possible values.
func complete(cmd *cobra.Command, flag string, values ...string) {
	must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// must is for what only a defect of this package can break.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("cli: %v", err))
	}
}
