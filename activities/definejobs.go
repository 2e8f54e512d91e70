package activities

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/registry"
)

// defineBatch is how many campaigns one apply makes: what a crash does again.
const defineBatch = 500

// defined is a job whose campaign is to be made.
type defined struct {
	row    *rows.RegistryJob
	action registry.Action
}

// defineAll makes the campaigns, a batch at a time, and marks each batch as made.
func (w *applying) defineAll(ctx context.Context, list []*defined) error {
	for len(list) > 0 {
		if err := w.holdOn(ctx, w.in); err != nil {
			return err
		}
		n := min(len(list), defineBatch)
		if err := w.define(ctx, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func (w *applying) define(ctx context.Context, list []*defined) error {
	loaded := &campaigns.Loaded{Project: registry.Project(w.registry), Files: []string{registry.By(w.registry)}}
	made := make([]*defined, 0, len(list))
	changed := make([]rows.RegistryJob, 0, len(list))
	for _, d := range list {
		source, problem, err := w.source(d)
		if err != nil {
			return err
		}
		if problem != "" {
			w.out.Problems++
			if d.row.Problem != problem {
				d.row.Problem = problem
				changed = append(changed, *d.row)
			}
			continue
		}
		loaded.Campaigns = append(loaded.Campaigns, source)
		made = append(made, d)
	}
	if len(made) > 0 {
		blocked, err := w.Registries.Apply(ctx, loaded, registry.By(w.registry), w.Now())
		if err != nil {
			return fmt.Errorf("make the campaigns of registry %s: %w", w.registry, err)
		}
		for _, d := range made {
			if err := w.mark(ctx, d, blocked[d.row.Campaign]); err != nil {
				return err
			}
			changed = append(changed, *d.row)
		}
	}
	return w.saveJobs(ctx, changed)
}

// source is the campaign of a job, or what is wrong with it.
func (w *applying) source(d *defined) (campaigns.Source, string, error) {
	job, err := registry.DecodeJob(d.row.Spec)
	if err != nil {
		return campaigns.Source{}, "", err
	}
	source, problem, err := registry.Source(w.making, w.registry, d.row.Campaign, job)
	if err != nil || problem != "" {
		return source, problem, err
	}
	source.Campaign.Paused = w.wantedPause(d.row.Campaign, job)
	return source, "", nil
}

// wantedPause: what the registry paused it resumes; what a person paused stays.
func (w *applying) wantedPause(campaign string, job registry.Job) *campaigns.Pause {
	if !job.Enabled {
		return &campaigns.Pause{On: true, Note: "disabled in " + registry.By(w.registry)}
	}
	if p := w.stored[campaign].Paused; p != nil && p.By == registry.By(w.registry) {
		return &campaigns.Pause{}
	}
	return nil
}

// mark notes that a job's campaign is as it is listed; a run that shall begin anew
// with it is told to end.
func (w *applying) mark(ctx context.Context, d *defined, blocked string) error {
	if blocked != "" {
		w.out.Problems++
		d.row.Problem = blocked
		return nil
	}
	if d.action.Kind == registry.Restart {
		if run, going := w.open[d.row.Campaign]; going {
			if err := w.cancel(ctx, d.row.Campaign); err != nil {
				return err
			}
			d.row.Again = run.WorkflowID
		}
	}
	if d.action.Kind == registry.Create {
		w.out.Created++
	} else {
		w.out.Changed++
	}
	d.row.Applied, d.row.Problem = d.row.Listed, ""
	return nil
}
