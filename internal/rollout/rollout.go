package rollout

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows"
)

// dataStore is what is asked of the data plane.
type dataStore interface {
	Campaigns(ctx context.Context, project string, removed bool) ([]rows.Campaign, error)
	Definition(ctx context.Context, campaign string, version int) (rows.Definition, error)
	Apply(ctx context.Context, a rows.Application) ([]rows.Applied, error)
	SaveList(ctx context.Context, digest string, list iter.Seq[rows.ListRow]) error
	List(ctx context.Context, digest string) iter.Seq2[rows.ListRow, error]
	RemoveCampaigns(ctx context.Context, names []string, by string) error
	PauseCampaign(ctx context.Context, name string, p *rows.Pause) error
	Record(ctx context.Context, e rows.Event) error
	Hosts(ctx context.Context) ([]rows.Host, error)
	Runs(ctx context.Context, f rows.RunFilter) ([]rows.Run, error)
}

// counter is a store that can count what a campaign leaves behind.
type counter interface {
	Counts(ctx context.Context, campaign string) (rows.Counts, error)
}

// Schedules is the part of client.ScheduleClient that is used.
type Schedules interface {
	List(ctx context.Context, options client.ScheduleListOptions) (client.ScheduleListIterator, error)
	Create(ctx context.Context, options client.ScheduleOptions) (client.ScheduleHandle, error)
	GetHandle(ctx context.Context, scheduleID string) client.ScheduleHandle
}

// Errors of Apply. Test with errors.Is.
var (
	// ErrMoved: what is found is not what the plan was made from.
	ErrMoved = errors.New("something moved since the plan was made")
	// ErrBlocked: the plan holds something that must be settled first.
	ErrBlocked = errors.New("not applied")
)

// PerSecond is how many schedule requests a second a shared server is asked at
// most: what Temporal Cloud allows.
const PerSecond = 10

// Settings are what does not change from call to call.
type Settings struct {
	Instance workflows.Instance
	// PerSecond bounds schedule requests; 0 is as fast as they go, which is for
	// a server on this machine.
	PerSecond float64
	// Lookup tells fetchers' identities, hosts and secrets; nil: they are not
	// known, and plans say less.
	Lookup campaigns.Lookup
	Log    *slog.Logger // nil: discard
}

// Rollout plans and applies. Use one at a time against a store: two at once are
// safe, but one of them may be refused.
type Rollout struct {
	store     dataStore
	schedules Schedules
	settings  Settings
	pace      *pacer
	log       *slog.Logger
}

// New makes a Rollout. s is a *store.Store, c a client's ScheduleClient.
func New(s dataStore, c Schedules, settings Settings) *Rollout {
	log := settings.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Rollout{store: s, schedules: c, settings: settings, pace: newPacer(settings.PerSecond), log: log}
}

// Input is what files say, and who applies them.
type Input struct {
	// Loaded must be without problems.
	Loaded *campaigns.Loaded
	Author string
	// Commit is the files' commit, if they are kept in git.
	Commit string
	Now    time.Time
	// Prune removes the project's campaigns that are in no file any more.
	Prune bool
	// Adopt takes over schedules of the same name that belong to another store.
	Adopt bool
}
