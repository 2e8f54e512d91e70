package planner

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
)

// Schedules is the part of client.ScheduleClient that is used.
type Schedules interface {
	List(ctx context.Context, options client.ScheduleListOptions) (client.ScheduleListIterator, error)
	Create(ctx context.Context, options client.ScheduleOptions) (client.ScheduleHandle, error)
	GetHandle(ctx context.Context, scheduleID string) client.ScheduleHandle
}

// Errors of Apply. Test with errors.Is.
var (
	// ErrMoved: the current state is not the one that the plan was made from.
	ErrMoved = errors.New("something moved since the plan was made")
	// ErrBlocked: something in the plan must be resolved first.
	ErrBlocked = errors.New("not applied")
)

// PerSecond is the limit of schedule requests a second to a shared server: what
// Temporal Cloud allows.
const PerSecond = 10

// Settings are what does not change from call to call.
type Settings struct {
	Instance workflows.Instance
	// PerSecond limits schedule requests; 0 means no limit, for a server on this
	// machine.
	PerSecond float64
	// Lookup returns fetchers' identities, hosts and secrets; nil: unknown, and plans
	// contain less.
	Lookup campaigns.Lookup
	Log    *slog.Logger // nil: discard
}

// Planner plans and applies. Concurrent use against one store is safe, but one call may
// be refused.
type Planner struct {
	store     *store.Store
	schedules Schedules
	settings  Settings
	pace      *pacer
	log       *slog.Logger
}

// New makes a Planner. c is a client's ScheduleClient.
func New(s *store.Store, c Schedules, settings Settings) *Planner {
	log := settings.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Planner{store: s, schedules: c, settings: settings, pace: newPacer(settings.PerSecond), log: log}
}

// Input is the loaded files and who applies them.
type Input struct {
	// Loaded must have no problems.
	Loaded *campaigns.Loaded
	Author string
	// Commit is the files' commit, if they are kept in git.
	Commit string
	Now    time.Time
	// Prune removes the project's campaigns that are no longer in any file.
	Prune bool
	// Adopt takes over schedules of the same name from another store.
	Adopt bool
}
