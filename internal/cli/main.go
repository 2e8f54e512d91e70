package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/vendemmia/vendemmia/fetchers"
)

// Env is everything a command may touch. Nothing else of the process is read or
// written.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	// Environ lists the variables; nil: none (TEMPORAL_GRPC_META_* is then not
	// seen).
	Environ  func() []string
	Fetchers fetchers.Set
	Version  string
	Dir      string // working folder
	// Now and Zone are the clock; nil: the machine's.
	Now  func() time.Time
	Zone *time.Location
}

// The exit codes.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitRunFailed   = 3
	exitWarnings    = 4 // with --strict
	exitDifferences = 5 // with --detailed-exit-code
	exitInterrupted = 130
)

// Main runs one command and returns its exit code. It may be called many times
// at once with different Envs.
func Main(ctx context.Context, env Env) int {
	p := newProgram(env)
	defer p.close()
	return p.run(ctx)
}

func (p *program) run(ctx context.Context) int {
	root := newRoot(p)
	root.SetArgs(p.env.Args)
	root.SetIn(p.env.Stdin)
	root.SetOut(p.env.Stdout)
	root.SetErr(p.env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil && p.out != nil {
		err = p.out.Err()
	}
	return p.exit(ctx, err)
}

// exit says what went wrong and returns the code that stands for it.
func (p *program) exit(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	coded, ok := errors.AsType[*exitCode](err)
	if ok && coded.err == nil {
		return coded.code
	}
	if ctx.Err() != nil && !ok {
		fmt.Fprintln(p.env.Stderr, "starter: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(p.env.Stderr, "starter:", err)
	if ok {
		return coded.code
	}
	return exitError
}

// exitCode is an error with an exit code; without a cause it is silent: what
// there was to say has been said.
type exitCode struct {
	code int
	err  error
}

func (e *exitCode) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitCode) Unwrap() error { return e.err }

func quiet(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitCode{code: code}
}

// usage is a mistake of the person at the keyboard.
func usage(format string, args ...any) error {
	return &exitCode{code: exitUsage, err: fmt.Errorf(format, args...)}
}
