package cli

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/planner"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// fakeEngine answers from its fields and remembers what it was told.
type fakeEngine struct {
	ended      string // how workflows have ended there; empty: they run
	failing    string // at what their steps fail
	unrouted   string // the deployment without a current version
	made       []time.Duration
	mu         sync.Mutex
	down       error // what dialling says
	at         engine.Target
	id         string // of the namespace
	schedule   engine.Schedule
	schedErr   error
	pollers    map[string][]engine.Poller // nil: one everywhere
	leaves     int                        // after so many looks nobody polls
	workers    []engine.Worker
	workersErr error
	attributes map[string]string
	addErr     error
	actions    int
	progress   steps.ProgressOut
	startErr   error
	taken      []string // ids of runs that there are already
	summary    steps.Summary
	waitErr    error
	wait       chan struct{} // nil: runs end at once
	tellErr    error
	started    []engine.NewRun
	told       []string
	planned    []engine.Planned
	added      []workflows.Attribute
	schedules  fakeSchedules
	queues     []string
	synced     steps.RegistryDone
	syncFailed string
}

func (f *fakeEngine) tell(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = append(f.told, what)
	return f.tellErr
}

func (f *fakeEngine) Target() engine.Target {
	if f.at.Address == "" {
		return engine.Target{Address: "localhost:7233", Namespace: "default"}
	}
	return f.at
}

func (f *fakeEngine) NamespaceID(context.Context) (string, error) { return f.id, nil }

func (f *fakeEngine) MakeNamespace(_ context.Context, retention time.Duration) (bool, error) {
	f.made = append(f.made, retention)
	return len(f.made) == 1, f.addErr
}

func (f *fakeEngine) Unrouted(context.Context, string) (string, error) { return f.unrouted, nil }

func (f *fakeEngine) Check(context.Context) error { return nil }

func (f *fakeEngine) Close() {}

func (f *fakeEngine) Start(_ context.Context, n engine.NewRun) (engine.Started, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, n)
	if slices.Contains(f.taken, n.ID) {
		return engine.Started{}, engine.ErrExists
	}
	return engine.Started{WorkflowID: n.ID, RunID: "r-new"}, f.startErr
}

func (f *fakeEngine) Wait(ctx context.Context, _, _ string) (steps.Summary, error) {
	if f.wait != nil {
		select {
		case <-ctx.Done():
			return steps.Summary{}, ctx.Err()
		case <-f.wait:
		}
	}
	return f.summary, f.waitErr
}

func (f *fakeEngine) Ended(context.Context, string, string) (string, error) { return f.ended, f.down }

func (f *fakeEngine) Failing(context.Context, string) (string, error) { return f.failing, f.down }

func (f *fakeEngine) Actions(context.Context, string, string) (int, error) {
	if f.actions == 0 {
		return 0, engine.ErrNotFound
	}
	return f.actions, nil
}

func (f *fakeEngine) Progress(context.Context, string) (steps.ProgressOut, error) {
	return f.progress, nil
}

func (f *fakeEngine) Cancel(_ context.Context, id, _ string) error { return f.tell("cancel " + id) }

func (f *fakeEngine) Terminate(_ context.Context, id, _, _ string) error {
	return f.tell("terminate " + id)
}

func (f *fakeEngine) Planned(context.Context) ([]engine.Planned, error) { return f.planned, f.down }

func (f *fakeEngine) Pause(_ context.Context, id string, in steps.PauseIn) error {
	return f.tell("pause " + id + " by " + in.By + ": " + in.Why)
}

func (f *fakeEngine) Resume(_ context.Context, id string, in steps.ResumeIn) error {
	return f.tell("resume " + id + " by " + in.By)
}

func (f *fakeEngine) SetProcessors(_ context.Context, id string, in steps.SetProcessorsIn) error {
	return f.tell("set " + id + " by " + in.By)
}

func (f *fakeEngine) Skip(_ context.Context, id string, in steps.SkipItemIn) error {
	return f.tell("skip " + id + " " + in.Key)
}

func (f *fakeEngine) asked(queue string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.queues, queue)
}

func (f *fakeEngine) Pollers(_ context.Context, queue string) ([]engine.Poller, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queues = append(f.queues, queue)
	if f.leaves > 0 && len(f.queues) > f.leaves {
		return nil, nil
	}
	if f.pollers == nil {
		return []engine.Poller{{Identity: "worker-a", LastSeen: moment()}}, nil
	}
	return slices.Clone(f.pollers[queue]), nil
}

func (f *fakeEngine) Workers(context.Context) ([]engine.Worker, error) {
	return f.workers, f.workersErr
}

func (f *fakeEngine) Schedule(context.Context, string) (engine.Schedule, error) {
	return f.schedule, f.schedErr
}

func (f *fakeEngine) Schedules() planner.Schedules { return &f.schedules }

func (f *fakeEngine) Instance(_ context.Context, store string) (workflows.Instance, error) {
	return workflows.Instance{Store: store}, nil
}

func (f *fakeEngine) SearchAttributes(context.Context) (map[string]string, error) {
	return f.attributes, nil
}

func (f *fakeEngine) AddSearchAttributes(_ context.Context, add []workflows.Attribute) error {
	if f.addErr != nil {
		return f.addErr
	}
	f.added = add
	for _, a := range add {
		if f.attributes == nil {
			f.attributes = map[string]string{}
		}
		f.attributes[a.Name] = a.Type
	}
	return nil
}

func (f *fakeEngine) SyncRegistry(_ context.Context, in steps.RegistryIn) (steps.RegistryDone, string, error) {
	return f.synced, f.syncFailed, f.tell("sync " + in.Registry)
}
