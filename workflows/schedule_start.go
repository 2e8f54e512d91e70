package workflows

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// StartOptions makes the options for starting a run directly: c is the
// campaign, or what campaigns.Adhoc made; id one of HandID, RetryID, BackfillID.
//
// An id is taken once: a second start with it is refused, open or closed,
// because ids are how people name runs. A backfill may be started again under
// its own id once it has ended, and goes on at its lane's checkpoints.
func StartOptions(i Instance, c campaigns.Campaign, in steps.Start, id string) client.StartWorkflowOptions {
	reuse := enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	if in.Trigger == steps.TriggerBackfill {
		reuse = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	if in.Processors > 0 {
		c.Processors = in.Processors
	}
	return client.StartWorkflowOptions{
		ID:                                       i.WorkflowID(id),
		TaskQueue:                                i.Queue(steps.QueueControl),
		WorkflowTaskTimeout:                      workflowTaskTimeout,
		WorkflowIDConflictPolicy:                 enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowIDReusePolicy:                    reuse,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes:                    startAttributes(i, c.Name, c.Tags, in.Trigger),
		StaticSummary:                            StaticSummary(c, startedBy(in)),
		StaticDetails:                            "starter why " + c.Name,
		Priority:                                 startPriority(c),
	}
}

func startedBy(in steps.Start) string {
	text := "by hand"
	switch in.Trigger {
	case steps.TriggerRetry:
		text = "retry of " + in.RetryOf
	case steps.TriggerBackfill, steps.TriggerRegistry:
		text = string(in.Trigger)
	}
	if in.TriggeredBy != "" {
		text += ", " + in.TriggeredBy
	}
	return text
}

// HandID names a run that somebody starts now, in the form that Temporal gives
// to scheduled ones: news-2026-05-03T16:00:00Z.
func HandID(campaign string, at time.Time) string {
	return campaign + "-" + at.UTC().Format("2006-01-02T15:04:05Z")
}

var retryMoment = regexp.MustCompile(`^retry-(.+)-\d+$`)

// RetryID names the n-th retry (from 1) of a run, also of one that was a retry:
// news-retry-2026-05-03T16:00:00Z-1.
func RetryID(campaign, retryOf string, n int) string {
	moment := strings.TrimPrefix(retryOf, campaign+"-")
	if m := retryMoment.FindStringSubmatch(moment); m != nil {
		moment = m[1]
	}
	return fmt.Sprintf("%s-retry-%s-%d", campaign, moment, n)
}

// BackfillID names the backfill of a window: news-backfill-2006-01-01--2025-12-31.
func BackfillID(campaign string, w harvest.Window) string { return campaign + "-" + BackfillLane(w) }

// BackfillLane names the lane that a backfill's checkpoints live in, by the ends
// of its window as they were given.
func BackfillLane(w harvest.Window) string {
	return "backfill-" + windowEnd(w.From, "beginning") + "--" + windowEnd(w.Until, "now")
}

func windowEnd(t time.Time, open string) string {
	switch {
	case t.IsZero():
		return open
	case t.Equal(t.UTC().Truncate(24 * time.Hour)):
		return t.UTC().Format(time.DateOnly)
	default:
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
}
