package cli

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/rollout"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Store is what commands ask of the data plane; a local database today.
type Store interface {
	storeNames
	campaignStore
	applyStore
	runStore
	itemStore
	checkpointStore
	documentStore
	failureStore
	outboxStore
	Close() error
}

type storeNames interface {
	ID() string
	// Feed names the line of change numbers, Restored begins another one.
	Feed(context.Context) (rows.Feed, error)
	Restored(ctx context.Context, by string) (epoch int64, ended int, err error)
	Verify(ctx context.Context, progress func(done, total int64)) ([]rows.Check, error)
	Address() string
	Schema(context.Context) (int64, error)
	Check(context.Context) error
	// Server is where the campaigns were applied to; the zero value: not known.
	Server(context.Context) (rows.Server, error)
	SetServer(context.Context, rows.Server) error
	Record(context.Context, rows.Event) error
	Events(ctx context.Context, on string, since time.Time, limit int) ([]rows.Event, error)
	Hosts(context.Context) ([]rows.Host, error)
	RestHost(ctx context.Context, host string, until time.Time, why string) error
	SlowHost(ctx context.Context, host string, gap time.Duration, why string) error
	PauseHost(ctx context.Context, host string, p *rows.Pause) error
}

type campaignStore interface {
	Campaigns(ctx context.Context, project string, removed bool) ([]rows.Campaign, error)
	Campaign(ctx context.Context, name string) (rows.Campaign, error)
	Definition(ctx context.Context, campaign string, version int) (rows.Definition, error)
	Definitions(ctx context.Context, campaign string) ([]rows.Definition, error)
	PauseCampaign(ctx context.Context, name string, p *rows.Pause) error
	RemoveCampaigns(ctx context.Context, names []string, by string) error
}

// applyStore is what package rollout asks beside.
type applyStore interface {
	Apply(context.Context, rows.Application) ([]rows.Applied, error)
	SaveList(ctx context.Context, digest string, list iter.Seq[rows.ListRow]) error
	List(ctx context.Context, digest string) iter.Seq2[rows.ListRow, error]
	Counts(ctx context.Context, campaign string) (rows.Counts, error)
}

type runStore interface {
	FindRun(ctx context.Context, ref string) (rows.Run, error)
	RunByRunID(ctx context.Context, runID string) (rows.Run, error)
	Runs(context.Context, rows.RunFilter) ([]rows.Run, error)
	OpenRuns(context.Context) ([]rows.Run, error)
	Totals(ctx context.Context, run int64) ([]rows.OutcomeCount, error)
	RunItems(ctx context.Context, run int64, f rows.ItemFilter) ([]rows.RunItem, error)
	Ledger(context.Context, rows.LedgerFilter) iter.Seq2[rows.LedgerLine, error]
}

type itemStore interface {
	Items(context.Context, rows.ItemsFilter) ([]rows.Item, error)
	Past(ctx context.Context, item harvest.Item, limit int) ([]rows.PastRun, error)
	PauseItem(ctx context.Context, item harvest.Item, p *rows.Pause) error
}

type checkpointStore interface {
	Checkpoints(context.Context, rows.CheckpointFilter) ([]rows.Checkpoint, error)
	SetCheckpoint(ctx context.Context, item harvest.Item, lane string, value json.RawMessage) error
	ResetCheckpoints(context.Context, rows.CheckpointFilter) (int, error)
}

type documentStore interface {
	Documents(context.Context, rows.DocumentFilter) iter.Seq2[rows.Document, error]
	Document(ctx context.Context, collection, id string) (rows.Document, error)
	History(ctx context.Context, collection, id string, bodies bool) ([]rows.Change, error)
	CountDocuments(ctx context.Context, f rows.DocumentFilter, by string) (map[string]int64, error)
	Changes(context.Context, rows.ChangeFilter) iter.Seq2[rows.Change, error]
	LastChange(context.Context) (int64, error)
	Blob(ctx context.Context, digest string) (io.ReadCloser, error)
}

type failureStore interface {
	Failures(context.Context, rows.FailureFilter) ([]rows.Failure, error)
	Failure(ctx context.Context, id int64) (rows.Failure, error)
	AcceptFailures(ctx context.Context, ids ...int64) error
}

type outboxStore interface {
	Messages(context.Context, rows.MessageFilter) ([]rows.Message, error)
	RetryMessages(ctx context.Context, ids ...int64) error
	DropMessages(ctx context.Context, ids ...int64) error
}

// Engine is what commands ask of the control plane.
type Engine interface {
	Target() engine.Target
	// NamespaceID tells namespaces apart, whatever the address they are reached by.
	NamespaceID(context.Context) (string, error)
	Check(context.Context) error
	Close()
	runEngine
	queueEngine
	scheduleEngine
	attributeEngine
}

type runEngine interface {
	Start(context.Context, engine.NewRun) (engine.Started, error)
	Wait(ctx context.Context, workflowID, runID string) (steps.Summary, error)
	Actions(ctx context.Context, workflowID, runID string) (int, error)
	Ended(ctx context.Context, workflowID string) (string, error)
	Failing(ctx context.Context, workflowID string) (string, error)
	Progress(ctx context.Context, workflowID string) (steps.ProgressOut, error)
	Cancel(ctx context.Context, workflowID, runID string) error
	Pause(ctx context.Context, workflowID string, in steps.PauseIn) error
	Resume(ctx context.Context, workflowID string, in steps.ResumeIn) error
	SetProcessors(ctx context.Context, workflowID string, in steps.SetProcessorsIn) error
	Skip(ctx context.Context, workflowID string, in steps.SkipItemIn) error
}

type queueEngine interface {
	Pollers(ctx context.Context, queue string) ([]engine.Poller, error)
	Workers(context.Context) ([]engine.Worker, error)
}

type scheduleEngine interface {
	Schedule(ctx context.Context, campaign string) (engine.Schedule, error)
	Schedules() rollout.Schedules
	Instance(ctx context.Context, store string) (workflows.Instance, error)
}

type attributeEngine interface {
	SearchAttributes(context.Context) (map[string]string, error)
	AddSearchAttributes(context.Context, []engine.Attribute) error
}
