// Package process is what a program may touch of the process that it runs in:
// arguments, streams, environment, working folder, signals, exit code.
package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/vendemmia/vendemmia/internal/terminal"
)

// Exit codes that all programs share.
const (
	OK    = 0
	Error = 1
	Usage = 2
)

// version is set by the linker.
var version = "dev"

// Env is one invocation of a program.
type Env struct {
	Name    string   // of the executable
	Args    []string // without the name
	Dir     string   // the working folder, absolute
	Version string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ func() []string
}

// Main calls run with the environment of this process and exits with the code it
// returns. SIGINT and SIGTERM end the context; a second one ends the process.
func Main(run func(context.Context, Env) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal finds the default again
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "find the working folder:", err)
		os.Exit(Error)
	}
	code := run(ctx, Env{
		Name: filepath.Base(os.Args[0]), Args: os.Args[1:], Dir: dir, Version: version, Stdin: os.Stdin,
		Stdout: terminal.Onto(os.Stdout), Stderr: terminal.Onto(os.Stderr), Getenv: os.Getenv, Environ: os.Environ,
	})
	stop()
	os.Exit(code)
}
