package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// holdFor is how long a registry stays claimed by a sync that is silent.
	holdFor = 2 * time.Minute
	// registryTimeout bounds one request to a registry.
	registryTimeout = 30 * time.Second
)

// keeper makes campaigns, as `campaigns apply` does, and starts runs.
type keeper interface {
	// Apply makes what is loaded hold, and says of which campaigns it cannot, by name:
	// then the others hold.
	Apply(ctx context.Context, loaded *campaigns.Loaded, author string, now time.Time) (blocked map[string]string, err error)
	Pause(ctx context.Context, campaign string, p rows.Pause) error
	Delete(ctx context.Context, campaign, by string) error
	// Start starts a run; one of the same id, going on or over, is the same run.
	Start(ctx context.Context, c campaigns.Campaign, in steps.Start, id string) error
}

// held is a registry that this sync has for itself.
type held struct {
	rows.Registry
	service registry.Service
	mask    secrets.Found
}

// hold claims the registry for a sync; skipped says why there is nothing to do.
func (a *Activities) hold(ctx context.Context, in steps.RegistryIn) (h held, skipped string, err error) {
	if err := a.ours(in.Store); err != nil {
		return h, "", err
	}
	r, err := a.Store.Registry(ctx, in.Registry)
	switch {
	case errors.Is(err, rows.ErrNotFound):
		return h, "registry " + in.Registry + " was removed", nil
	case err != nil:
		return h, "", err
	case r.Paused.Holds(a.Now()):
		return h, "registry " + in.Registry + " is paused", nil
	}
	if err := a.holdOn(ctx, in); err != nil {
		return h, "", err
	}
	h.Registry = r
	header, found, err := a.Secrets.Text(r.Header)
	if err != nil {
		return h, "", err
	}
	h.mask = found
	h.service, err = registry.Open(r, header, a.Client(visit.Visitor{Timeout: registryTimeout}))
	if err != nil {
		return h, "", harvest.Errorf(harvest.KindMisconfigured, "open registry", r.Name, "%w", err)
	}
	return h, "", nil
}

// holdOn keeps the claim, which a long sync does again and again.
func (a *Activities) holdOn(ctx context.Context, in steps.RegistryIn) error {
	mine, err := a.Store.HoldRegistry(ctx, in.Registry, in.Holder, a.Now(), holdFor)
	if err == nil && !mine {
		err = harvest.Errorf(harvest.KindUnreachable, "sync registry", in.Registry, "another sync of it is going on")
	}
	return err
}

// ListJobs asks a registry what there is to do and keeps what the listing means. A
// registry that does not answer, or answers nonsense, is noted and changes nothing.
func (a *Activities) ListJobs(ctx context.Context, in steps.RegistryIn) (steps.JobsListed, error) {
	h, skipped, err := a.hold(ctx, in)
	if err != nil || skipped != "" {
		return steps.JobsListed{Skipped: skipped}, err
	}
	jobs, err := a.Store.RegistryJobs(ctx, h.Name)
	if err != nil {
		return steps.JobsListed{}, err
	}
	looks := h.RegistryLooks
	looks.AskedAt = a.Now()
	listing, err := h.service.List(ctx, registry.KnownOf(h.Registry, jobs))
	if err != nil {
		if ctx.Err() != nil {
			return steps.JobsListed{}, err
		}
		looks.Error = clip(h.mask.Mask().Error(err).Error(), 500)
		return steps.JobsListed{Error: looks.Error}, a.Store.NoteRegistry(ctx, h.Name, looks)
	}
	merged, err := registry.Merge(h.Registry, jobs, listing, in.Accept)
	if err != nil {
		return steps.JobsListed{}, err
	}
	if err := a.saveJobs(ctx, merged.Changed); err != nil {
		return steps.JobsListed{}, err
	}
	looks.ListedAt, looks.Error, looks.Warning, looks.Accepted = looks.AskedAt, "", merged.Warning, merged.Accepted
	looks.ETag, looks.Modified = listing.Validators(merged)
	out := steps.JobsListed{
		Unchanged: listing.Unchanged, Jobs: listing.Count(jobs), Changed: len(merged.Changed), Missing: len(merged.Missing),
		Problems: merged.Problems, Requests: listing.Requests, Warning: merged.Warning,
	}
	return out, a.Store.NoteRegistry(ctx, h.Name, looks)
}

// saveBatch is how many rows of jobs one transaction writes.
const saveBatch = 1000

func (a *Activities) saveJobs(ctx context.Context, jobs []rows.RegistryJob) error {
	for len(jobs) > 0 {
		n := min(len(jobs), saveBatch)
		if err := a.Store.SaveRegistryJobs(ctx, jobs[:n]); err != nil {
			return fmt.Errorf("keep the jobs of registry %s: %w", jobs[0].Registry, err)
		}
		jobs = jobs[n:]
	}
	return nil
}
