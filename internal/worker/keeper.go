package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/planner"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// keeper makes campaigns and starts runs for registries, for activities.
type keeper struct {
	remote   remote
	instance workflows.Instance
	planner  *planner.Planner
}

func newKeeper(r remote, s *store.Store, i workflows.Instance, known campaigns.Lookup, log *slog.Logger) keeper {
	settings := planner.Settings{Instance: i, Lookup: known, Log: log}
	if !temporalx.Loopback(r.address) {
		settings.PerSecond = planner.PerSecond
	}
	return keeper{remote: r, instance: i, planner: planner.New(s, temporalx.Schedules(r.ScheduleClient(), r.options.DataConverter), settings)}
}

// Apply makes what is loaded hold. What must be settled first is left out and named.
func (k keeper) Apply(ctx context.Context, loaded *campaigns.Loaded, author string, now time.Time) (map[string]string, error) {
	in := planner.Input{Loaded: loaded, Author: author, Now: now}
	_, err := k.planner.Apply(ctx, in, "", nil)
	if !errors.Is(err, planner.ErrBlocked) {
		return nil, err
	}
	plan, err := k.planner.Plan(ctx, in)
	if err != nil {
		return nil, err
	}
	blocked := map[string]string{}
	for _, c := range plan.Changes {
		if c.Blocked != "" {
			blocked[c.Name] = c.Blocked
		}
	}
	rest := *loaded
	rest.Campaigns = slices.DeleteFunc(slices.Clone(loaded.Campaigns), func(s campaigns.Source) bool { return blocked[s.Campaign.Name] != "" })
	in.Loaded = &rest
	_, err = k.planner.Apply(ctx, in, "", nil)
	return blocked, err
}

// Pause pauses a campaign and its schedule.
func (k keeper) Pause(ctx context.Context, campaign string, p rows.Pause) error {
	return k.planner.Pause(ctx, campaign, p)
}

// Delete removes a campaign and its schedule; checkpoints, documents and runs stay.
func (k keeper) Delete(ctx context.Context, campaign, by string) error {
	return k.planner.Delete(ctx, campaign, by)
}

// Start starts a run; one of the same id, going on or over, is the same run.
func (k keeper) Start(ctx context.Context, c campaigns.Campaign, in steps.Start, id string) error {
	_, err := k.remote.ExecuteWorkflow(ctx, workflows.StartOptions(k.instance, c, in, id), steps.CampaignWorkflow, in)
	if _, there := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); err != nil && !there {
		return fmt.Errorf("start run %s: %w", id, err)
	}
	return nil
}
