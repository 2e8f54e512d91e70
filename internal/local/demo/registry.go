package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// registryName is the registry that the demo follows. It is asked when the demo says
// so, and by no schedule.
const registryName = "demo"

// registry shows a job added, run, edited and removed by a registry, with what came of
// each; the counts are those of the syncs and of the store.
func (s *show) registry(ctx context.Context) (err error) {
	if s.registries, err = OpenRegistries(); err != nil {
		return err
	}
	jobs := s.registries.JSON
	row := rows.Registry{Name: registryName, URL: s.registries.url + "/v1", Format: "json", Every: time.Hour, AddedAt: time.Now(), AddedBy: s.Author}
	if err := s.store.PutRegistry(ctx, row); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "\na job registry, by itself a replica on this machine, says what to harvest:\n")
	added, err := s.sync(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "  added    %s listed, %s made\n", print.Count(added.Listed.Jobs, "job"), print.Count(added.Applied.Created, "campaign"))
	jobs.Set("col-1", "run", time.Now().UTC().Format(time.RFC3339Nano))
	ran, err := s.sync(ctx)
	if err != nil {
		return err
	}
	run, err := s.ranJob(ctx, "reg-"+registryName+"-col-1")
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "  run      %s started: %s, %s\n", print.Count(ran.Applied.Started, "run"), run.Outcome, print.Count(run.Tally.Documents(), "document"))
	jobs.Set("col-2", "timing", "every 3h")
	edited, err := s.sync(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "  edited   %s, now every 3h; %s told\n", print.Count(edited.Applied.Changed, "campaign"), print.Count(edited.Reported.Reported, "job"))
	return s.removed(ctx)
}

// removed takes a job from the registry: the second listing without it removes it.
func (s *show) removed(ctx context.Context) error {
	s.registries.JSON.Remove("col-3")
	first, err := s.sync(ctx)
	if err != nil {
		return err
	}
	second, err := s.sync(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "  removed  %d by the first listing that lacks it, %d by the second\n", first.Applied.Removed, second.Applied.Removed)
	return nil
}

// sync asks the registry once and does what follows, as `starter registry sync` does.
func (s *show) sync(ctx context.Context) (done steps.RegistryDone, err error) {
	in := steps.RegistryIn{Registry: registryName, Store: s.store.ID()}
	run, err := s.client.ExecuteWorkflow(ctx, workflows.RegistrySync(s.instance(), registryName), steps.RegistryWorkflow, in)
	if err == nil {
		err = run.Get(ctx, &done)
	}
	if err != nil {
		return done, fmt.Errorf("sync the demo's registry: %w", err)
	}
	return done, nil
}

// ranJob waits for the end of the run that was started last.
func (s *show) ranJob(ctx context.Context, campaign string) (rows.Run, error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		open, last, err := s.store.RegistryRuns(ctx, registryName)
		if err != nil {
			return rows.Run{}, err
		}
		if _, going := open[campaign]; !going && last[campaign].StartedAt.After(s.runs[0].at) {
			return last[campaign], nil
		}
		select {
		case <-ctx.Done():
			return rows.Run{}, errors.Join(errors.New("the registry's run has not ended"), context.Cause(ctx))
		case <-tick.C:
		}
	}
}
