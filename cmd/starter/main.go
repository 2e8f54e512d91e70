// Command starter applies campaigns, starts and watches runs, and answers
// questions about both.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "starter: working folder:", err)
		os.Exit(1)
	}
	code := cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Environ: os.Environ,
		Fetchers: fetchers.Builtin(), Version: "dev", Dir: dir,
	})
	stop()
	os.Exit(code)
}
