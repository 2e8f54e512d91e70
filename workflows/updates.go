package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// maxProcessors is the most a person may ask for.
const maxProcessors = 10_000

// listen installs what people may say to and ask of a run.
func (r *run) listen(ctx workflow.Context) error {
	for _, err := range []error{
		steps.Pause.Handle(ctx, r.pause, r.mayPause),
		steps.Resume.Handle(ctx, r.resume, r.mayResume),
		steps.SetProcessors.Handle(ctx, r.setProcessors, r.maySetProcessors),
		steps.Skip.Handle(ctx, r.skip, r.maySkip),
		steps.Progress.Handle(ctx, r.progress),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) mayPause(workflow.Context, steps.PauseIn) error {
	if r.state.Paused != "" {
		return fmt.Errorf("the run is paused already %s", r.state.Paused)
	}
	return r.going()
}

// pause has everything that runs hand back, and starts nothing.
func (r *run) pause(_ workflow.Context, in steps.PauseIn) (steps.Nothing, error) {
	r.state.Paused = plain(whoPaused(in), maxSummary)
	r.stopAll()
	r.woken = true
	return steps.Nothing{}, nil
}

func whoPaused(in steps.PauseIn) string {
	by, why := "by hand", ""
	if in.By != "" {
		by = "by " + in.By
	}
	if in.Why != "" {
		why = ": " + in.Why
	}
	return by + why
}

func (r *run) mayResume(workflow.Context, steps.ResumeIn) error {
	if r.state.Paused == "" {
		return fmt.Errorf("the run is not paused")
	}
	return r.going()
}

func (r *run) resume(workflow.Context, steps.ResumeIn) (steps.Nothing, error) {
	r.state.Paused, r.woken = "", true
	return steps.Nothing{}, nil
}

func (r *run) maySetProcessors(_ workflow.Context, in steps.SetProcessorsIn) error {
	if in.Processors < 1 || in.Processors > maxProcessors {
		return fmt.Errorf("processors %d: between 1 and %s", in.Processors, wording.Number(maxProcessors))
	}
	return r.going()
}

// setProcessors holds for what is started from now on. Activities that share a
// queue go on for long, so those that are too many begin anew.
func (r *run) setProcessors(_ workflow.Context, in steps.SetProcessorsIn) (steps.Nothing, error) {
	r.state.Processors, r.woken = in.Processors, true
	if len(r.running) > 0 && r.running[0].part.Shared && r.used() > r.processors() {
		r.stopAll()
	}
	return steps.Nothing{}, nil
}

func (r *run) maySkip(_ workflow.Context, in steps.SkipItemIn) error {
	switch {
	case in.Key == "":
		return fmt.Errorf("skip which item? its key is missing")
	case r.state.Run.Run == 0:
		return fmt.Errorf("the run has no items yet; try again in a moment")
	default:
		return r.going()
	}
}

// skip closes the item in the store, and nothing else wakes up.
func (r *run) skip(ctx workflow.Context, in steps.SkipItemIn) (steps.Nothing, error) {
	in.RunOf = r.state.Run.RunOf
	out, err := steps.SkipItem.Do(temporalx.With(ctx, temporalx.Brief()), in)
	if err != nil {
		return steps.Nothing{}, temporalx.ToTemporal(temporalx.FromTemporal(err))
	}
	for _, ord := range out.Ords {
		r.skipped(ord)
	}
	for _, queue := range out.Queues {
		r.skippedOn(queue)
	}
	r.woken = true
	return steps.Nothing{}, nil
}

// skipped drops an item that waits alone. One that runs ends after its page.
func (r *run) skipped(ord int64) {
	for i, part := range r.state.Pending {
		if !part.Shared && part.Lo == ord && part.Hi == ord {
			r.state.Pending = without(r.state.Pending, i)
			r.state.Closed++
			return
		}
	}
}

// skippedOn looks at a shared queue again once all that waited there may have been
// skipped.
func (r *run) skippedOn(queue string) {
	i := sharedOn(r.state.Pending, queue)
	if i < 0 {
		return
	}
	if part := &r.state.Pending[i]; part.Left > 1 {
		part.Left--
	} else {
		part.NotBefore = time.Time{}
	}
}

func (r *run) going() error {
	if r.over {
		return fmt.Errorf("the run of %s is ending", r.name())
	}
	return nil
}

func (r *run) progress(steps.Nothing) (steps.ProgressOut, error) {
	out := steps.ProgressOut{
		Run: r.state.Run.Run, Items: r.state.Run.Items, Closed: r.state.Closed, Running: len(r.running),
		Paused: r.state.Paused, Processors: r.processors(), Tally: r.state.Tally, Outcomes: map[outcomes.Outcome]int{},
	}
	for _, part := range r.state.Pending {
		if !part.NotBefore.IsZero() {
			out.Waiting += part.Open()
		}
	}
	for _, outcome := range outcomes.All() {
		if seen := r.state.Seen[outcome]; seen.Items > 0 {
			out.Outcomes[outcome] = seen.Items
		}
	}
	return out, nil
}
