package workflows

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	enums "go.temporal.io/api/enums/v1"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// registryID begins the ids of the schedules of registries and of their
	// workflows, before the instance prefix.
	registryID = "vendemmia-registry-"
	// applyWithin is long: a shared server takes ten schedules a second.
	listWithin, applyWithin, reportWithin = 15 * time.Minute, 6 * time.Hour, 30 * time.Minute
)

// Registry syncs one registry: it asks what there is to do, does what follows, and
// reports how it goes. A registry that does not answer keeps none of the rest: what
// was begun is finished, and told once it is back. The workflow then fails at its end,
// with what was done in its details.
func Registry(ctx workflow.Context, in steps.RegistryIn) (steps.RegistryDone, error) {
	info := workflow.GetInfo(ctx)
	in.Holder = info.WorkflowExecution.ID + "/" + info.FirstRunID
	done := steps.RegistryDone{Registry: in.Registry}
	var err error
	if done.Listed, err = steps.ListJobs.Do(temporalx.With(ctx, temporalx.Chore(listWithin)), in); err != nil {
		return done, err
	}
	if done.Listed.Skipped != "" {
		return done, nil
	}
	if done.Applied, err = steps.ApplyJobs.Do(temporalx.With(ctx, temporalx.Chore(applyWithin)), in); err != nil {
		return done, registryFailure(done, temporalx.FromTemporal(err).Error())
	}
	if done.Reported, err = steps.ReportJobs.Do(temporalx.With(ctx, temporalx.Chore(reportWithin)), in); err != nil {
		return done, registryFailure(done, temporalx.FromTemporal(err).Error())
	}
	if text := cmp.Or(done.Listed.Error, done.Listed.Warning, done.Reported.Error); text != "" {
		return done, registryFailure(done, text)
	}
	return done, nil
}

func registryFailure(done steps.RegistryDone, text string) error {
	return temporal.NewApplicationErrorWithOptions(plain(text, maxTrouble), "registry", temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{done}})
}

// RegistryScheduleID is the id of a registry's schedule.
func (i Instance) RegistryScheduleID(registry string) string {
	return i.prefix() + registryID + registry
}

// RegistrySchedule is the schedule of a registry. A round that is missed is not caught
// up, and none begins while one goes on: the next one sees the same.
func RegistrySchedule(i Instance, registry string, every time.Duration, paused bool, note string) client.ScheduleOptions {
	return client.ScheduleOptions{
		ID:            i.RegistryScheduleID(registry),
		Spec:          client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: every}}},
		Overlap:       enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow: max(every, 10*time.Second),
		Note:          note,
		Paused:        paused,
		Memo:          map[string]any{MemoStore: i.Store},
		Action: &client.ScheduleWorkflowAction{
			ID: i.RegistryScheduleID(registry), Workflow: steps.RegistryWorkflow, Args: []any{steps.RegistryIn{Registry: registry, Store: i.Store}},
			TaskQueue: i.Queue(steps.QueueControl), WorkflowTaskTimeout: workflowTaskTimeout,
			StaticSummary: segment("registry "+registry+": list, reconcile, report", maxSummary), StaticDetails: "starter registry show " + registry,
		},
	}
}

// RegistrySync are the options of a sync that somebody starts by hand.
func RegistrySync(i Instance, registry string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: i.RegistryScheduleID(registry) + "-by-hand", TaskQueue: i.Queue(steps.QueueControl), WorkflowTaskTimeout: workflowTaskTimeout,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:            segment("registry "+registry+": list, reconcile, report, by hand", maxSummary), StaticDetails: "starter registry show " + registry,
	}
}
