package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// version is set by the linker.
var version = "dev"

// Exit codes of the worker.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
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

// Main runs the worker or the command line, and exits with its code. Which one
// is said by the build (AsWorker, AsStarter), else by the first argument (worker,
// starter), else by the executable's name: worker, my-worker. SIGINT and SIGTERM end it in good order; a second one at once.
func Main(options ...Option) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal finds the default again
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "find the working folder:", err)
		os.Exit(exitError)
	}
	p := program{
		name: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), args: os.Args[1:], dir: dir,
		stdin: os.Stdin, stdout: print.Onto(os.Stdout), stderr: print.Onto(os.Stderr), getenv: os.Getenv, environ: os.Environ,
	}
	code := p.run(ctx, options)
	stop()
	os.Exit(code)
}

// program is one invocation, with all that it may touch.
type program struct {
	name     string
	role     string // worker, starter; empty: not built for one
	args     []string
	dir      string
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
	getenv   func(string) string
	environ  func() []string
	fetchers fetchers.Set
}

func (p program) run(ctx context.Context, options []Option) int {
	p.fetchers = fetchers.Builtin()
	for _, o := range options {
		if err := o(&p); err != nil {
			fmt.Fprintf(p.stderr, "%s: %s\n", p.name, err)
			return exitError
		}
	}
	if p.takeRole() == "worker" {
		return p.worker(ctx)
	}
	return cli.Main(ctx, cli.Env{
		Args: p.args, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv, Environ: p.environ,
		Fetchers: p.fetchers, Version: version, Dir: p.dir,
	})
}

// takeRole says which program this is, and takes the argument that says so.
func (p *program) takeRole() string {
	if p.role != "" {
		return p.role
	}
	if len(p.args) > 0 && (p.args[0] == "worker" || p.args[0] == "starter") {
		role := p.args[0]
		p.args = p.args[1:]
		return role
	}
	if p.name == "worker" || strings.HasSuffix(p.name, "-worker") {
		return "worker"
	}
	return "starter"
}
