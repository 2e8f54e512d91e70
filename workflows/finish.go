package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Our search attributes that a run sets at its end, beside Trigger where the gate
// knew better than who started it.
const (
	attributeOutcome     = "Outcome"
	attributeDocuments   = "Documents"
	attributeFailedItems = "FailedItems"
)

// finish closes the run in the store, whatever happened before, and says how the
// workflow ends. A cancel does not reach it.
func (r *run) finish(ctx workflow.Context, end ending) (steps.Summary, error) {
	r.over = true
	free := temporalx.Disconnected(ctx)
	sum, err := r.close(free, end)
	if err != nil {
		return steps.Summary{}, r.notClosed(free, err)
	}
	if sum.Ending == "" && sum.Outcome != outcomes.Skipped {
		sum.Ending = sum.Outcome.Ending()
	}
	r.tell(free, sum)
	r.mark(free, sum)
	r.showResult(free, sum)
	r.awaitHandlers(free)
	return r.result(end, sum)
}

// close ends the run's row. A start that made no run has none.
func (r *run) close(free workflow.Context, end ending) (steps.Summary, error) {
	if r.state.Run.Run == 0 || end == refused {
		return r.withoutRun(end), nil
	}
	r.show(free, true)
	in := steps.CloseRunIn{Cause: end.cause(), Error: r.troubles(), RunOf: r.state.Run.RunOf}
	sum, err := steps.CloseRun.Do(temporalx.With(free, temporalx.Alive(temporalx.Close(), r.state.Run.Heartbeat)), in)
	if err == nil && sum.Failed == "" && r.state.Trouble != "" && end != cancelled {
		sum.Outcome, sum.Ending, sum.Failed = outcomes.Failed, outcomes.EndedError, r.troubles()
	}
	return sum, err
}

// withoutRun is the summary of a start that made no run.
func (r *run) withoutRun(end ending) steps.Summary {
	switch end {
	case refused:
		sum := steps.Summary{Outcome: r.state.Run.Refused, Why: r.state.Run.Why}
		if sum.Outcome.Failed() {
			sum.Failed = fmt.Sprintf("%s: %s", sum.Outcome, sum.Why)
		}
		return sum
	case cancelled:
		return steps.Summary{Outcome: outcomes.Cancelled, Why: string(outcomes.WhyCancelled)}
	case crowded:
		return steps.Summary{Outcome: outcomes.Skipped, Why: "waited in line for too long, for " + r.state.Run.Busy}
	default:
		return steps.Summary{Outcome: outcomes.Failed, Failed: r.troubles()}
	}
}

// notClosed is the failure of a run that could not be closed. Housekeeping
// closes it in the store later.
func (r *run) notClosed(free workflow.Context, err error) error {
	r.awaitHandlers(free)
	e := temporalx.FromTemporal(err)
	return temporal.NewApplicationErrorWithOptions(
		fmt.Sprintf("the run of %s could not be closed: %s; housekeeping closes it in the store", r.name(), e),
		string(e.Kind), temporal.ApplicationErrorOptions{NonRetryable: true})
}

// troubles is what went wrong on our own side, in words.
func (r *run) troubles() string {
	if r.state.Troubles == 0 {
		return r.state.Trouble
	}
	return fmt.Sprintf("%s; and %s more", r.state.Trouble, wording.Number(r.state.Troubles))
}

// tell sends what the outbox holds. What cannot be sent stays there.
func (r *run) tell(free workflow.Context, sum steps.Summary) {
	if !sum.Notify {
		return
	}
	in := steps.NotifyIn{RunOf: r.state.Run.RunOf}
	if _, err := steps.Notify.Do(temporalx.With(free, temporalx.Alive(temporalx.Notify(), r.state.Run.Heartbeat)), in); err != nil {
		workflow.GetLogger(free).Warn("a notification was not sent; it stays in the outbox", "error", err)
	}
}

// mark sets the search attributes this server has.
func (r *run) mark(free workflow.Context, sum steps.Summary) {
	updates := r.attributes(sum)
	if len(updates) == 0 {
		return
	}
	if err := workflow.UpsertTypedSearchAttributes(free, updates...); err != nil {
		workflow.GetLogger(free).Warn("the search attributes were not set", "error", err)
	}
}

// attributes are those the start could not know, under the names they have here.
func (r *run) attributes(sum steps.Summary) (updates []temporal.SearchAttributeUpdate) {
	names := r.state.Run.Attributes
	if name := names[attributeOutcome]; name != "" && sum.Outcome != "" {
		updates = append(updates, temporal.NewSearchAttributeKeyKeyword(name).ValueSet(string(sum.Outcome)))
	}
	if name := names[attributeDocuments]; name != "" {
		d := sum.Documents
		updates = append(updates, temporal.NewSearchAttributeKeyInt64(name).ValueSet(int64(d.New+d.Changed+d.Deleted)))
	}
	if name := names[attributeFailedItems]; name != "" {
		updates = append(updates, temporal.NewSearchAttributeKeyInt64(name).ValueSet(int64(sum.FailedItems)))
	}
	if name, trigger := names[attributeTrigger], r.state.Run.Trigger; name != "" && trigger != "" && trigger != r.in.Trigger {
		updates = append(updates, temporal.NewSearchAttributeKeyKeyword(name).ValueSet(string(trigger)))
	}
	return updates
}

// result turns the summary into the workflow's end.
func (r *run) result(end ending, sum steps.Summary) (steps.Summary, error) {
	switch {
	case end == cancelled || sum.Outcome == outcomes.Cancelled:
		return sum, temporal.NewCanceledError(sum)
	case sum.Failed != "":
		return sum, temporal.NewApplicationErrorWithOptions(sum.Failed, string(sum.Outcome), temporal.ApplicationErrorOptions{
			NonRetryable: true, Details: []any{sum},
		})
	default:
		return sum, nil
	}
}

// awaitHandlers lets updates answer: one that is not finished would be lost.
func (r *run) awaitHandlers(free workflow.Context) {
	_ = workflow.Await(free, func() bool { return workflow.AllHandlersFinished(free) }) // never cancelled
}

// continueAsNew goes on in a fresh history with the same state.
func (r *run) continueAsNew(ctx workflow.Context) (steps.Summary, error) {
	r.awaitHandlers(temporalx.Disconnected(ctx))
	if ctx.Err() != nil {
		return r.finish(ctx, cancelled)
	}
	next := r.in
	next.Resume = &r.state
	return steps.Summary{}, workflow.NewContinueAsNewError(ctx, steps.CampaignWorkflow, next)
}
