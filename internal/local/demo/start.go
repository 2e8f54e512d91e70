package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/planner"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// started is a run of the demo.
type started struct {
	campaign string
	workflow string
	runID    string
	// asked and known are the sources' and the store's counts before the run.
	asked int
	known rows.Counts
	at    time.Time
}

// apply writes the campaign files and applies them, as `starter campaigns
// apply` does.
func (s *show) apply(ctx context.Context) error {
	paths, err := s.sources.write(s.Dir)
	if err != nil {
		return err
	}
	loaded, err := campaigns.Load(paths, s.Lookup)
	if err != nil {
		return err
	}
	if len(loaded.Problems) > 0 {
		return fmt.Errorf("the demo's own campaign files: %s", loaded.Problems[0])
	}
	r := planner.New(s.store, s.client.ScheduleClient(), planner.Settings{Lookup: s.Lookup, Instance: s.instance()})
	result, err := r.Apply(ctx, planner.Input{Loaded: loaded, Author: s.Author, Now: time.Now()}, "", nil)
	if err != nil {
		return err
	}
	if err := s.remember(ctx); err != nil {
		return err
	}
	word := "applied"
	if len(result.Done) == 0 {
		word = "unchanged"
	}
	fmt.Fprintf(s.Out, "      %d campaigns %s, now triggered; the worker will be killed on purpose\n", len(loaded.Campaigns), word)
	return nil
}

// remember keeps which server the campaigns were applied to, so that commands
// that ask another one say so.
func (s *show) remember(ctx context.Context) error {
	id, err := temporalx.NamespaceID(ctx, s.client, dev.Namespace)
	if err != nil {
		return err
	}
	return s.store.SetServer(ctx, rows.Server{Address: s.house.Server.Address, Namespace: dev.Namespace, ID: id})
}

func (s *show) instance() workflows.Instance { return workflows.Instance{Store: s.store.ID()} }

// trigger starts a run of each campaign, as `starter trigger` does.
func (s *show) trigger(ctx context.Context) error {
	for _, name := range []string{libraryCampaign, newsCampaign, weatherCampaign, postsCampaign, photosCampaign} {
		if err := s.triggerOne(ctx, name); err != nil {
			return fmt.Errorf("trigger %s: %w", name, err)
		}
	}
	return nil
}

func (s *show) triggerOne(ctx context.Context, name string) error {
	row, err := s.store.Campaign(ctx, name)
	if err != nil {
		return err
	}
	c, err := campaigns.Decode(row.Definition.Spec)
	if err != nil {
		return err
	}
	known, err := s.store.Counts(ctx, name)
	if err != nil {
		return err
	}
	now := time.Now()
	in := steps.Start{Campaign: name, Trigger: steps.TriggerHand, TriggeredBy: s.Author, Store: s.store.ID()}
	options := workflows.StartOptions(s.instance(), c, in, workflows.HandID(name, now))
	run, err := s.client.ExecuteWorkflow(ctx, options, steps.CampaignWorkflow, in)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, &started{
		campaign: name, workflow: run.GetID(), runID: run.GetRunID(), asked: s.sources.requests(name), known: known, at: now,
	})
	return nil
}

// row is the run in the store, once OpenRun has made it.
func (s *show) row(ctx context.Context, r *started) (rows.Run, bool, error) {
	run, err := s.store.RunByRunID(ctx, r.runID)
	if errors.Is(err, rows.ErrNotFound) {
		return rows.Run{}, false, nil
	}
	return run, err == nil, err
}
