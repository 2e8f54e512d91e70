package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Launch is a run about to be started and watched.
type Launch struct {
	// Id names the run, and the n-th other try where there is such a run already.
	Id       func(try int) string
	Campaign campaigns.Campaign
	Start    steps.Start
	Detach   bool
	Strict   bool
}

// StartAndWatch starts a run and, unless detached, watches it to its end.
func StartAndWatch(ctx context.Context, p *program.Program, l Launch) error {
	if err := p.Aim(ctx, true, "start a run of "+l.Campaign.Name); err != nil {
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
	l.Start.Store = s.ID() // a worker over another store must refuse
	run, err := startFree(ctx, s, e, l)
	if err != nil {
		return err
	}
	if err := asked(ctx, p, s, run.WorkflowID, l.Start); err != nil {
		return err
	}
	p.Announce("run      " + run.WorkflowID)
	if at := l.Start.At; !at.IsZero() {
		p.Out.Value(run)
		p.Out.Printf("starts   %s; take it back: starter runs cancel %s\n", p.Clock.Full(at), run.WorkflowID)
		return nil
	}
	if l.Detach {
		p.Out.Value(run)
		p.Out.Printf("watch    starter runs watch %s\n", run.WorkflowID)
		return nil
	}
	return attend(ctx, p, e, run, l)
}

// asked keeps who asked for a run.
func asked(ctx context.Context, p *program.Program, s program.Store, run string, start steps.Start) error {
	e := rows.Event{At: p.Env.Now(), By: p.Who(), Verb: "trigger", On: run}
	switch {
	case start.RetryOf != "":
		e.Verb, e.Note = "retry", "of "+start.RetryOf
	case !start.At.IsZero():
		e.Note = "for " + start.At.Format(time.RFC3339)
	}
	return s.Record(ctx, e)
}

// tries bounds how many names are tried for a run.
const tries = 10

// startFree starts a run under a name that no other has: neither one that is
// going on there, nor one that has ended and is in the store.
func startFree(ctx context.Context, s program.Store, e program.Engine, l Launch) (run engine.Started, err error) {
	for try := range tries {
		if try > 0 && l.Id(try) == l.Id(try-1) {
			break
		}
		if _, found := s.FindRun(ctx, l.Id(try)); found == nil && l.Id(try) != l.Id(try+1) {
			err = engine.ErrExists
			continue
		}
		run, err = e.Start(ctx, engine.NewRun{ID: l.Id(try), Campaign: l.Campaign, Start: l.Start})
		if !errors.Is(err, engine.ErrExists) {
			break
		}
	}
	return run, err
}

// attend shows a run's progress until it has ended.
func attend(ctx context.Context, p *program.Program, e program.Engine, run engine.Started, l Launch) error {
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
	show, asked := NewProgress(p), &askPollers{Program: p, engine: e, at: time.Now().Add(p.Patience)}
	tick := time.NewTicker(p.Pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			show.Clear()
			return GoesOn(p, run.WorkflowID)
		case x := <-ended:
			show.Clear()
			if ctx.Err() != nil {
				return GoesOn(p, run.WorkflowID)
			}
			if x.err != nil {
				return x.err
			}
			return Ended(p, run.WorkflowID, l.Campaign.Name, x.sum, l.Strict)
		case <-tick.C:
			if err := look(ctx, p, s, run, show, asked); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// look draws the run once it is in the store; until then, and while nothing is
// at work, it asks whether there is a worker at all.
func look(ctx context.Context, p *program.Program, s program.Store, run engine.Started, show *Progress, asked *askPollers) error {
	r, err := s.RunByRunID(ctx, run.RunID)
	if errors.Is(err, rows.ErrNotFound) {
		return asked.ask(ctx, show, p.Queue(steps.QueueControl))
	}
	if err != nil {
		return err
	}
	if r.State == rows.RunOpen {
		if err := asked.ask(ctx, show, queuesOf(ctx, p, s, r)...); err != nil {
			return err
		}
	}
	return Draw(ctx, p, s, r, show)
}

// queuesOf returns the task queues a run's entries go to.
func queuesOf(ctx context.Context, p *program.Program, s program.Store, r rows.Run) []string {
	def, err := s.Definition(ctx, r.Campaign, r.Version)
	if err != nil {
		return nil
	}
	camp, err := campaigns.Decode(def.Spec)
	if err != nil {
		return nil
	}
	return QueuesOfEntries(p, camp)
}

func QueuesOfEntries(p *program.Program, camp campaigns.Campaign) []string {
	var out []string
	for _, e := range camp.Entries {
		if q := p.Queue(e.Queue); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// HandID returns a namer of runs by hand: the moment is in the name, to the
// second, so the n-th try is as many seconds later.
func HandID(p *program.Program, campaign string) func(try int) string {
	at := p.Env.Now()
	return func(try int) string {
		return workflows.HandID(campaign, at.Add(time.Duration(try)*time.Second))
	}
}
