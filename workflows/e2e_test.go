package workflows

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// TestE2E drives runs on the real development server; only the steps are fakes.
func TestE2E(t *testing.T) {
	t.Parallel()
	c := devServer(t)
	for name, test := range map[string]func(*testing.T, server){
		"by hand":           byHand,
		"attributes":        attributes,
		"cancel":            cancelByClient,
		"stopped in store":  stoppedInTheStore,
		"terminate":         terminate,
		"reset":             reset,
		"schedule":          schedule,
		"updates":           updates,
		"retry in Temporal": retryInTemporal,
		"housekeeping":      housekeeping,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// byHand: what a person types for the Temporal CLI is enough.
func byHand(t *testing.T, c server) {
	s := newStage(t, c, "by-hand", 3)
	out, err := exec.CommandContext(t.Context(), c.cli, "workflow", "start", "--address", c.address, "--type", steps.CampaignWorkflow,
		"--task-queue", s.queue, "--workflow-id", "news-by-hand", "--input", `{"campaign":"news"}`).CombinedOutput()
	require.NoError(t, err, string(out))
	run := c.GetWorkflow(t.Context(), "news-by-hand", "")
	sum, err := s.result(run)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Equal(t, steps.Start{Campaign: "news"}, s.opens[0].Start)
	require.Equal(t, "news-by-hand", s.opens[0].WorkflowID)
	require.Equal(t, run.GetRunID(), s.opens[0].RunID)
	require.True(t, s.opens[0].DueAt.IsZero())
	h := s.history("news-by-hand", "")
	require.Equal(t, []string{"1 of 3", "2 of 3", "3 of 3"}, summaries(t, h, enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED))
	for _, e := range h.Events {
		require.NotEqual(t, enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, e.EventType, "a server without attributes must not be asked for them")
	}
}

func attributes(t *testing.T, c server) {
	s := newStage(t, c, "attributes", 1)
	s.opened.Attributes = map[string]string{"Outcome": "VendOutcome"}
	run := s.start("news-attributes", steps.Start{Campaign: "news"})
	_, err := s.result(run)
	require.NoError(t, err)
	d, err := c.DescribeWorkflow(t.Context(), run.GetID(), "")
	require.NoError(t, err)
	outcome, ok := d.TypedSearchAttributes.GetKeyword(temporal.NewSearchAttributeKeyKeyword("VendOutcome"))
	require.True(t, ok)
	require.Equal(t, "done", outcome)
}

func cancelByClient(t *testing.T, c server) {
	s := newStage(t, c, "cancel", 50)
	s.fetch = s.linger
	run := s.start("news-cancel", steps.Start{Campaign: "news"})
	s.inTheAir(4)
	require.NoError(t, c.CancelWorkflow(t.Context(), run.GetID(), ""))
	_, err := s.result(run)
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, s.status(run.GetID(), ""))
	require.Equal(t, temporalx.Cancel, <-s.cause)
	require.Equal(t, []steps.StopRunIn{{RunOf: steps.RunOf{Run: 7, Store: "7f3a"}, Why: "cancelled"}}, s.stops)
	require.Equal(t, []steps.CloseRunIn{{RunOf: steps.RunOf{Run: 7, Store: "7f3a"}, Cause: outcomes.WhyCancelled}}, s.ends)
	require.Len(t, s.air, 0, "nothing was started after the cancel")
}

// stoppedInTheStore: nobody cancelled the workflow, yet it ends as canceled.
func stoppedInTheStore(t *testing.T, c server) {
	s := newStage(t, c, "stopped", 3)
	s.opened.Processors = 1
	s.fetch = stoppedAtOnce
	run := s.start("news-stopped", steps.Start{Campaign: "news"})
	_, err := s.result(run)
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, s.status(run.GetID(), ""))
	require.Len(t, s.air, 1)
}

// terminate: chunks in the air learn that they are nobody's any more.
func terminate(t *testing.T, c server) {
	s := newStage(t, c, "terminate", 2)
	s.fetch = s.linger
	run := s.start("news-terminate", steps.Start{Campaign: "news"})
	s.inTheAir(2)
	require.NoError(t, c.TerminateWorkflow(t.Context(), run.GetID(), "", "blue button"))
	require.Equal(t, temporalx.Lost, <-s.cause, "that is no cancel")
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, s.status(run.GetID(), ""))
	require.Empty(t, s.ends, "housekeeping closes it")
}

// reset: the gate is asked again for the same run.
func reset(t *testing.T, c server) {
	s := newStage(t, c, "reset", 2)
	run := s.start("news-reset", steps.Start{Campaign: "news"})
	_, err := s.result(run)
	require.NoError(t, err)
	again, err := c.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace:         client.DefaultNamespace,
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: run.GetID(), RunId: run.GetRunID()},
		Reason:            "blue button", RequestId: "reset-1", WorkflowTaskFinishEventId: firstTask(s, run),
	})
	require.NoError(t, err)
	_, err = s.result(c.GetWorkflow(t.Context(), run.GetID(), again.RunId))
	require.NoError(t, err)
	require.NotEqual(t, run.GetRunID(), again.RunId)
	require.Len(t, s.opens, 2)
	require.Equal(t, s.opens[0].RunID, s.opens[1].RunID, "the run is known by its first execution")
}

func firstTask(s *stage, run client.WorkflowRun) int64 {
	for _, e := range s.history(run.GetID(), run.GetRunID()).Events {
		if e.EventType == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			return e.EventId
		}
	}
	return 0
}

func schedule(t *testing.T, c server) {
	s := newStage(t, c, "schedule", 2)
	handle, err := c.ScheduleClient().Create(t.Context(), client.ScheduleOptions{
		ID:   "campaign-scheduled",
		Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: 240 * time.Hour}}},
		Action: &client.ScheduleWorkflowAction{
			ID: "scheduled", Workflow: steps.CampaignWorkflow, TaskQueue: s.queue,
			Args: []any{steps.Start{Campaign: "news", Definition: "news@7", Trigger: steps.TriggerSchedule}},
		},
	})
	require.NoError(t, err)
	require.NoError(t, handle.Pause(t.Context(), client.SchedulePauseOptions{Note: "under repair"}))
	d, err := handle.Describe(t.Context())
	require.NoError(t, err)
	require.True(t, d.Schedule.State.Paused)
	require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	<-s.air
	s.mu.Lock()
	opened := s.opens[0]
	s.mu.Unlock()
	require.False(t, opened.DueAt.IsZero(), "the gate compares it with the fire times")
	require.Contains(t, opened.WorkflowID, "scheduled-20")
	require.Equal(t, "news@7", opened.Start.Definition)
	_, err = s.result(c.GetWorkflow(t.Context(), opened.WorkflowID, ""))
	require.NoError(t, err)
}

func updates(t *testing.T, c server) {
	s := newStage(t, c, "updates", 6)
	s.fetch = s.linger
	run := s.start("news-updates", steps.Start{Campaign: "news"})
	s.inTheAir(4)
	ctx, id := t.Context(), run.GetID()
	_, err := steps.Pause.Send(ctx, c, id, "", steps.PauseIn{By: "marta", Why: "repair"})
	require.NoError(t, err)
	_, err = steps.Pause.Send(ctx, c, id, "", steps.PauseIn{By: "ilse"})
	require.ErrorContains(t, err, "paused already by marta: repair")
	require.Equal(t, temporalx.Cancel, <-s.cause, "a pause is a cancel for what is in the air")
	require.Eventually(t, func() bool {
		p, err := steps.Progress.Ask(ctx, c, id, "", steps.Nothing{})
		return err == nil && p.Running == 0 && p.Paused == "by marta: repair"
	}, time.Minute, 20*time.Millisecond)
	_, err = steps.SetProcessors.Send(ctx, c, id, "", steps.SetProcessorsIn{Processors: 6})
	require.NoError(t, err)
	_, err = steps.Skip.Send(ctx, c, id, "", steps.SkipItemIn{Key: "a"})
	require.NoError(t, err)
	_, err = steps.Resume.Send(ctx, c, id, "", steps.ResumeIn{By: "marta"})
	require.NoError(t, err)
	s.inTheAir(5) // one was skipped
	close(s.goOn)
	sum, err := s.result(run)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, sum.Outcome)
}

// retryInTemporal: a short wait is Temporal's own, so that the Web UI shows it.
func retryInTemporal(t *testing.T, c server) {
	s := newStage(t, c, "retry", 1)
	s.fetch = failTwice(s)
	run := s.start("news-retry", steps.Start{Campaign: "news"})
	_, err := s.result(run)
	require.NoError(t, err)
	require.Len(t, s.air, 3)
	scheduled := 0
	for _, e := range s.history(run.GetID(), "").Events {
		if e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == steps.FetchItems.Name {
			scheduled++
		}
		if a := e.GetActivityTaskStartedEventAttributes(); a.GetAttempt() > 1 {
			require.EqualValues(t, 3, a.Attempt)
			require.Equal(t, "throttled", a.LastFailure.GetApplicationFailureInfo().GetType())
		}
	}
	require.Equal(t, 1, scheduled, "one activity, three attempts")
}

// housekeeping: the schedule hands on when it was cleaned last.
func housekeeping(t *testing.T, c server) {
	s := newStage(t, c, "house", 1)
	options := HousekeepingSchedule(Instance{Name: "house"})
	options.Action.(*client.ScheduleWorkflowAction).TaskQueue = s.queue
	options.Paused = true
	handle, err := c.ScheduleClient().Create(t.Context(), options)
	require.NoError(t, err)
	var kept [2]Kept
	for i := range kept {
		require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL}))
		require.Eventually(t, func() bool {
			d, err := handle.Describe(t.Context())
			return err == nil && d.Info.NumActions == i+1 && len(d.Info.RunningWorkflows) == 0
		}, time.Minute, 50*time.Millisecond)
		d, err := handle.Describe(t.Context())
		require.NoError(t, err)
		ran := d.Info.RecentActions[i].StartWorkflowResult
		require.NoError(t, c.GetWorkflow(t.Context(), ran.WorkflowID, ran.FirstExecutionRunID).Get(t.Context(), &kept[i]))
	}
	require.NotNil(t, kept[0].Cleaned)
	require.Nil(t, kept[1].Cleaned, "once a day")
	require.True(t, kept[1].CleanedAt.Equal(kept[0].CleanedAt))
}
