package planner

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/testkit/devtest"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// realServer starts a development server for one test.
func realServer(t *testing.T) client.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s, err := dev.StartServer(ctx, dev.ServerOptions{CLI: devtest.CLI(t)})
	require.NoError(t, err)
	t.Cleanup(s.Kill)
	c, err := temporalx.Dial(ctx, temporalx.Target{Address: s.Address, Alone: true})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

const e2eFile = `main.yaml
project: p
defaults: { schedule: { time_zone: Europe/Rome } }
campaigns:
  a: { tags: [x, y], schedule: { every: 2h, overlap: buffer_one, catch_up: 3h, max_runs: 10 }, fetcher: feed, params: { url: "https://a.example.org/rss" } }
  b: { schedule: { cron: "30 1 13 * fri", jitter: 0s, skip: ["12-25", "2026-08-15"], end: 2030-12-31 }, fetcher: feed, params: { url: "https://b.example.org/rss" } }
`

func TestE2EAgainstTheDevelopmentServer(t *testing.T) {
	t.Parallel()
	c := realServer(t)
	w := newWorld(t)
	w.in.Now = time.Now()
	w.Planner = New(w.store, c.ScheduleClient(), Settings{Lookup: lookup, Instance: workflows.Instance{
		Store: "7f3a9c12", Attributes: map[string]string{"Campaign": "Campaign", "Tags": "Tags", "Trigger": "Trigger"},
	}})
	w.files(e2eFile)
	w.apply()
	require.False(t, w.plan().Pending(), "the server gives back what was applied")
	describesLikeApplied(t, c)

	w.files(edit(e2eFile, "every: 2h", "every: 4h", "30 1 13 * fri", "30 1 * * fri"))
	w.apply()
	require.False(t, w.plan().Pending())
	require.Empty(t, w.apply().Done)

	require.NoError(t, w.Pause(t.Context(), "a", rows.Pause{By: "ilse", At: w.in.Now, Note: "storm"}))
	require.False(t, w.plan().Pending())
	h := c.ScheduleClient().GetHandle(t.Context(), "campaign-a")
	require.NoError(t, h.Unpause(t.Context(), client.ScheduleUnpauseOptions{Note: "by a colleague"}))
	require.Eventually(t, func() bool { return w.change("a").Mark == MarkDrift }, time.Minute, 50*time.Millisecond)
	w.apply()
	require.False(t, w.plan().Pending())
	require.Nil(t, w.paused("a"))

	runsAreNamedByTheirDueTime(t, c)
	require.NoError(t, w.Delete(t.Context(), "a", "ilse"))
	_, err := h.Describe(t.Context())
	require.True(t, isNotFound(err), "%v", err)
	firesWhenTheServerDoes(t, c)
}

func describesLikeApplied(t *testing.T, c client.Client) {
	t.Helper()
	d, err := c.ScheduleClient().GetHandle(t.Context(), "campaign-a").Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, d.Schedule.Policy.Overlap)
	require.Equal(t, 3*time.Hour, d.Schedule.Policy.CatchupWindow)
	require.Equal(t, 10, d.Schedule.State.RemainingActions)
	require.Equal(t, "7f3a9c12", memoText(d.Memo, workflows.MemoStore))
	require.Len(t, d.SearchAttributes.GetIndexedFields(), 2)
	action := d.Schedule.Action.(*client.ScheduleWorkflowAction)
	require.Equal(t, steps.CampaignWorkflow, action.Workflow)
	require.Equal(t, steps.QueueControl, action.TaskQueue)
	require.Equal(t, "a · every 2h · 4 processors", action.StaticSummary)
	require.Zero(t, action.WorkflowExecutionTimeout)
	var in steps.Start
	require.NoError(t, converter.GetDefaultDataConverter().FromPayload(action.Args[0].(*commonpb.Payload), &in))
	require.Equal(t, steps.Start{Campaign: "a", Definition: "a@1", Trigger: steps.TriggerSchedule, TriggeredBy: "marta", Store: "7f3a9c12"}, in)
}

func runsAreNamedByTheirDueTime(t *testing.T, c client.Client) {
	t.Helper()
	h := c.ScheduleClient().GetHandle(t.Context(), "campaign-a")
	require.NoError(t, h.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	require.Eventually(t, func() bool {
		d, err := h.Describe(t.Context())
		require.NoError(t, err)
		if len(d.Info.RecentActions) == 0 || d.Info.RecentActions[0].StartWorkflowResult == nil {
			return false
		}
		require.Regexp(t, `^a-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, d.Info.RecentActions[0].StartWorkflowResult.WorkflowID)
		return true
	}, time.Minute, 100*time.Millisecond)
}

// firesWhenTheServerDoes compares Schedule.Next with the server's own answer,
// over both changes of the clock.
func firesWhenTheServerDoes(t *testing.T, c client.Client) {
	t.Helper()
	zero := time.Duration(0)
	from := time.Date(2027, 3, 20, 0, 0, 0, 0, time.UTC)
	until := time.Date(2027, 11, 10, 0, 0, 0, 0, time.UTC)
	for i, text := range []string{
		"daily at 02:30 Europe/Rome", "daily at 18:00, 22:30 Europe/Rome", "0 0 13 * fri", "15 */6 */2 * 1-5 America/New_York",
		"mon,thu at 00:30 Australia/Sydney", "every 36h", "0 3 29 2 *", "0 12 1,15 jun-aug sun Asia/Kolkata",
	} {
		s, err := campaigns.ParseSchedule(text)
		require.NoError(t, err)
		s.Jitter, s.Skip, s.End = &zero, []string{"08-15", "2027-07-01"}, "2027-10-31"
		id := fmt.Sprintf("fires-%d", i)
		spec, err := workflows.ScheduleSpec(s, id)
		require.NoError(t, err)
		_, err = c.ScheduleClient().Create(t.Context(), client.ScheduleOptions{
			ID: id, Spec: spec, Paused: true, Action: &client.ScheduleWorkflowAction{ID: id, Workflow: "none", TaskQueue: "none"},
		})
		require.NoError(t, err)
		answer, err := c.WorkflowService().ListScheduleMatchingTimes(t.Context(), &workflowservice.ListScheduleMatchingTimesRequest{
			Namespace: "default", ScheduleId: id, StartTime: timestamppb.New(from), EndTime: timestamppb.New(until),
		})
		require.NoError(t, err)
		var theirs, ours []time.Time
		for _, at := range answer.StartTime {
			if !s.Doubtful(at.AsTime()) {
				theirs = append(theirs, at.AsTime())
			}
		}
		for _, at := range s.Next(from, 2000) {
			if !s.Doubtful(at) && at.Before(until) {
				ours = append(ours, at.UTC())
			}
		}
		require.Equal(t, theirs, ours, text)
	}
}
