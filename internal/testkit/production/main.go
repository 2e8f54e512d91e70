// Command production runs what starts the development server on Temporal's
// production server over PostgreSQL instead:
//
//	production run COMMAND...        PostgreSQL, then the command, with TEMPORAL_CLI set to this program
//	production server start-dev ...  what a caller of the Temporal CLI types: becomes the production server
//
// Each server has databases of its own in one cluster, by the file that a
// development server would keep its state in: killed and started again, it finds
// them. It wants temporal-server and temporal-sql-tool beside itself (make
// temporal-server).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
)

// What run tells the servers that its command starts.
const (
	envPort = "VENDEMMIA_PRODUCTION_PORT" // of PostgreSQL
	envBin  = "VENDEMMIA_PRODUCTION_BIN"  // the folder of the programs
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := do(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "production:", err)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			os.Exit(exit.ExitCode())
		}
		os.Exit(1)
	}
}

func do(ctx context.Context, args []string) error {
	switch {
	case len(args) > 1 && args[0] == "run":
		return run(ctx, args[1:])
	case len(args) > 1 && args[0] == "server" && args[1] == "start-dev":
		return serve(ctx, args[2:])
	default:
		return errors.New("a command is missing; type: production run COMMAND")
	}
}

// run starts PostgreSQL, makes the databases that all servers are copies of, and
// runs a command.
func run(ctx context.Context, command []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Dir(self)
	for _, name := range []string{"temporal-server", "temporal-sql-tool"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			return fmt.Errorf("find %s beside this program: %w; `make temporal-server` builds it into bin/", name, err)
		}
	}
	cluster, err := pgtest.Start(ctx, pgtest.Options{Settings: []string{"max_connections=800", "shared_buffers=128MB"}})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	m := machine{bin: bin, port: cluster.Port()}
	if err := m.makeTemplate(ctx, cluster); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "TEMPORAL_CLI="+self, envBin+"="+bin, fmt.Sprintf("%s=%d", envPort, m.port))
	return cmd.Run()
}
