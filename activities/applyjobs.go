package activities

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// ApplyJobs does what the listing means: campaigns are made, changed, paused, run and
// removed. A row is marked once that is done, so that the next attempt, also of
// another worker, goes on where this one ended; what was done twice is done once.
func (a *Activities) ApplyJobs(ctx context.Context, in steps.RegistryIn) (steps.JobsApplied, error) {
	h, skipped, err := a.hold(ctx, in)
	if err != nil || skipped != "" {
		return steps.JobsApplied{}, err
	}
	if h.Warning != "" {
		return steps.JobsApplied{}, nil
	}
	w, err := a.newApplying(ctx, h.Registry, in)
	if err != nil {
		return steps.JobsApplied{}, err
	}
	return w.out, w.all(ctx)
}

// applying is one ApplyJobs.
type applying struct {
	*Activities
	in       steps.RegistryIn
	registry string
	jobs     []rows.RegistryJob
	making   *campaigns.Making
	stored   map[string]rows.Campaign
	open     map[string]rows.Run // by campaign
	told     map[string]bool     // campaigns whose run was told to end, just now
	out      steps.JobsApplied
}

func (a *Activities) newApplying(ctx context.Context, r rows.Registry, in steps.RegistryIn) (*applying, error) {
	w := &applying{Activities: a, in: in, registry: r.Name, stored: map[string]rows.Campaign{}, told: map[string]bool{}}
	var err error
	if w.jobs, err = a.Store.RegistryJobs(ctx, r.Name); err != nil {
		return nil, err
	}
	list, err := a.Store.Campaigns(ctx, registry.Project(r.Name), true)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		w.stored[c.Name] = c
	}
	if w.open, _, err = a.Store.RegistryRuns(ctx, r.Name); err != nil {
		return nil, err
	}
	w.making, err = campaigns.NewMaking(registry.Project(r.Name), a.Lookup, campaigns.Defaults{})
	return w, err
}

// all does definitions first, many at a time, then the rest job by job.
func (w *applying) all(ctx context.Context) error {
	var define []*defined
	var rest []*rows.RegistryJob
	for i := range w.jobs {
		actions, err := registry.Actions(w.jobs[i])
		if err != nil {
			return err
		}
		if len(actions) == 0 && w.jobs[i].Again == "" {
			w.out.Unchanged++
			continue
		}
		rest = append(rest, &w.jobs[i])
		for _, action := range actions {
			if action.Defines() {
				define = append(define, &defined{row: &w.jobs[i], action: action})
			}
		}
	}
	if err := w.defineAll(ctx, define); err != nil {
		return err
	}
	for _, row := range rest {
		if err := w.one(ctx, row); err != nil {
			return fmt.Errorf("job %s of registry %s: %w", row.ID, w.registry, err)
		}
	}
	return nil
}

// one does what is left to do about a job once it is defined.
func (w *applying) one(ctx context.Context, row *rows.RegistryJob) error {
	actions, err := registry.Actions(*row)
	if err != nil {
		return err
	}
	for _, action := range actions {
		if err := w.act(ctx, row, action); err != nil {
			return err
		}
	}
	if row.Again != "" && row.State == rows.JobActive {
		return w.again(ctx, row)
	}
	return nil
}

func (w *applying) act(ctx context.Context, row *rows.RegistryJob, action registry.Action) error {
	job, err := registry.DecodeJob(row.Spec)
	if err != nil {
		return err
	}
	switch action.Kind {
	case registry.Run:
		return w.run(ctx, row, job)
	case registry.Stop:
		return w.stop(ctx, row, job)
	case registry.Hold:
		return w.holdJob(ctx, row, action.Why)
	case registry.Close:
		return w.close(ctx, row)
	case registry.Leave:
		w.out.Problems++
	}
	return nil
}

// run starts a run under a name that the wish has: asked twice, it is one run. While
// one ends as told, the new one waits for that.
func (w *applying) run(ctx context.Context, row *rows.RegistryJob, job registry.Job) error {
	if row.Applied != row.Listed {
		return nil // its campaign could not be made
	}
	if run, going := w.open[row.Campaign]; going && (w.told[row.Campaign] || run.Stop != "") {
		row.Ran, row.Again = job.Run, run.WorkflowID
		return w.save(ctx, *row)
	}
	if err := w.start(ctx, row, "run-"+shortDigest(job.Run)); err != nil {
		return err
	}
	row.Ran = job.Run
	return w.save(ctx, *row)
}

func (w *applying) start(ctx context.Context, row *rows.RegistryJob, moment string) error {
	c, err := w.Store.Campaign(ctx, row.Campaign)
	if err != nil {
		return err
	}
	spec, err := campaigns.Decode(c.Definition.Spec)
	if err != nil {
		return err
	}
	in := steps.Start{Campaign: row.Campaign, Trigger: steps.TriggerRegistry, TriggeredBy: registry.By(w.registry), Store: w.Store.ID()}
	if err := w.Registries.Start(ctx, spec, in, row.Campaign+"-"+moment); err != nil {
		return err
	}
	w.out.Started++
	return nil
}

func shortDigest(text string) string { return harvest.Digest([]byte(text))[len("sha256:"):][:10] }

// stop tells the run that goes on to end.
func (w *applying) stop(ctx context.Context, row *rows.RegistryJob, job registry.Job) error {
	if err := w.cancel(ctx, row.Campaign); err != nil {
		return err
	}
	row.Stopped = job.Stop
	return w.save(ctx, *row)
}

func (w *applying) cancel(ctx context.Context, campaign string) error {
	run, going := w.open[campaign]
	if !going {
		return nil
	}
	if err := w.Temporal.Cancel(ctx, run.WorkflowID, run.RunID); err != nil {
		return fmt.Errorf("tell run %s to end: %w", run.WorkflowID, err)
	}
	w.out.Stopped++
	w.told[campaign] = true
	return nil
}

// again starts the run that was told to end for a new definition, once it has ended.
func (w *applying) again(ctx context.Context, row *rows.RegistryJob) error {
	if run, going := w.open[row.Campaign]; going && run.WorkflowID == row.Again {
		return nil
	}
	if err := w.start(ctx, row, "again-"+shortDigest(row.Again)); err != nil {
		return err
	}
	row.Again = ""
	return w.save(ctx, *row)
}

// holdJob pauses a job that became something that is not run here.
func (w *applying) holdJob(ctx context.Context, row *rows.RegistryJob, why string) error {
	if err := w.pause(ctx, row.Campaign, why); err != nil {
		return err
	}
	w.out.Held++
	row.Applied = row.Listed
	return w.save(ctx, *row)
}

func (w *applying) pause(ctx context.Context, campaign, why string) error {
	if c := w.stored[campaign]; c.Name == "" || !c.Removed.IsZero() || c.Paused != nil && c.Paused.By == registry.By(w.registry) && c.Paused.Note == why {
		return nil
	}
	return w.Registries.Pause(ctx, campaign, rows.Pause{By: registry.By(w.registry), At: w.Now(), Note: why})
}

// close tells the run of a job that is gone to end, and removes its schedule once it
// has. Checkpoints, documents and runs stay.
func (w *applying) close(ctx context.Context, row *rows.RegistryJob) error {
	if c := w.stored[row.Campaign]; c.Name != "" && c.Removed.IsZero() {
		if err := w.pause(ctx, row.Campaign, "gone from "+registry.By(w.registry)); err != nil {
			return err
		}
		if run, going := w.open[row.Campaign]; going {
			w.out.Closing++
			if run.Stop != "" {
				return nil
			}
			return w.cancel(ctx, row.Campaign)
		}
		if err := w.Registries.Delete(ctx, row.Campaign, registry.By(w.registry)); err != nil {
			return err
		}
	}
	w.out.Removed++
	row.State, row.Applied, row.Again = rows.JobRemoved, "", ""
	return w.save(ctx, *row)
}

func (w *applying) save(ctx context.Context, row rows.RegistryJob) error {
	return w.Store.SaveRegistryJobs(ctx, []rows.RegistryJob{row})
}
