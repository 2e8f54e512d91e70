package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Start begins a run; an id that was used is refused.
func (c *Client) Start(ctx context.Context, n NewRun) (Started, error) {
	i, err := c.Instance(ctx, c.instance.Store)
	if err != nil {
		return Started{}, err
	}
	options := workflows.StartOptions(i, n.Campaign, n.Start, n.ID)
	if !n.Start.At.IsZero() {
		options.StartDelay = max(0, time.Until(n.Start.At))
	}
	run, err := c.sdk.ExecuteWorkflow(ctx, options, steps.CampaignWorkflow, n.Start)
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		return Started{}, fmt.Errorf("start %s: %w; see `starter runs show %s`", n.ID, ErrExists, i.WorkflowID(n.ID))
	}
	if err != nil {
		return Started{}, translate("start "+n.ID, err)
	}
	return Started{WorkflowID: run.GetID(), RunID: run.GetRunID()}, nil
}

// Ended says how a run has ended: "Terminated", "Completed" …, "unknown" where the
// server knows none, and "" while it goes on.
func (c *Client) Ended(ctx context.Context, workflowID, firstRunID string) (string, error) {
	end, err := temporalx.EndOf(ctx, c.sdk, workflowID, firstRunID)
	return end.Status, translate("look at "+workflowID, err)
}

// Failing says at what a running workflow or its steps fail again and again for
// reasons of our own, such as code that does not fit its history, or a store that
// takes no writes; empty: at nothing.
func (c *Client) Failing(ctx context.Context, workflowID string) (string, error) {
	d, err := c.sdk.DescribeWorkflowExecution(ctx, workflowID, "")
	if err != nil {
		return "", translate("look at "+workflowID, err)
	}
	if task, err := c.failingTask(ctx, d.GetWorkflowExecutionInfo(), d.GetPendingWorkflowTask()); task != "" || err != nil {
		return task, err
	}
	for _, step := range d.GetPendingActivities() {
		failure := step.GetLastFailure()
		if failure.GetApplicationFailureInfo().GetType() == string(harvest.KindInternal) {
			return fmt.Sprintf("%s (attempt %d)", temporalx.FailureText(c.data, failure), step.GetAttempt()), nil
		}
	}
	return "", nil
}

// Wait returns when the run has ended. A run that failed by its own outcome
// returns its summary and no error; Status then tells.
func (c *Client) Wait(ctx context.Context, workflowID, runID string) (steps.Summary, error) {
	var s steps.Summary
	err := c.sdk.GetWorkflow(ctx, workflowID, runID).Get(ctx, &s)
	if err == nil || ctx.Err() != nil {
		return s, err
	}
	if summaryIn(err, &s) {
		return s, nil
	}
	return s, translate("wait for "+workflowID, err)
}

// summaryIn reads the summary that a failed or cancelled run carries in its error.
func summaryIn(err error, s *steps.Summary) bool {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && app.HasDetails() {
		return app.Details(s) == nil && s.Outcome != ""
	}
	if c, ok := errors.AsType[*temporal.CanceledError](err); ok && c.HasDetails() {
		return c.Details(s) == nil && s.Outcome != ""
	}
	return false
}

// Cancel asks a run to end at its next page.
func (c *Client) Cancel(ctx context.Context, workflowID, runID string) error {
	return closed("cancel "+workflowID, c.sdk.CancelWorkflow(ctx, workflowID, runID))
}

// Terminate ends a run at once, without a word to it: whatever is open of it in the
// store is closed by the next run or by housekeeping.
func (c *Client) Terminate(ctx context.Context, workflowID, runID, why string) error {
	return closed("terminate "+workflowID, c.sdk.TerminateWorkflow(ctx, workflowID, runID, why))
}

// Planned lists the runs that are asked for and have not begun, the next one
// first. A run appears a moment after it was asked for.
func (c *Client) Planned(ctx context.Context) ([]Planned, error) {
	var out []Planned
	query := fmt.Sprintf("WorkflowType = '%s' AND ExecutionStatus = 'Running' AND ExecutionTime > '%s'", steps.CampaignWorkflow, time.Now().UTC().Format(time.RFC3339Nano))
	for page := []byte(nil); ; {
		list, err := c.sdk.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, NextPageToken: page})
		if err != nil {
			return nil, translate("list runs to come", err)
		}
		for _, w := range list.GetExecutions() {
			if id := w.GetExecution().GetWorkflowId(); strings.HasPrefix(id, c.instance.WorkflowID("")) {
				out = append(out, Planned{WorkflowID: id, RunID: w.GetExecution().GetRunId(), At: w.GetExecutionTime().AsTime(), Asked: w.GetStartTime().AsTime()})
			}
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			slices.SortFunc(out, func(a, b Planned) int { return a.At.Compare(b.At) })
			return out, nil
		}
	}
}

// Pause, Resume, SetProcessors and Skip say something to a running run and wait
// for its answer.
func (c *Client) Pause(ctx context.Context, workflowID string, in steps.PauseIn) error {
	return send(ctx, c, steps.Pause, workflowID, in)
}

// Resume undoes Pause.
func (c *Client) Resume(ctx context.Context, workflowID string, in steps.ResumeIn) error {
	return send(ctx, c, steps.Resume, workflowID, in)
}

// SetProcessors changes how many items are in flight from now on.
func (c *Client) SetProcessors(ctx context.Context, workflowID string, in steps.SetProcessorsIn) error {
	return send(ctx, c, steps.SetProcessors, workflowID, in)
}

// Skip closes one open item as skipped.
func (c *Client) Skip(ctx context.Context, workflowID string, in steps.SkipItemIn) error {
	return send(ctx, c, steps.Skip, workflowID, in)
}

func send[In any](ctx context.Context, c *Client, u temporalx.Update[In, steps.Nothing], workflowID string, in In) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	_, err := u.Send(ctx, c.sdk, workflowID, "", in)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s %s: no worker answered in time; is one running? `starter workers`", u.Name, workflowID)
	}
	return closed(u.Name+" "+workflowID, err)
}

// Progress asks a running run how far it is and whether it holds still. A worker
// must answer; one that does not within two seconds is an error.
func (c *Client) Progress(ctx context.Context, workflowID string) (steps.ProgressOut, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := steps.Progress.Ask(ctx, c.sdk, workflowID, "", steps.Nothing{})
	return out, translate("ask "+workflowID+" for its progress", err)
}

// closed reads "not found" of a call to a running workflow as ended.
func closed(doing string, err error) error {
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	if err != nil && strings.Contains(err.Error(), "already completed") {
		return fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	return translate(doing, err)
}

// Actions counts the billable actions of a run, by its history: the start, each
// activity and its repeats, timers, upserts and what people said.
func (c *Client) Actions(ctx context.Context, workflowID, runID string) (int, error) {
	n := 0
	events := c.sdk.GetWorkflowHistory(ctx, workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return 0, translate("read the history of "+workflowID, err)
		}
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED:
			n += int(e.GetActivityTaskStartedEventAttributes().GetAttempt())
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enumspb.EVENT_TYPE_TIMER_STARTED,
			enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
			enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, enumspb.EVENT_TYPE_MARKER_RECORDED:
			n++
		}
	}
	return n, nil
}
