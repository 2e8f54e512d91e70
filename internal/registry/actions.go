package registry

import (
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Kind is what is done about a job.
type Kind string

// The kinds of actions, as a dry run prints them.
const (
	Create  Kind = "create"  // a campaign of a job that was not known
	Change  Kind = "change"  // a new definition
	Enable  Kind = "enable"  // the same, and it is due again
	Disable Kind = "disable" // the same, and its schedule is paused
	Restart Kind = "restart" // a new definition, and the run that goes on begins anew
	Run     Kind = "run"     // a run now
	Stop    Kind = "stop"    // the run that goes on is told to end
	Hold    Kind = "hold"    // it became something that is not supported: paused
	Close   Kind = "close"   // it is gone: its run is told to end, then its schedule goes
	Wait    Kind = "wait"    // a listing lacks it; the next one decides
	Leave   Kind = "leave"   // it cannot be followed as it is listed: it stays as it was
)

// Action is one thing that is done about one job.
type Action struct {
	Kind     Kind   `json:"action"`
	Job      string `json:"job"`
	Campaign string `json:"campaign"`
	Name     string `json:"name,omitempty"`
	Why      string `json:"why,omitempty"`
}

// Actions says what is to be done about a job, in the order in which it is done. It
// is pure: the same row gives the same actions until they are done.
func Actions(row rows.RegistryJob) ([]Action, error) {
	job, err := DecodeJob(row.Spec)
	if err != nil {
		return nil, err
	}
	act := func(kind Kind, why string) Action {
		return Action{Kind: kind, Job: row.ID, Campaign: row.Campaign, Name: job.Name, Why: why}
	}
	switch {
	case row.State == rows.JobRemoved:
		return nil, nil
	case row.State == rows.JobClosing:
		return []Action{act(Close, "two listings in a row lack it")}, nil
	case row.Missing > 0:
		return []Action{act(Wait, "one listing lacks it")}, nil
	case job.Unsupported != "" && row.Applied != "" && row.Applied != row.Listed:
		return []Action{act(Hold, job.Unsupported)}, nil
	case job.Unsupported != "" || row.Problem != "" && row.Listed == row.Applied:
		return []Action{act(Leave, row.Problem)}, nil
	}
	var out []Action
	if row.Listed != row.Applied {
		out = append(out, act(definition(row, job)))
	}
	if job.Stop != "" && row.Applied != "" && job.Stop != row.Stopped {
		out = append(out, act(Stop, "the registry asks for it"))
	}
	if job.Run != "" && job.Run != row.Ran {
		out = append(out, act(Run, "the registry asks for it"))
	}
	return out, nil
}

// definition says how a job's campaign is made.
func definition(row rows.RegistryJob, job Job) (Kind, string) {
	switch {
	case row.Applied == "" && !job.Enabled:
		return Create, "disabled"
	case row.Applied == "":
		return Create, ""
	case job.Restart:
		return Restart, "the registry asks for it"
	case !job.Enabled:
		return Disable, ""
	default:
		return Change, ""
	}
}

// Defines reports whether the action makes the job's campaign.
func (a Action) Defines() bool {
	switch a.Kind {
	case Create, Change, Enable, Disable, Restart:
		return true
	default:
		return false
	}
}
