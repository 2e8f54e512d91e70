package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// HouseOptions say where a local installation lives.
type HouseOptions struct {
	Dir    string // keeps databases and logs; made when absent
	CLI    string // the temporal binary
	Worker string // the worker program
	Store  string // file name of the store in Dir, or the address of one elsewhere
	Name   string // of the worker
	Args   []string
}

// House is a local installation: a server and one worker over one folder.
type House struct {
	Server *Server
	Worker *Process
	Store  string // its address
	Health string // where its worker answers /ready, /metrics and /debug/pprof
	o      HouseOptions
	log    io.WriteCloser
}

// Up starts a house; after an error nothing is left running.
func Up(ctx context.Context, o HouseOptions) (*House, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder %s: %w", o.Dir, err)
	}
	log, err := os.OpenFile(filepath.Join(o.Dir, "dev.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of a local house: %w", err)
	}
	h := &House{o: o, log: log, Store: o.storeAddress()}
	h.Server, err = StartServer(ctx, ServerOptions{
		CLI: o.CLI, Database: filepath.Join(o.Dir, "temporal.db"), Port: DefaultPort, UIPort: DefaultUIPort, Log: log,
	})
	if err == nil {
		err = h.leaveAddress()
	}
	if err == nil {
		err = h.StartWorker(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (see %s)", errors.Join(err, h.Down()), log.Name())
	}
	return h, nil
}

func (o HouseOptions) storeAddress() string {
	if strings.Contains(o.Store, "://") {
		return o.Store
	}
	return "sqlite:" + filepath.Join(o.Dir, o.Store)
}

// StartWorker starts the house's worker; also after it was killed.
func (h *House) StartWorker(ctx context.Context) error {
	var err error
	if h.Health, err = FreeAddress(ctx); err != nil {
		return err
	}
	h.Worker, err = StartWorker(ctx, WorkerOptions{
		Binary: h.o.Worker, Address: h.Server.Address, Store: h.Store, Health: h.Health, Log: h.log,
		Args: append([]string{"--create", "--identity", h.o.Name}, h.o.Args...),
	})
	return err
}

// downWithin bounds each process's end: a worker drains for 30 s at most.
const downWithin = 40 * time.Second

// Down ends the worker, then the server. It may be called twice.
func (h *House) Down() error {
	var errs []error
	h.takeAddress()
	for _, p := range []*Process{h.Worker, h.process()} {
		if p == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), downWithin)
		errs = append(errs, p.Stop(ctx))
		cancel()
	}
	_ = h.log.Close() // closed before, when called twice
	return errors.Join(errs...)
}

func (h *House) process() *Process {
	if h.Server == nil {
		return nil
	}
	return h.Server.Process
}
