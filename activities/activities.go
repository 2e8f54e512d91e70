package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Defaults for fields of Deps that are zero.
const (
	DefaultItemSlots = 20
	DefaultDrain     = 30 * time.Second
	DefaultGrace     = 10 * time.Second
	DefaultPage      = 5 * time.Minute
	DefaultStoreTime = time.Minute
)

// Deps are the dependencies of the steps. Store, Fetchers, Client, Secrets, Temporal
// and Send are required.
type Deps struct {
	// Resume ends the pause of a campaign whose time is over, in the store and on its
	// schedule; nil: pauses end by hand only.
	Resume   func(ctx context.Context, campaign, by string, now time.Time) error
	Store    *store.Store
	seam     seam // nil: Store
	Fetchers fetchers.Set
	Client   clients
	Secrets  resolver
	Temporal engine
	Send     sender
	// Registries makes the campaigns of registries, and Lookup knows their fetchers.
	Registries keeper
	Lookup     campaigns.Lookup
	// Hosts reads the rules of hosts anew. It is called before this process asks
	// anything for a run, so that what was applied before the run holds for all of
	// it; nil: they are always current.
	Hosts func(context.Context) error
	Meter meter // nil: nothing is counted
	// Attributes maps our search attributes to the names they have on this
	// server; empty when it has none.
	Attributes map[string]string
	// Queue puts the instance before the name of a task queue; nil: as it is.
	Queue func(string) string
	// Heartbeat is how long a silent activity counts as alive; 0: thirty seconds.
	Heartbeat time.Duration
	// ItemSlots bounds the running items of this process.
	ItemSlots int
	// Drain is how long a current page may take to commit once its activity must
	// stop; Grace how long a fetcher may go on after its context ended before it
	// is left behind.
	Drain, Grace time.Duration
	// StoreTime bounds one write with all its retries; 0: a minute.
	StoreTime time.Duration
	// Worker names this process in claims and the ledger.
	Worker string
	// TakesNone says why this process takes no new item; "": it does. nil: always.
	TakesNone func() string
	Log       *slog.Logger     // nil: discard
	Now       func() time.Time // nil: time.Now
	// Spread returns a number from 0 to 1 that places a wait within its jitter;
	// nil: a random one.
	Spread func() float64
}

// Activities implements workflows/steps. It is safe for many goroutines.
type Activities struct {
	Deps
	slots       *semaphore.Weighted
	lost        sync.Mutex // held while a dangerous item runs
	definitions definitions
	rules       rules
	setback     setback
	logs        *runLogs
}

// New returns the steps of one process. It starts nothing.
func New(d Deps) *Activities {
	d.ItemSlots = cmp.Or(d.ItemSlots, DefaultItemSlots)
	d.Drain, d.Grace, d.StoreTime = cmp.Or(d.Drain, DefaultDrain), cmp.Or(d.Grace, DefaultGrace), cmp.Or(d.StoreTime, DefaultStoreTime)
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Spread == nil {
		d.Spread = rand.Float64
	}
	if d.TakesNone == nil {
		d.TakesNone = func() string { return "" }
	}
	if d.Queue == nil {
		d.Queue = func(name string) string { return name }
	}
	if d.seam == nil {
		d.seam = d.Store
	}
	if d.Meter == nil {
		d.Meter = noMeter{}
	}
	logs := &runLogs{log: d.Log, keep: d.Store.KeepLog}
	return &Activities{Deps: d, slots: semaphore.NewWeighted(int64(d.ItemSlots)), logs: logs}
}

// Register installs every step under its name.
func (a *Activities) Register(r temporalx.Registry) {
	registerBeating(r, steps.OpenRun, a.OpenRun)
	registerBeating(r, steps.Expand, a.Expand)
	registerBeating(r, steps.SealRun, a.SealRun)
	register(r, steps.FetchItems, a.FetchItems) // beats itself, with what it does
	registerBeating(r, steps.StopRun, a.StopRun)
	registerBeating(r, steps.SkipItem, a.SkipItem)
	registerBeating(r, steps.CloseRun, a.CloseRun)
	registerBeating(r, steps.Notify, a.Notify)
	registerBeating(r, steps.Reconcile, a.Reconcile)
	registerBeating(r, steps.FindMissed, a.FindMissed)
	registerBeating(r, steps.Clean, a.Clean)
	registerBeating(r, steps.ListJobs, a.ListJobs)
	registerBeating(r, steps.ApplyJobs, a.ApplyJobs)
	registerBeating(r, steps.ReportJobs, a.ReportJobs)
}

// register installs a step and translates its errors for Temporal.
func register[In, Out any](r temporalx.Registry, step temporalx.Activity[In, Out], do func(context.Context, In) (Out, error)) {
	step.Register(r, func(ctx context.Context, in In) (Out, error) {
		out, err := do(ctx, in)
		return out, temporalx.ToTemporal(err)
	})
}

// registerBeating installs a step that heartbeats without details.
func registerBeating[In, Out any](r temporalx.Registry, step temporalx.Activity[In, Out], do func(context.Context, In) (Out, error)) {
	register(r, step, func(ctx context.Context, in In) (Out, error) {
		defer temporalx.Beat(ctx)()
		return do(ctx, in)
	})
}

// ours refuses a run of another store. The refusal is retried: the next attempt may
// reach a worker of that store. An empty id is accepted.
func (a *Activities) ours(id string) error {
	if id == "" || id == a.Store.ID() {
		return nil
	}
	err := harvest.Errorf(harvest.KindUnreachable, "take work", "", "this run belongs to store %s, and this worker has store %s open", id, a.Store.ID())
	err.Advice = "start the worker with that store, or give the two instances different names (--instance)"
	return err
}

// run loads a run of this store. It is rows.ErrRestored when the store that has the
// number is an older copy which was put back: then the number may be another run's.
func (a *Activities) run(ctx context.Context, of steps.RunOf) (rows.Run, error) {
	id := of.Run
	if err := a.ours(of.Store); err != nil {
		return rows.Run{}, err
	}
	run, err := a.Store.RunByID(ctx, id)
	switch {
	case errors.Is(err, rows.ErrNotFound):
		return run, restored(id, "this store has no such run")
	case err != nil:
		return run, err
	case of.RunID != "" && of.RunID != run.RunID:
		return run, restored(id, "here that number is run "+run.WorkflowID)
	}
	epoch, err := a.Store.Epoch(ctx)
	if err == nil && (run.Epoch != epoch || of.Epoch != 0 && of.Epoch != epoch) {
		err = restored(id, fmt.Sprintf("it is of epoch %d, and this store of epoch %d", cmp.Or(of.Epoch, run.Epoch), epoch))
	}
	return run, err
}

func restored(run int64, how string) error {
	return &harvest.Error{
		Kind: harvest.KindMisconfigured, Op: "find run", On: fmt.Sprint(run), Err: fmt.Errorf("%s: %s: %w", outcomes.WhyStoreRestored, how, rows.ErrRestored),
		Advice: "start the campaign again",
	}
}

// campaignOf loads a run of this store and the campaign as it was defined for it.
func (a *Activities) campaignOf(ctx context.Context, of steps.RunOf) (rows.Run, *campaigns.Campaign, error) {
	run, err := a.run(ctx, of)
	if err != nil {
		return run, nil, err
	}
	c, err := a.definition(ctx, run.Campaign, run.Version)
	if err == nil && a.Hosts != nil {
		err = a.rules.knownFor(ctx, run.ID, a.Hosts)
	}
	return run, c, err
}
