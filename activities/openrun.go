package activities

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// OpenRun is the one gate, however a run was started. It admits the run or says
// why not, and writes its items. Asked again, also after a crash in between, it
// goes on and answers alike: the definition of the first time stays.
func (a *Activities) OpenRun(ctx context.Context, in steps.OpenRunIn) (steps.Opened, error) {
	if err := a.ours(in.Start.Store); err != nil {
		return steps.Opened{}, err
	}
	run, err := a.Store.RunByRunID(ctx, in.RunID)
	switch {
	case err == nil && run.State != rows.RunWaiting:
		return a.goOn(ctx, run)
	case err != nil && !errors.Is(err, rows.ErrNotFound):
		return steps.Opened{}, err
	case err == nil:
		in.Start.Campaign, in.Start.Definition = run.Campaign, run.Ref()
		in.Start.Fetcher = ""
	}
	o, err := a.resolve(ctx, in)
	if err != nil {
		return a.refused(ctx, o, in, err)
	}
	run, answer, err := a.gate(ctx, o, in)
	if err != nil {
		return steps.Opened{}, err
	}
	if answer != nil {
		return *answer, nil
	}
	return a.goOn(ctx, run)
}

// refused turns a *refusal into an answer, and keeps it as a run where there is
// a campaign to keep it under; any other error stays one.
func (a *Activities) refused(ctx context.Context, o order, in steps.OpenRunIn, err error) (steps.Opened, error) {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return steps.Opened{}, err
	}
	out := steps.Opened{Campaign: in.Start.Campaign, Refused: r.outcome, Why: r.why, Attributes: a.Attributes, RunOf: steps.RunOf{Store: a.Store.ID()}}
	if o.campaign == nil {
		return out, nil
	}
	ask, err := a.newRun(o, in)
	if err != nil {
		return out, err
	}
	ask.Outcome, ask.Why, ask.ClosedAt = r.outcome, r.why, a.Now()
	return out, a.Store.RecordRun(ctx, ask.Run)
}

// goOn brings an admitted run from where it is to where its items are known.
func (a *Activities) goOn(ctx context.Context, run rows.Run) (steps.Opened, error) {
	if run.State == rows.RunClosed && run.Items == 0 {
		return steps.Opened{Campaign: run.Campaign, Refused: run.Outcome, Why: run.Why}, nil
	}
	c, err := a.definition(ctx, run.Campaign, run.Version)
	if err != nil {
		return steps.Opened{}, err
	}
	opened := a.opened(run, c)
	if run.State == rows.RunOpening {
		start, err := startOf(run)
		if err != nil {
			return steps.Opened{}, err
		}
		if err := a.populate(ctx, run, c, start); err != nil {
			return a.giveUp(ctx, run, err)
		}
		if opened.Ask, opened.AskQueues = a.asked(c); len(opened.Ask) > 0 {
			return opened, nil
		}
	}
	sealed, err := a.seal(ctx, run, c)
	opened.Ranges, opened.Items, opened.Label = sealed.Ranges, sealed.Items, sealed.Label
	if err == nil {
		a.runLogger(run, c).InfoContext(ctx, "run opened", "items", sealed.Items, "processors", run.Processors, "trigger", run.Trigger, "definition", run.Ref())
	}
	return opened, err
}

func (a *Activities) opened(run rows.Run, c *campaigns.Campaign) steps.Opened {
	return steps.Opened{
		Campaign: run.Campaign, Processors: run.Processors, Deadline: deadline(c, run), Definition: run.Ref(),
		Trigger: steps.Trigger(run.Trigger), Tags: c.Tags, Attributes: a.Attributes, RunOf: a.runOf(run),
		Heartbeat: a.Heartbeat,
	}
}

func (a *Activities) runOf(run rows.Run) steps.RunOf {
	return steps.RunOf{Run: run.ID, Store: a.Store.ID(), RunID: run.RunID, Epoch: run.Epoch}
}

// asked lists the entries whose items are asked for, and where.
func (a *Activities) asked(c *campaigns.Campaign) (names, queues []string) {
	for i := range c.Entries {
		if e := &c.Entries[i]; asks(e) {
			names, queues = append(names, e.Name), append(queues, a.queue(e))
		}
	}
	return names, queues
}

// queue is the whole name of an entry's task queue.
func (a *Activities) queue(e *campaigns.Entry) string {
	if e.Queue == "" {
		return a.Queue(steps.QueueFetch)
	}
	return a.Queue(e.Queue)
}

// startOf is the start that a run was opened with.
func startOf(run rows.Run) (steps.Start, error) {
	var s steps.Start
	if len(run.Overrides) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(run.Overrides, &s); err != nil {
		return s, harvest.Errorf(harvest.KindInternal, "read the start of run", run.WorkflowID, "%w", err)
	}
	return s, nil
}

// giveUp closes a run whose items cannot be made: only a change of the file or
// of the start helps.
func (a *Activities) giveUp(ctx context.Context, run rows.Run, cause error) (steps.Opened, error) {
	r, refusedIt := errors.AsType[*refusal](cause)
	if !refusedIt {
		if harvest.KindOf(cause) != harvest.KindMisconfigured {
			return steps.Opened{}, cause
		}
		r = &refusal{outcome: outcomes.Misconfigured, why: cause.Error()}
	}
	if _, err := a.Store.CloseOpenItems(ctx, run.ID, outcomes.Skipped, string(outcomes.Misconfigured)); err != nil {
		return steps.Opened{}, err
	}
	f, c, err := a.facts(ctx, run)
	if err != nil {
		return steps.Opened{}, err
	}
	finish, _, err := a.summed(ctx, run, c, Verdict{Outcome: r.outcome, Failed: true, Why: r.why}, f)
	if err != nil {
		return steps.Opened{}, err
	}
	out := a.opened(run, c)
	out.Run, out.Refused, out.Why = 0, r.outcome, r.why
	return out, a.end(ctx, run.Campaign, finish)
}
