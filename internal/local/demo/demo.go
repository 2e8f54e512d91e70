package demo

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/store"
)

// Options say where the demo lives and how it is shown.
type Options struct {
	Out    io.Writer
	Screen bool   // Out is a terminal: bars are redrawn
	Dir    string // of the data: .vendemmia
	Worker string // the worker program
	CLI    string // the temporal binary
	Once   bool   // end by itself
	Lookup campaigns.Lookup
	Author string
}

// workerName and slots are what the demo's worker says of itself. Its heartbeat
// is short, so that a kill costs seconds, not half a minute.
const (
	workerName = "demo-1"
	heartbeat  = 2 * time.Second
	slots      = 20
)

// show is a demo going on.
type show struct {
	Options
	house   *dev.House
	sources *sources
	client  client.Client
	store   *store.Store
	runs    []*started
	// registries are there once the campaigns have ended.
	registries *Registries
	kill       kill
}

// Run shows the demo and returns once it is over: at once with Once, else when
// ctx ends. Nothing is left running, whatever happened.
func Run(ctx context.Context, o Options) (err error) {
	s := &show{Options: o}
	defer func() {
		if end := s.down(); err == nil {
			err = end
		}
	}()
	for _, step := range []func(context.Context) error{s.up, s.open, s.apply, s.trigger, s.watch, s.tell, s.registry, s.advise} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if o.Once {
		return nil
	}
	fmt.Fprintf(o.Out, "Running until Ctrl-C; the data stays in %s/\n", filepath.Base(o.Dir))
	<-ctx.Done()
	return nil
}

// up starts the sources, then server and worker: the worker needs them all.
func (s *show) up(ctx context.Context) (err error) {
	if s.sources, err = openSources(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	s.house, err = dev.Up(ctx, dev.HouseOptions{
		Dir: s.Dir, CLI: s.CLI, Worker: s.Worker, Store: "demo.db", Name: workerName,
		Args: []string{
			"--allow-network", "127.0.0.0/8", "--heartbeat", heartbeat.String(), "--item-slots", fmt.Sprint(slots),
			"--contact", "https://github.com/vendemmia/vendemmia", "--secret-dir", filepath.Join(s.Dir, secretFolder),
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "[3/4] Temporal  %s   Web UI  %s\n", s.house.Server.Address, s.house.Server.UI)
	fmt.Fprintf(s.Out, "      store     sqlite %s   worker  %s, %d slots\n", filepath.Join(filepath.Base(s.Dir), "demo.db"), workerName, slots)
	fmt.Fprintf(s.Out, "[4/4] sources   %s: replicas on this machine\n\n", s.sources)
	return nil
}

func (s *show) open(ctx context.Context) (err error) {
	if s.store, err = store.Open(ctx, s.house.Store, store.Options{}); err != nil {
		return err
	}
	s.client, err = temporalx.Dial(ctx, temporalx.Target{Address: s.house.Server.Address, Alone: true, Identity: "demo"})
	return err
}

func (s *show) down() (err error) {
	if s.client != nil {
		s.client.Close()
	}
	if s.store != nil {
		err = s.store.Close()
	}
	if s.house != nil {
		if end := s.house.Down(); err == nil {
			err = end
		}
	}
	if s.sources != nil {
		s.sources.Close()
	}
	if s.registries != nil {
		s.registries.Close()
	}
	return err
}
