package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/process"
)

// Main runs the command worker until ctx ends or it cannot go on, and returns its
// exit code.
func Main(ctx context.Context, e process.Env, f fetchers.Set) int {
	p := program{Env: e, fetchers: f}
	code := process.OK
	cmd := p.command(func(s config.Settings) (err error) {
		code, err = p.work(ctx, s)
		return err
	})
	cmd.SetArgs(p.Args)
	cmd.SetIn(p.Stdin)
	cmd.SetOut(p.Stdout)
	cmd.SetErr(p.Stderr)
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(p.Stderr, "worker:", err)
		return max(code, exitCode(err))
	}
	return code
}

// Command returns the command worker, for those who describe it: man pages.
func Command(e process.Env) *cobra.Command {
	return program{Env: e}.command(func(config.Settings) error { return nil })
}

// program is one invocation, with all that it may touch.
type program struct {
	process.Env
	fetchers fetchers.Set
}

// usageError is a mistake of the person at the keyboard.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func exitCode(err error) int {
	if _, ok := errors.AsType[usageError](err); ok {
		return process.Usage
	}
	return process.Error
}

func (p program) command(work func(config.Settings) error) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Fetch for the runs that Temporal hands out, and keep what they bring",
		Long: `worker takes runs from Temporal and fetches their items. Start as many as you
like, on the queues you like; they share the work.

Every setting is a flag, a variable (--item-slots is VENDEMMIA_ITEM_SLOTS) or a
line of the file named by --config-file, in this order of strength. Where
Temporal is comes from its own settings: TEMPORAL_ADDRESS, temporal.toml.
A worker waits for a Temporal server that is not there yet.
SIGTERM ends it: pages in work are committed, the rest is handed back.
Exit codes: 0 stopped, 1 error, 2 usage.`,
		Example: `  worker --store sqlite:/srv/vendemmia/vendemmia.db --create
  worker --queues library --allow-network 10.3.0.0/16 --health-address 127.0.0.1:9090`,
		Version: p.Version, Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(config.Input{Flags: given(cmd.Flags()), Getenv: p.Getenv, ConfigFile: file, Dir: p.Dir})
			if err != nil {
				return usageError{err}
			}
			return work(s)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{fmt.Errorf("%w; see worker --help", err)} })
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError{fmt.Errorf("%q: worker takes flags only; see worker --help", args[0])}
		}
		return nil
	}
	cmd.SetVersionTemplate("worker {{.Version}}\n")
	cmd.Flags().StringVar(&file, "config-file", "", "YAML file with settings; default: vendemmia.yaml, looked for upwards (VENDEMMIA_CONFIG_FILE)")
	addFlags(cmd.Flags())
	return cmd
}

// addFlags makes a flag of every setting. Defaults are shown, not set: an absent
// flag must not outrank the environment.
func addFlags(f *pflag.FlagSet) {
	for _, k := range config.All() {
		help := k.Help
		if k.Default != "" && !k.Switch {
			help += " (" + k.Default + ")"
		}
		switch {
		case k.Switch:
			f.Bool(k.Name, false, help)
		case k.List || k.Map:
			f.StringArray(k.Name, nil, help+"; may be repeated")
		default:
			f.String(k.Name, "", help)
		}
	}
}

// given lists the flags that were given, lists joined by commas.
func given(f *pflag.FlagSet) map[string]string {
	flags := map[string]string{}
	f.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "config-file", "help", "version":
			return
		}
		flags[flag.Name] = flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			flags[flag.Name] = strings.Join(list.GetSlice(), ",")
		}
	})
	return flags
}

// say turns an error into one for people: fx wraps with what only its readers
// understand.
func say(err error) error {
	if e, ok := errors.AsType[*harvest.Error](err); ok {
		return e
	}
	return err
}
