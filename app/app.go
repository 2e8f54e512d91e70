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

// Main runs the program that the executable's name says and exits with its
// code. SIGINT and SIGTERM end it in good order; a second one at once.
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
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ,
	}
	code := p.run(ctx, options)
	stop()
	os.Exit(code)
}

// program is one invocation, with all that it may touch.
type program struct {
	name     string
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
	if p.name == "worker" {
		return p.worker(ctx)
	}
	return cli.Main(ctx, cli.Env{
		Args: p.args, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv, Environ: p.environ,
		Fetchers: p.fetchers, Version: version, Dir: p.dir,
	})
}
