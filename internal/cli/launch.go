package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// launch is a run about to be started and watched.
type launch struct {
	// id names the run, and the n-th other try where there is such a run already.
	id       func(try int) string
	campaign campaigns.Campaign
	start    steps.Start
	detach   bool
	strict   bool
}

// launch starts a run and, unless detached, watches it to its end.
func (p *program) launch(ctx context.Context, l launch) error {
	if err := p.aim(ctx, true, "start a run of "+l.campaign.Name); err != nil {
		return err
	}
	e, err := p.Engine(ctx)
	if err != nil {
		return err
	}
	s, err := p.Store(ctx)
	if err != nil {
		return err
	}
	l.start.Store = s.ID() // a worker over another store must refuse
	run, err := startFree(ctx, s, e, l)
	if err != nil {
		return err
	}
	p.announce("run      " + run.WorkflowID)
	if l.detach {
		p.out.Value(run)
		p.out.Printf("watch    starter runs watch %s\n", run.WorkflowID)
		return nil
	}
	return p.attend(ctx, e, run, l)
}

// tries bounds how many names are tried for a run.
const tries = 10

// startFree starts a run under a name that no other has: neither one that is
// going on there, nor one that has ended and is in the store.
func startFree(ctx context.Context, s Store, e Engine, l launch) (run engine.Started, err error) {
	for try := range tries {
		if try > 0 && l.id(try) == l.id(try-1) {
			break
		}
		if _, found := s.FindRun(ctx, l.id(try)); found == nil && l.id(try) != l.id(try+1) {
			err = engine.ErrExists
			continue
		}
		run, err = e.Start(ctx, engine.NewRun{ID: l.id(try), Campaign: l.campaign, Start: l.start})
		if !errors.Is(err, engine.ErrExists) {
			break
		}
	}
	return run, err
}

// attend shows a run's progress until it has ended.
func (p *program) attend(ctx context.Context, e Engine, run engine.Started, l launch) error {
	s, err := p.Store(ctx)
	if err != nil {
		return err
	}
	type end struct {
		sum steps.Summary
		err error
	}
	ended := make(chan end, 1)
	go func() {
		sum, err := e.Wait(ctx, run.WorkflowID, run.RunID)
		ended <- end{sum, err}
	}()
	show, asked := p.newProgress(), &askPollers{program: p, engine: e, at: time.Now().Add(p.patience)}
	tick := time.NewTicker(p.pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			show.clear()
			return p.goesOn(run.WorkflowID)
		case x := <-ended:
			show.clear()
			if ctx.Err() != nil {
				return p.goesOn(run.WorkflowID)
			}
			if x.err != nil {
				return x.err
			}
			return p.ended(run.WorkflowID, l.campaign.Name, x.sum, l.strict)
		case <-tick.C:
			if err := p.look(ctx, s, run, show, asked); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// look draws the run once it is in the store; until then, and while nothing is
// at work, it asks whether there is a worker at all.
func (p *program) look(ctx context.Context, s Store, run engine.Started, show *progress, asked *askPollers) error {
	r, err := s.RunByRunID(ctx, run.RunID)
	if errors.Is(err, rows.ErrNotFound) {
		return asked.ask(ctx, show, p.queue(steps.QueueControl))
	}
	if err != nil {
		return err
	}
	if r.State == rows.RunOpen {
		if err := asked.ask(ctx, show, p.queuesOf(ctx, s, r)...); err != nil {
			return err
		}
	}
	return p.draw(ctx, s, r, show)
}

// queuesOf returns the task queues a run's entries go to.
func (p *program) queuesOf(ctx context.Context, s Store, r rows.Run) []string {
	def, err := s.Definition(ctx, r.Campaign, r.Version)
	if err != nil {
		return nil
	}
	camp, err := campaigns.Decode(def.Spec)
	if err != nil {
		return nil
	}
	return p.queuesOfEntries(camp)
}

func (p *program) queuesOfEntries(camp campaigns.Campaign) []string {
	var out []string
	for _, e := range camp.Entries {
		if q := p.queue(e.Queue); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// handID returns a namer of runs by hand: the moment is in the name, to the
// second, so the n-th try is as many seconds later.
func (p *program) handID(campaign string) func(try int) string {
	at := p.env.Now()
	return func(try int) string {
		return workflows.HandID(campaign, at.Add(time.Duration(try)*time.Second))
	}
}
