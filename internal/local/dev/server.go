package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/internal/local/freeport"
)

// Preferred ports of the development server; the next free pair is taken when
// they are not free.
const (
	DefaultPort   = 7233
	DefaultUIPort = 8233
)

// ServerOptions say how to run the development server.
type ServerOptions struct {
	CLI string // the temporal binary; see FindCLI
	// Database is the file that keeps its state; empty: in memory.
	Database string
	// Port and UIPort are the first to try; 0: any free ones.
	Port, UIPort int
	Log          io.Writer // nil: discarded
}

// Server is a running Temporal development server.
type Server struct {
	*Process
	Address string // host:port of the front end
	UI      string // address of the Web UI
	options ServerOptions
}

// FindCLI finds the temporal binary: TEMPORAL_CLI, bin/temporal from dir
// upwards, then PATH.
func FindCLI(dir string, getenv func(string) string) (string, error) {
	if path := getenv("TEMPORAL_CLI"); path != "" {
		return path, nil
	}
	for d := dir; ; d = filepath.Dir(d) {
		if path := filepath.Join(d, "bin", "temporal"); executable(path) {
			return path, nil
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	if path, err := exec.LookPath("temporal"); err == nil {
		return path, nil
	}
	return "", errors.New("find the Temporal CLI: none in TEMPORAL_CLI, bin/temporal or PATH; `make temporal` builds one")
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// StartServer starts a development server and waits until it answers.
func StartServer(ctx context.Context, o ServerOptions) (*Server, error) {
	for try := 1; ; try++ {
		port, uiPort, err := freePorts(ctx, o.Port, o.UIPort)
		if err != nil {
			return nil, err
		}
		chosen := o
		chosen.Port, chosen.UIPort = port, uiPort
		s, err := startServer(ctx, chosen)
		if !errors.Is(err, errEnded) || try == maxTries {
			return s, err
		}
	}
}

// maxTries: a port that was free a moment ago may be somebody's now; the server
// then ends at once.
const maxTries = 3

// Restart starts the server again on its ports and database after it was
// killed or stopped.
func (s *Server) Restart(ctx context.Context) error {
	again, err := startServer(ctx, s.options)
	if err != nil {
		return err
	}
	s.Process = again.Process
	return nil
}

func startServer(ctx context.Context, o ServerOptions) (*Server, error) {
	log := o.Log
	if log == nil {
		log = io.Discard
	}
	process, err := start(o.CLI, serverArgs(o), os.Environ(), log)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Process: process, options: o,
		Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)),
		UI:      "http://localhost:" + strconv.Itoa(o.UIPort),
	}
	if err := process.waitReady(ctx, "the Temporal development server", s.answers); err != nil {
		process.Kill()
		return nil, err
	}
	return s, nil
}

// serverArgs: worker heartbeats give the roster of `starter workers`; the
// search attributes are those of docs/operate.md.
func serverArgs(o ServerOptions) []string {
	args := []string{
		"server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(o.Port), "--ui-port", strconv.Itoa(o.UIPort),
		"--log-level", "error",
		"--dynamic-config-value", "frontend.WorkerHeartbeatsEnabled=true",
		"--dynamic-config-value", "frontend.ListWorkersEnabled=true",
	}
	for _, a := range searchAttributes() {
		args = append(args, "--search-attribute", a)
	}
	if o.Database != "" {
		args = append(args, "--db-filename", o.Database)
	}
	return args
}

func (s *Server) answers(ctx context.Context) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: s.Address, Logger: quiet{}})
	if err != nil {
		return fmt.Errorf("ask the Temporal server at %s: %w", s.Address, err)
	}
	defer c.Close()
	return attributesReady(ctx, c)
}

// freePorts returns two free ports, the wanted pair or the next free one.
func freePorts(ctx context.Context, port, uiPort int) (int, int, error) {
	if port == 0 || uiPort == 0 {
		return anyPorts(ctx)
	}
	for i := range 100 {
		if free(port+i) && free(uiPort+i) {
			return port + i, uiPort + i, nil
		}
	}
	return 0, 0, fmt.Errorf("find free ports: none among the hundred from %d and %d on", port, uiPort)
}

func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func anyPorts(ctx context.Context) (port, uiPort int, err error) {
	if port, err = freeport.Find(ctx); err != nil {
		return 0, 0, err
	}
	for uiPort == 0 || uiPort == port {
		if uiPort, err = freeport.Find(ctx); err != nil {
			return 0, 0, err
		}
	}
	return port, uiPort, nil
}
