package temporalx

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
)

// Registry takes activities by name: a worker, or a test environment.
type Registry interface {
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

// Activity is a typed handle of an activity. The name is what histories keep.
type Activity[In, Out any] struct{ Name string }

// Do runs the activity under the options of ctx and waits for it.
func (a Activity[In, Out]) Do(ctx workflow.Context, in In) (Out, error) {
	var out Out
	err := a.Start(ctx, in).Get(ctx, &out)
	return out, err
}

// Start runs the activity without waiting; Result reads the future.
func (a Activity[In, Out]) Start(ctx workflow.Context, in In) workflow.Future {
	return workflow.ExecuteActivity(ctx, a.Name, in)
}

// Result reads what a future of Start holds, waiting for it.
func (a Activity[In, Out]) Result(ctx workflow.Context, f workflow.Future) (Out, error) {
	var out Out
	err := f.Get(ctx, &out)
	return out, err
}

// Register installs fn under the activity's name. Worker and tests call it
// alike.
func (a Activity[In, Out]) Register(r Registry, fn func(context.Context, In) (Out, error)) {
	r.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: a.Name})
}

// Update is a typed handle of a workflow update.
type Update[In, Out any] struct{ Name string }

// Handle installs the handler inside a workflow; validate may be nil and must
// not change anything.
func (u Update[In, Out]) Handle(ctx workflow.Context, fn func(workflow.Context, In) (Out, error), validate func(workflow.Context, In) error) error {
	options := workflow.UpdateHandlerOptions{}
	if validate != nil {
		options.Validator = validate
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, u.Name, fn, options)
}

// Send asks a running workflow and waits for the answer.
func (u Update[In, Out]) Send(ctx context.Context, c client.Client, workflowID, runID string, in In) (Out, error) {
	var out Out
	handle, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: workflowID, RunID: runID, UpdateName: u.Name, Args: []any{in},
		WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return out, err
	}
	return out, handle.Get(ctx, &out)
}

// Signal is a typed handle of a workflow signal.
type Signal[In any] struct{ Name string }

// Channel is where the signals of this name arrive inside a workflow.
func (s Signal[In]) Channel(ctx workflow.Context) workflow.ReceiveChannel {
	return workflow.GetSignalChannel(ctx, s.Name)
}

// Send signals a running workflow and does not wait for what it does.
func (s Signal[In]) Send(ctx context.Context, c client.Client, workflowID, runID string, in In) error {
	return c.SignalWorkflow(ctx, workflowID, runID, s.Name, in)
}

// Query is a typed handle of a workflow query.
type Query[In, Out any] struct{ Name string }

// Handle installs the handler inside a workflow.
func (q Query[In, Out]) Handle(ctx workflow.Context, fn func(In) (Out, error)) error {
	return workflow.SetQueryHandler(ctx, q.Name, fn)
}

// Ask queries a workflow.
func (q Query[In, Out]) Ask(ctx context.Context, c client.Client, workflowID, runID string, in In) (Out, error) {
	var out Out
	value, err := c.QueryWorkflow(ctx, workflowID, runID, q.Name, in)
	if err != nil {
		return out, err
	}
	return out, value.Get(&out)
}
