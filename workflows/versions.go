package workflows

import "go.temporal.io/sdk/workflow"

// A change is a guard in force: code of a workflow that takes another way than
// histories recorded before it. docs/change-a-workflow.md has the procedure.
//
// Every guard has a name that says what changed, and a day after which no run
// of before can be open; then the guard and its old branch go away.
type change struct {
	name  string
	until string // 2027-01-31
}

// changes are the guards in force, the oldest first.
func changes() []change { return nil }

// happened reports whether this run began with the change, or met it later at a
// point where it makes no difference. It is asked at the place that changed.
func (c change) happened(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, c.name, workflow.DefaultVersion, 1) != workflow.DefaultVersion
}
