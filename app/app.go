package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/worker"
)

// Option changes what a program is built of.
type Option func(*program) error

// With adds a fetcher. The name must be free and the fetcher describe itself.
func With(name string, n fetchers.New) Option {
	return func(p *program) (err error) {
		p.fetchers, err = p.fetchers.With(name, n)
		return err
	}
}

// AsWorker and AsStarter build a program of one role, whatever it is called.
func AsWorker(p *program) error { p.role = "worker"; return nil }

// AsStarter is AsWorker for the command line.
func AsStarter(p *program) error { p.role = "starter"; return nil }

// Main runs the worker or the command line, and exits with its code. The role is
// set by the build (AsWorker, AsStarter), else by the first argument (worker,
// starter), else by the executable's name: worker, my-worker. SIGINT and SIGTERM
// end it in good order; a second one at once.
func Main(options ...Option) {
	process.Main(func(ctx context.Context, e process.Env) int {
		p := program{Env: e}
		return p.run(ctx, options)
	})
}

// Run is Main without the process, for tests of a program: one invocation with the
// arguments args, the working folder and the environment of the caller, and no input.
// It returns the exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, options ...Option) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(stderr, "find the working folder:", err)
		return process.Error
	}
	p := program{Env: process.Env{
		Name: "starter", Args: args, Dir: dir, Version: "dev", Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr,
		Getenv: os.Getenv, Environ: os.Environ,
	}}
	return p.run(ctx, options)
}

// program is one invocation.
type program struct {
	process.Env
	role     string // worker, starter; empty: not built for one
	fetchers fetchers.Set
}

func (p program) run(ctx context.Context, options []Option) int {
	p.fetchers = fetchers.Builtin()
	for _, o := range options {
		if err := o(&p); err != nil {
			fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, err)
			return process.Error
		}
	}
	if p.takeRole() == "worker" {
		return worker.Main(ctx, p.Env, p.fetchers)
	}
	return cli.Main(ctx, cli.Env{Env: p.Env, Fetchers: p.fetchers})
}

// takeRole returns the role, and takes the argument that sets it.
func (p *program) takeRole() string {
	if p.role != "" {
		return p.role
	}
	if len(p.Args) > 0 && (p.Args[0] == "worker" || p.Args[0] == "starter") {
		role := p.Args[0]
		p.Args = p.Args[1:]
		return role
	}
	if name := strings.TrimSuffix(p.Name, ".exe"); name == "worker" || strings.HasSuffix(name, "-worker") {
		return "worker"
	}
	return "starter"
}
