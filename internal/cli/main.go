package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// Env is everything a command may touch.
type Env = program.Env

// Main runs one command and returns its exit code. It may be called many times
// at once with different Envs.
func Main(ctx context.Context, env Env) int {
	p := program.New(env)
	defer p.Close()
	return run(ctx, p)
}

// Command returns the tree of all commands, for those who describe it: man pages.
func Command(env Env) *cobra.Command { return newRoot(program.New(env)) }

func run(ctx context.Context, p *program.Program) int {
	root := newRoot(p)
	root.SetArgs(p.Env.Args)
	root.SetIn(p.Env.Stdin)
	root.SetOut(p.Env.Stdout)
	root.SetErr(p.Env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil && p.Out != nil {
		err = p.Out.Err()
	}
	return exit(ctx, p, err)
}

// exit says what went wrong and returns the code that stands for it.
func exit(ctx context.Context, p *program.Program, err error) int {
	if err == nil {
		return program.ExitOK
	}
	coded, ok := errors.AsType[*program.ExitCode](err)
	if ok && coded.Err == nil {
		return coded.Code
	}
	if ctx.Err() != nil && !ok {
		fmt.Fprintln(p.Env.Stderr, "starter: interrupted")
		return program.ExitInterrupted
	}
	fmt.Fprintln(p.Env.Stderr, "starter:", err)
	if ok {
		return coded.Code
	}
	return program.ExitError
}
