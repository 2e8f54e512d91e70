package dev

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/local/demo"
	"github.com/vendemmia/vendemmia/internal/local/dev"
)

type devCommand struct {
	*program.Program
	demo  bool
	once  bool
	jobs  bool
	allow []string
}

// New makes `starter dev`.
func New(p *program.Program) *cobra.Command {
	c := &devCommand{Program: p}
	cmd := &cobra.Command{
		Use: "dev", Short: "Run everything on this machine",
		Long: `Run a Temporal development server with its Web UI and one worker on this
machine, over the folder .vendemmia. Connection settings of the shell
(TEMPORAL_*, profiles) are ignored, so that no server but this one is ever
touched; ports that are taken are passed over. Ctrl-C ends everything and the
data stays. Sources on this machine or a private network are refused unless
--allow-network names it. With --registry there are two job registries beside it
to try things on, one in each dialect; it prints what to type.`,
		Example: "  starter dev --demo --once",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.BoolVar(&c.demo, "demo", false, "apply and trigger campaigns over replica sources, and kill the worker in the middle")
	f.BoolVar(&c.once, "once", false, "with --demo: end once everything is shown")
	f.BoolVar(&c.jobs, "registry", false, "with two job registries to try things on, and what to type")
	f.StringArrayVar(&c.allow, "allow-network", nil, "network the worker may ask though private or of this machine (CIDR)")
	return cmd
}

func (c *devCommand) run(cmd *cobra.Command, _ []string) error {
	if c.once && !c.demo {
		return program.Usage("dev: --once goes with --demo")
	}
	if c.demo && c.jobs {
		return program.Usage("dev: --demo shows a registry by itself; --registry goes without it")
	}
	if c.demo && len(c.allow) > 0 {
		return program.Usage("dev: --demo brings sources of its own; --allow-network goes without it")
	}
	allow, err := networks(c.allow)
	if err != nil {
		return err
	}
	cli, worker, err := c.binaries()
	if err != nil {
		return err
	}
	dir := filepath.Join(c.Env.Dir, ".vendemmia")
	given, err := c.secretFlags()
	if err != nil {
		return err
	}
	if !c.demo {
		allow = append(allow, given...)
		if c.jobs {
			allow = append(allow, "--allow-network", "127.0.0.0/8")
		}
		return c.stay(cmd.Context(), dev.HouseOptions{Dir: dir, CLI: cli, Worker: worker, Store: "vendemmia.db", Name: "dev-1", Args: allow})
	}
	err = demo.Run(cmd.Context(), demo.Options{
		Out: c.Env.Stdout, Screen: c.Screen(), Dir: dir, Worker: worker, CLI: cli, Once: c.once, Lookup: campaignfiles.Lookup(c.Program), Author: c.Who(),
	})
	if errors.Is(err, context.Canceled) {
		return program.Quiet(program.ExitInterrupted)
	}
	return err
}

// secretFlags give the worker the secrets that the settings of this process name.
func (c *devCommand) secretFlags() ([]string, error) {
	s, err := c.Settings()
	if err != nil {
		return nil, err
	}
	flags := []string{"--secret-env", strings.Join(s.SecretEnv, ",")}
	for _, dir := range s.SecretDirs {
		flags = append(flags, "--secret-dir", c.Path(dir))
	}
	if s.PayloadKeys != "" {
		flags = append(flags, "--payload-keys", s.PayloadKeys)
	}
	for _, dir := range s.ExecDirs {
		flags = append(flags, "--exec-dir", c.Path(dir))
	}
	return flags, nil
}

// networks are the worker's flags for networks that may be asked.
func networks(given []string) (flags []string, err error) {
	for _, text := range given {
		if _, err := netip.ParsePrefix(text); err != nil {
			return nil, program.Usage("--allow-network %q: write a network like 10.3.0.0/16", text)
		}
		flags = append(flags, "--allow-network", text)
	}
	return flags, nil
}

// stay runs a house until Ctrl-C, or until one of its processes ends.
func (c *devCommand) stay(ctx context.Context, o dev.HouseOptions) (err error) {
	var registries *demo.Registries
	if c.jobs {
		if registries, err = demo.OpenRegistries(); err != nil {
			return err
		}
		defer registries.Close()
	}
	house, err := dev.Up(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, house.Down()) }()
	fmt.Fprintf(c.Env.Stdout, "Temporal  %s   Web UI  %s\nstore     %s   worker  %s\nlog       %s\nRunning until Ctrl-C. In another terminal, in this folder:\n  %sstarter campaigns apply\n",
		house.Server.Address, house.Server.UI, c.StoreTitle(house.Store), o.Name, c.Relative(filepath.Join(o.Dir, "dev.log")), c.prefix(house.Server.Address))
	if registries != nil {
		fmt.Fprint(c.Env.Stdout, registries.HowTo(c.prefix(house.Server.Address)))
	}
	select {
	case <-ctx.Done():
		return nil
	case <-house.Server.Done():
		return fmt.Errorf("the Temporal development server has ended: %w; see %s", house.Server.Err(), filepath.Join(o.Dir, "dev.log"))
	case <-house.Worker.Done():
		return fmt.Errorf("the worker has ended: %w; see %s", house.Worker.Err(), filepath.Join(o.Dir, "dev.log"))
	}
}

// prefix is what a command needs to reach this server: nothing, unless the shell
// names another one.
func (c *devCommand) prefix(address string) string {
	if c.Env.Getenv("TEMPORAL_ADDRESS") == "" && c.Env.Getenv("TEMPORAL_PROFILE") == "" {
		return ""
	}
	return "TEMPORAL_ADDRESS=" + address + " "
}

// binaries finds the Temporal CLI and the worker: beside this program.
func (c *devCommand) binaries() (cli, worker string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", fmt.Errorf("find the worker program: %w", err)
	}
	worker = filepath.Join(filepath.Dir(self), "worker")
	if _, err := os.Stat(worker); err != nil {
		return "", "", fmt.Errorf("find the worker program: %w; `make build` puts it beside starter", err)
	}
	if cli, err = dev.FindCLI(filepath.Dir(self), c.Env.Getenv); err != nil {
		cli, err = dev.FindCLI(c.Env.Dir, c.Env.Getenv)
	}
	return cli, worker, err
}
