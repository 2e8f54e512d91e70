package worker

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.uber.org/fx"

	"github.com/vendemmia/vendemmia/activities"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/lookup"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/internal/webhook"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// askTimeout bounds one question.
	askTimeout = 5 * time.Second
	// controlSlots is how many short steps run at once.
	controlSlots = 50
	// sendTimeout bounds one notification.
	sendTimeout = 20 * time.Second
	// usualHeartbeat needs not be told to workflows.
	usualHeartbeat = temporalx.HeartbeatTimeout
)

// stopping is what a worker does that was told to end.
const stopping = "is stopping"

// service is the worker itself: it waits for Temporal and the store, then takes work from the
// control queue and from each of its own.
type service struct {
	serviceParts
	doing   atomic.Pointer[string] // why it takes no work; "" when it does
	stop    context.CancelFunc
	done    sync.WaitGroup
	mu      sync.Mutex
	workers []worker.Worker
	steps   *activities.Activities // nil: not started
	roster  *roster
}

type serviceParts struct {
	Settings config.Settings
	Store    *store.Store
	Remote   remote
	Polite   *polite.Client
	Hosts    *hosts
	Fetchers fetchers.Set
	Metrics  *metrics
	Log      *slog.Logger
	Shutdown fx.Shutdowner
	Secrets  secrets.Resolver
	Env      process.Env
	Memory   memory
}

func newService(
	life fx.Lifecycle, settings config.Settings, opened *store.Store, r remote, p *polite.Client, h *hosts, f fetchers.Set, m *metrics,
	log *slog.Logger, shutdown fx.Shutdowner, known secrets.Resolver, env process.Env, mem memory,
) *service {
	s := &service{serviceParts: serviceParts{settings, opened, r, p, h, f, m, log, shutdown, known, env, mem}}
	s.roster = newRoster(s)
	s.does("not started yet")
	// The context of a start hook ends right after the start.
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	life.Append(fx.StartStopHook(func() { s.roster.start(); s.done.Go(func() { s.open(ctx) }) }, s.close))
	return s
}

func (s *service) does(what string) { s.doing.Store(&what) }

// state says why the worker takes no work; "" when it does.
func (s *service) state() string { return *s.doing.Load() }

// open waits for Temporal and the store, and starts to take work.
func (s *service) open(ctx context.Context) {
	if !s.wait(ctx) {
		return
	}
	switch err := s.waitStore(ctx); {
	case ctx.Err() != nil:
		return
	case err != nil:
		s.fail(fmt.Errorf("take no work: %w", err))
		return
	}
	s.does("starts to take work")
	names := s.attributes(ctx)
	s.housekeeping(ctx, workflows.Instance{Name: s.Settings.Instance, Store: s.Store.ID(), Attributes: names})
	s.steps = s.activities(names)
	if err := s.start(ctx, s.steps); err != nil {
		s.fail(err)
		return
	}
	if ctx.Err() == nil {
		s.does("")
		s.Log.Info("takes work", "queues", s.queues(), "item_slots", s.Settings.ItemSlots, "store", s.Store.Address(), "store_id", s.Store.ID(),
			"memory_limit", s.Memory.limit, "memory_max", s.Memory.max, "temporal", s.Remote.address, "namespace", s.Remote.namespace, "identity", s.Remote.identity, "version", s.Env.Version,
			"deployment", s.Settings.Deployment, "build", s.Settings.Build)
	}
}

// attributes asks once which of our search attributes the namespace has. Those
// that are absent are not used; everything works without them.
func (s *service) attributes(ctx context.Context) map[string]string {
	asking, cancel := context.WithTimeout(ctx, 4*askTimeout)
	defer cancel()
	types, err := temporalx.SearchAttributes(asking, s.Remote.Client, s.Remote.namespace)
	if err != nil {
		s.Log.Warn("could not ask for search attributes; works without them", "error", err)
		return nil
	}
	found, absent := map[string]string{}, []string{}
	for _, a := range workflows.Attributes() {
		switch name := s.Settings.Name(a.Name); {
		case name == "":
		case types[name] == a.Type:
			found[a.Name] = name
		default:
			absent = append(absent, name+" ("+a.Type+")")
		}
	}
	if len(absent) > 0 {
		s.Log.Warn("works without these search attributes; starter setup makes them", "absent", absent)
	}
	return found
}

// housekeeping makes sure that its schedule is there; whoever comes first makes
// it.
func (s *service) housekeeping(ctx context.Context, i workflows.Instance) {
	_, err := s.Remote.ScheduleClient().Create(ctx, workflows.HousekeepingSchedule(i))
	if err != nil && err != temporal.ErrScheduleAlreadyRunning && ctx.Err() == nil { // the SDK returns the very value
		s.Log.Warn("could not make the housekeeping schedule; runs that Temporal lost are not closed by themselves", "error", err)
	}
}

// client is the polite client of one item; whoever runs this worker answers for
// campaigns without an owner.
func (s *service) client(v visit.Visitor) *http.Client {
	v.Contact = cmp.Or(v.Contact, s.Settings.Contact)
	return s.Polite.HTTP(v)
}

func (s *service) queue(name string) string {
	return workflows.Instance{Name: s.Settings.Instance}.Queue(name)
}

// queues are the whole names of all this worker takes work from, control first
// where it takes that.
func (s *service) queues() []string {
	var names []string
	if s.Settings.Control {
		names = append(names, s.queue(steps.QueueControl))
	}
	for _, name := range s.Settings.Queues {
		if whole := s.queue(name); !slices.Contains(names, whole) {
			names = append(names, whole)
		}
	}
	return names
}

// ownQueues are those that it fetches for.
func (s *service) ownQueues() []string {
	return slices.DeleteFunc(s.queues(), func(name string) bool { return name == s.queue(steps.QueueControl) })
}

func (s *service) activities(names map[string]string) *activities.Activities {
	heartbeat := s.Settings.Heartbeat
	if heartbeat == usualHeartbeat {
		heartbeat = 0
	}
	known := lookup.Of(s.Fetchers)
	keeper := newKeeper(s.Remote, s.Store, workflows.Instance{Name: s.Settings.Instance, Store: s.Store.ID(), Attributes: names}, known, s.Log)
	return activities.New(activities.Deps{
		Resume: keeper.planner.Resume, Registries: keeper, Lookup: known,
		Store: s.Store, Fetchers: s.Fetchers, Client: s.client, Hosts: s.Hosts.read, Secrets: s.Secrets, Temporal: runs{s.Remote},
		Send: webhook.Sender{Client: s.Polite.HTTP(visit.Visitor{Contact: s.Settings.Contact, Timeout: sendTimeout})}, Meter: s.Metrics, Attributes: maps.Clone(names),
		Queue: s.queue, Heartbeat: heartbeat, ItemSlots: s.Settings.ItemSlots, Drain: s.Settings.Drain, Worker: string(s.Remote.identity), Log: s.Log, TakesNone: s.roster.doors.closed,
	})
}

// start begins to take work: workflows and steps on the control queue, steps on
// the others.
func (s *service) start(ctx context.Context, a *activities.Activities) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, queue := range s.queues() {
		if ctx.Err() != nil {
			return nil
		}
		slots, control := s.Settings.ItemSlots, queue == s.queue(steps.QueueControl)
		gate := temporalx.Door(s.roster.doors)
		if control {
			slots, gate = slots+controlSlots, s.roster.doors.all
		}
		w := worker.New(s.Remote.Client, queue, temporalx.WorkerOptions(temporalx.WorkerSettings{
			Identity: string(s.Remote.identity), Slots: slots, Drain: s.Settings.Drain, NoWorkflows: !control, Fatal: s.fail,
			Heartbeat: s.Settings.Heartbeat, Deployment: s.Settings.Deployment, Build: s.Settings.Build,
			Door: gate, WorkflowDoor: s.roster.doors.all,
		}))
		if control {
			workflows.Register(w)
		}
		a.Register(w)
		if err := w.Start(); err != nil {
			return fmt.Errorf("take work from queue %s: %w", queue, err)
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

// fail ends the process with an error.
func (s *service) fail(err error) {
	s.does("failed: " + err.Error())
	s.Log.Error("the worker cannot go on", "error", err)
	if err := s.Shutdown.Shutdown(fx.ExitCode(process.Error)); err != nil {
		s.Log.Error("could not shut down", "error", err)
	}
}

// close takes no more work and lets pages in work commit.
func (s *service) close() {
	s.does(stopping)
	s.stop()
	s.done.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var ending sync.WaitGroup
	for _, w := range s.workers {
		ending.Go(w.Stop)
	}
	ending.Wait()
	if s.steps != nil {
		s.steps.Flush()
	}
	s.roster.leave()
	s.Log.Info("stopped")
}
