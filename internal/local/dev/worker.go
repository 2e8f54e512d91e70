package dev

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/vendemmia/vendemmia/internal/local/freeport"
)

// WorkerOptions say how to run a worker process.
type WorkerOptions struct {
	Binary  string // the worker program
	Address string // of the Temporal server
	Store   string
	Health  string   // host:port of the health server; required, it tells when the worker is ready
	Args    []string // more flags
	Env     []string // more environment, NAME=value
	Log     io.Writer
}

// StartWorker starts a worker and waits until it is ready to take work. Of the
// environment no Temporal profile and no setting of ours is passed on: a worker
// of one's own machine must never reach a server that a shell points to.
func StartWorker(ctx context.Context, o WorkerOptions) (*Process, error) {
	log := o.Log
	if log == nil {
		log = io.Discard
	}
	args := append([]string{"--store", o.Store, "--health-address", o.Health, "--temporal-address", o.Address, "--temporal-namespace", "default"}, o.Args...)
	env := append(Environment(o.Address), o.Env...)
	p, err := start(o.Binary, args, env, log)
	if err != nil {
		return nil, err
	}
	if err := p.waitReady(ctx, "the worker", func(ctx context.Context) error { return ready(ctx, o.Health) }); err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}

// secretPrefix begins the variables that references to secrets may name.
const secretPrefix = "VENDEMMIA_SECRET_"

// isSetting tells the settings among them, which the worker gets as flags.
func isSetting(e string) bool {
	name, _, _ := strings.Cut(e, "=")
	return name == secretPrefix+"ENV" || name == secretPrefix+"DIR"
}

// Environment is this process's without TEMPORAL_* and VENDEMMIA_*, but for
// secrets, pointed to the server at address.
func Environment(address string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "TEMPORAL_") && !strings.HasPrefix(e, "VENDEMMIA_") || strings.HasPrefix(e, secretPrefix) && !isSetting(e) {
			env = append(env, e)
		}
	}
	return append(env, "TEMPORAL_ADDRESS="+address, "TEMPORAL_NAMESPACE=default", "TEMPORAL_CONFIG_FILE="+os.DevNull)
}

func ready(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/ready", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 500)) // as far as it can be read
		return fmt.Errorf("the worker answers %s: %s", resp.Status, strings.TrimSpace(string(why)))
	}
	return nil
}

// FreeAddress returns a loopback address with a free port.
func FreeAddress(ctx context.Context) (string, error) {
	port, err := freeport.Find(ctx)
	return fmt.Sprintf("127.0.0.1:%d", port), err
}
