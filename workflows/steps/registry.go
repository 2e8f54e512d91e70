package steps

import "github.com/vendemmia/vendemmia/internal/temporalx"

// RegistryWorkflow is the workflow type's name.
const RegistryWorkflow = "RegistryWorkflow"

// What a RegistryWorkflow asks for, in its order. What is listed and decided is in the
// store: only counts cross.
var (
	ListJobs   = temporalx.Activity[RegistryIn, JobsListed]{Name: "ListJobs"}
	ApplyJobs  = temporalx.Activity[RegistryIn, JobsApplied]{Name: "ApplyJobs"}
	ReportJobs = temporalx.Activity[RegistryIn, JobsReported]{Name: "ReportJobs"}
)

// RegistryIn names the registry that is synced.
type RegistryIn struct {
	Registry string `json:"registry"`
	// Accept: what the listing lacks may go, however much it is.
	Accept bool `json:"accept,omitempty"`
	// Store is the id of the store that is meant; empty: whatever store the worker has.
	Store string `json:"store,omitempty"`
	// Holder names the sync, so that no two of one registry go on at once.
	Holder string `json:"holder,omitempty"`
}

// JobsListed is what came of asking a registry.
type JobsListed struct {
	Unchanged bool `json:"unchanged,omitempty"`
	Jobs      int  `json:"jobs"`
	Changed   int  `json:"changed,omitempty"` // rows
	Missing   int  `json:"missing,omitempty"`
	Problems  int  `json:"problems,omitempty"`
	Requests  int  `json:"requests"`
	// Warning is why the listing is not acted on, Error why there is none.
	Warning string `json:"warning,omitempty"`
	Error   string `json:"error,omitempty"`
	// Skipped: the registry is not there any more, or paused.
	Skipped string `json:"skipped,omitempty"`
}

// JobsApplied counts what was done about the jobs.
type JobsApplied struct {
	Created   int `json:"created,omitempty"`
	Changed   int `json:"changed,omitempty"`
	Held      int `json:"held,omitempty"`
	Started   int `json:"started,omitempty"`
	Stopped   int `json:"stopped,omitempty"`
	Closing   int `json:"closing,omitempty"`
	Removed   int `json:"removed,omitempty"`
	Problems  int `json:"problems,omitempty"`
	Unchanged int `json:"unchanged,omitempty"`
}

// JobsReported counts what the registry was told.
type JobsReported struct {
	Reported int    `json:"reported,omitempty"`
	Refused  int    `json:"refused,omitempty"`
	Error    string `json:"error,omitempty"`
}

// RegistryDone is a RegistryWorkflow's result.
type RegistryDone struct {
	Registry string       `json:"registry"`
	Listed   JobsListed   `json:"listed"`
	Applied  JobsApplied  `json:"applied"`
	Reported JobsReported `json:"reported"`
}
