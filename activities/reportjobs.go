package activities

import (
	"context"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// ReportJobs tells the registry how its jobs go: each job's latest state, where that
// is not what the registry was last told. A report counts as told once the registry
// took it, so it may come twice and is never left out; what it misses while it is away
// is not told later, but how it is then.
func (a *Activities) ReportJobs(ctx context.Context, in steps.RegistryIn) (steps.JobsReported, error) {
	h, skipped, err := a.hold(ctx, in)
	if err != nil || skipped != "" {
		return steps.JobsReported{}, err
	}
	defer a.letGo(ctx, in)
	a.wakeLine(ctx, rows.Place{Registry: h.Name, Max: h.MaxRunning}) // whoever was not told, or the bound is higher now
	jobs, err := a.Store.RegistryJobs(ctx, h.Name)
	if err != nil {
		return steps.JobsReported{}, err
	}
	r, err := a.newReporting(ctx, h)
	if err != nil {
		return steps.JobsReported{}, err
	}
	due, err := r.due(ctx, jobs)
	if err != nil {
		return steps.JobsReported{}, err
	}
	out := steps.JobsReported{}
	for len(due) > 0 && out.Error == "" {
		if err := a.holdOn(ctx, in); err != nil {
			return out, err
		}
		n := min(len(due), registry.MaxReports)
		if err := r.send(ctx, due[:n], &out); err != nil {
			return out, err
		}
		due = due[n:]
	}
	return out, nil
}

// letGo lets the next sync begin at once; else it waits until the claim is over.
func (a *Activities) letGo(ctx context.Context, in steps.RegistryIn) {
	if _, err := a.Store.HoldRegistry(context.WithoutCancel(ctx), in.Registry, in.Holder, a.Now(), 0); err != nil {
		a.Log.WarnContext(ctx, "the registry stays claimed for a while", "registry", in.Registry, "error", err)
	}
}

// reporting is one ReportJobs.
type reporting struct {
	*Activities
	held
	world registry.World
}

// told is a row with the report that is due.
type told struct {
	row    rows.RegistryJob
	report registry.Report
	key    string
}

func (a *Activities) newReporting(ctx context.Context, h held) (*reporting, error) {
	r := &reporting{Activities: a, held: h, world: registry.World{Now: a.Now(), Campaigns: map[string]rows.Campaign{}}}
	list, err := a.Store.Campaigns(ctx, registry.Project(h.Name), true)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		r.world.Campaigns[c.Name] = c
	}
	if r.world.Open, r.world.Last, err = a.Store.RegistryRuns(ctx, h.Name); err != nil {
		return nil, err
	}
	waiting, err := a.Store.RegistryLine(ctx, h.Name)
	r.world.Line = registry.Line(waiting)
	return r, err
}

// due are the reports that say something else than the last ones.
func (r *reporting) due(ctx context.Context, jobs []rows.RegistryJob) ([]told, error) {
	var out []told
	for _, row := range jobs {
		items, err := r.items(ctx, row)
		if err != nil {
			return nil, err
		}
		report, err := r.world.Report(row, items)
		if err != nil {
			return nil, err
		}
		if key := report.Key(); key != row.Reported {
			// By the clock, so that a report whose answer was lost is older than the next.
			row.Sequence = max(row.Sequence+1, r.world.Now.UnixMilli())
			report.Sequence, report.At = row.Sequence, r.world.Now
			out = append(out, told{row: row, report: report, key: key})
		}
	}
	return out, nil
}

// maxReportItems bounds what is looked at of a run; a job has one item as a rule.
const maxReportItems = 20

// items are those of the run that goes on, else of the last one.
func (r *reporting) items(ctx context.Context, row rows.RegistryJob) ([]rows.RunItem, error) {
	run, going := r.world.Open[row.Campaign]
	if !going {
		run = r.world.Last[row.Campaign]
	}
	if run.ID == 0 || run.State == rows.RunWaiting {
		return nil, nil
	}
	return r.Store.RunItems(ctx, run.ID, rows.ItemFilter{Limit: maxReportItems})
}

// send tells one batch. A registry that is away is told the latest the next time.
func (r *reporting) send(ctx context.Context, batch []told, out *steps.JobsReported) error {
	reports := make([]registry.Report, len(batch))
	for i, t := range batch {
		reports[i] = t.report
	}
	refused, err := r.service.Report(ctx, reports)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		out.Error = clip(r.mask.Mask().Error(err).Error(), 500)
		return nil
	}
	saved := make([]rows.RegistryJob, 0, len(batch))
	for _, t := range batch {
		if t.row.Refused = refused[t.row.ID]; t.row.Refused != "" {
			out.Refused++
		} else {
			out.Reported++
			t.row.Reported, t.row.ReportedAt = t.key, t.report.At
		}
		saved = append(saved, t.row)
	}
	return r.saveJobs(ctx, slices.Clip(saved))
}
