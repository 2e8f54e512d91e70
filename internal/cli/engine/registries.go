package engine

import (
	"context"
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// SyncRegistry syncs a registry now and waits for the end. Where one by hand goes on,
// that is the one waited for. A sync that failed returns what was done, and Failed says
// why.
func (c *Client) SyncRegistry(ctx context.Context, in steps.RegistryIn) (done steps.RegistryDone, failed string, err error) {
	i, err := c.Instance(ctx, in.Store)
	if err != nil {
		return done, "", err
	}
	run, err := c.sdk.ExecuteWorkflow(ctx, workflows.RegistrySync(i, in.Registry), steps.RegistryWorkflow, in)
	if err != nil {
		return done, "", translate("sync registry "+in.Registry, err)
	}
	err = run.Get(ctx, &done)
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && ctx.Err() == nil {
		if app.HasDetails() {
			_ = app.Details(&done) // of another release: the text tells
		}
		return done, app.Message(), nil
	}
	return done, "", translate("sync registry "+in.Registry, err)
}
