package program

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/planner"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Store is the data plane of commands.
type Store = *store.Store

// Engine is what commands ask of the control plane.
type Engine interface {
	Target() engine.Target
	// NamespaceID tells namespaces apart, whatever the address they are reached by.
	NamespaceID(context.Context) (string, error)
	MakeNamespace(ctx context.Context, retention time.Duration) (made bool, err error)
	Check(context.Context) error
	Close()
	RunEngine
	QueueEngine
	scheduleEngine
	attributeEngine
	registryEngine
}

type RunEngine interface {
	Start(context.Context, engine.NewRun) (engine.Started, error)
	Wait(ctx context.Context, workflowID, runID string) (steps.Summary, error)
	Actions(ctx context.Context, workflowID, runID string) (int, error)
	Ended(ctx context.Context, workflowID, firstRunID string) (string, error)
	Failing(ctx context.Context, workflowID string) (string, error)
	Progress(ctx context.Context, workflowID string) (steps.ProgressOut, error)
	Cancel(ctx context.Context, workflowID, runID string) error
	Terminate(ctx context.Context, workflowID, runID, why string) error
	Planned(context.Context) ([]engine.Planned, error)
	Pause(ctx context.Context, workflowID string, in steps.PauseIn) error
	Resume(ctx context.Context, workflowID string, in steps.ResumeIn) error
	SetProcessors(ctx context.Context, workflowID string, in steps.SetProcessorsIn) error
	Skip(ctx context.Context, workflowID string, in steps.SkipItemIn) error
}

type QueueEngine interface {
	Pollers(ctx context.Context, queue string) ([]engine.Poller, error)
	Workers(context.Context) ([]engine.Worker, error)
	Unrouted(ctx context.Context, queue string) (deployment string, err error)
}

type scheduleEngine interface {
	Schedule(ctx context.Context, campaign string) (engine.Schedule, error)
	Schedules() planner.Schedules
	Instance(ctx context.Context, OpenedStore string) (workflows.Instance, error)
}

type attributeEngine interface {
	SearchAttributes(context.Context) (map[string]string, error)
	AddSearchAttributes(context.Context, []workflows.Attribute) error
}

type registryEngine interface {
	SyncRegistry(ctx context.Context, in steps.RegistryIn) (done steps.RegistryDone, failed string, err error)
}
