package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	enums "go.temporal.io/api/enums/v1"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// HousekeepingWorkflow is the workflow type's name.
	HousekeepingWorkflow = "HousekeepingWorkflow"
	// HousekeepingID is the schedule's id, and the beginning of its workflow ids,
	// before the instance prefix.
	HousekeepingID = "vendemmia-housekeeping"

	houseEvery = 5 * time.Minute
	cleanEvery = 24 * time.Hour
)

// HousekeepingIn is the input of a Housekeeping; {} is what the schedule sends.
type HousekeepingIn struct {
	// Clean cleans now, however long ago the last time was.
	Clean bool `json:"clean,omitempty"`
}

// Kept is what a Housekeeping did.
type Kept struct {
	Reconciled steps.Reconciled `json:"reconciled"`
	Missed     steps.Missed     `json:"missed"`
	Cleaned    *steps.Cleaned   `json:"cleaned,omitempty"` // nil: it was not due
	// CleanedAt is when it was cleaned last; the next run of the schedule reads
	// it here.
	CleanedAt time.Time `json:"cleaned_at,omitzero"`
}

// Housekeeping closes runs whose workflow is gone, finds due times without a
// run, and cleans once a day. What fails does not stop the rest; the workflow
// then fails at its end, with what was done in its details.
func Housekeeping(ctx workflow.Context, in HousekeepingIn) (Kept, error) {
	kept := Kept{CleanedAt: lastCleaned(ctx)}
	var failures []string
	chore := func(name string, within time.Duration, do func(workflow.Context) error) {
		if err := do(temporalx.With(ctx, temporalx.Chore(within))); err != nil {
			failures = append(failures, fmt.Sprintf("%s: %s", name, temporalx.FromTemporal(err)))
		}
	}
	chore("reconcile", 2*time.Minute, func(ctx workflow.Context) (err error) {
		kept.Reconciled, err = steps.Reconcile.Do(ctx, steps.ReconcileIn{})
		return err
	})
	chore("find missed", 2*time.Minute, func(ctx workflow.Context) (err error) {
		kept.Missed, err = steps.FindMissed.Do(ctx, steps.FindMissedIn{})
		return err
	})
	if now := workflow.Now(ctx); in.Clean || now.Sub(kept.CleanedAt) >= cleanEvery {
		chore("clean", time.Hour, func(ctx workflow.Context) error {
			cleaned, err := steps.Clean.Do(ctx, steps.CleanIn{})
			if err == nil {
				kept.Cleaned, kept.CleanedAt = &cleaned, now
			}
			return err
		})
	}
	return kept, houseFailure(ctx, kept, failures)
}

func houseFailure(ctx workflow.Context, kept Kept, failures []string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(failures) == 0 {
		return nil
	}
	return temporal.NewApplicationErrorWithOptions(plain(strings.Join(failures, "; "), maxTrouble), "housekeeping",
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{kept}})
}

// lastCleaned is when the run before cleaned. A schedule hands the last result
// on; after a failure it hands on that, too, and what it says is newer.
func lastCleaned(ctx workflow.Context) time.Time {
	var kept Kept
	if err, ok := workflow.GetLastError(ctx).(*temporal.ApplicationError); ok && err.HasDetails() && err.Details(&kept) == nil {
		return kept.CleanedAt
	}
	if !workflow.HasLastCompletionResult(ctx) || workflow.GetLastCompletionResult(ctx, &kept) != nil {
		return time.Time{}
	}
	return kept.CleanedAt
}

// HousekeepingSchedule is an instance's schedule of Housekeeping. A round that is
// missed is not caught up: the next one sees the same.
func HousekeepingSchedule(i Instance) client.ScheduleOptions {
	id := i.WorkflowID(HousekeepingID)
	return client.ScheduleOptions{
		ID:            id,
		Spec:          client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: houseEvery}}},
		Overlap:       enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow: time.Minute,
		Note:          "closes runs whose workflow is gone, finds missed ones, cleans once a day",
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: HousekeepingWorkflow, Args: []any{HousekeepingIn{}}, TaskQueue: i.Queue(steps.QueueControl),
			WorkflowTaskTimeout: workflowTaskTimeout, WorkflowRunTimeout: 3 * time.Hour,
		},
	}
}
