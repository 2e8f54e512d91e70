package workflows

import (
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Register installs the workflows under the names that histories keep. Workers,
// test environments and the replayer take them alike.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(Campaign, workflow.RegisterOptions{Name: steps.CampaignWorkflow})
	r.RegisterWorkflowWithOptions(Registry, workflow.RegisterOptions{Name: steps.RegistryWorkflow})
	r.RegisterWorkflowWithOptions(Housekeeping, workflow.RegisterOptions{Name: HousekeepingWorkflow})
}
