package registry

import (
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
)

// Job is one job as a registry lists it, in the words of a campaign file.
type Job struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Enabled bool   `json:"enabled"`
	// Timing is what would stand under `schedule`: a text or a map; empty: the job
	// runs only when the registry asks for it.
	Timing  json.RawMessage `json:"timing,omitempty"`
	Fetcher string          `json:"fetcher,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	// Policies are further keys of the campaign: those that Policies lists.
	Policies map[string]json.RawMessage `json:"policies,omitempty"`
	Owner    string                     `json:"owner,omitempty"`
	Tags     []string                   `json:"tags,omitempty"`
	// Run is a wish for a run now, also of a job that is disabled; another value is
	// another wish, an empty one is none.
	Run string `json:"run,omitempty"`
	// Restart: when the definition changes, a run that is going on is told to end and
	// begins anew. Else it keeps the definition that it has.
	Restart bool `json:"restart,omitempty"`
	// Stop names a wish that the run going on ends; another value is another wish.
	Stop string `json:"stop,omitempty"`
	// Stamp is the service's own mark of a change.
	Stamp string `json:"stamp,omitempty"`
	// Type is the service's word for the kind of job, where it has one.
	Type string `json:"type,omitempty"`
	// Unsupported says why the job is listed and not run; "" where it is run.
	Unsupported string `json:"unsupported,omitempty"`
}

// PolicyKeys are the keys of a campaign that a job may say beside its own.
func PolicyKeys() []string {
	return []string{"expect", "keep", "priority", "processors", "refresh", "retry", "timeouts", "tolerate"}
}

// Digest names what the job's campaign is made of: wishes and marks are no part.
func (j Job) Digest() string {
	j.Run, j.Stop, j.Stamp, j.Restart = "", "", "", false
	raw, err := json.Marshal(j)
	if err != nil { // raw messages that were decoded once
		return fmt.Sprintf("%+v", j)
	}
	return harvest.Digest(raw)
}

// Encode is the job as it is kept.
func (j Job) Encode() (json.RawMessage, error) {
	raw, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("keep job %s: %w", j.ID, err)
	}
	return raw, nil
}

// DecodeJob reads what Encode wrote.
func DecodeJob(raw json.RawMessage) (Job, error) {
	var j Job
	if len(raw) == 0 {
		return j, nil
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return j, fmt.Errorf("read a kept job: %w", err)
	}
	return j, nil
}

// Body is the job as it would stand under its name in a campaign file.
func (j Job) Body() (json.RawMessage, error) {
	entry := map[string]any{"fetcher": j.Fetcher}
	if len(j.Params) > 0 {
		entry["params"] = j.Params
	}
	body := map[string]any{"fetchers": []any{entry}}
	for key, value := range j.Policies {
		body[key] = value
	}
	for key, value := range map[string]string{"description": j.Name, "owner": j.Owner} {
		if value != "" {
			body[key] = value
		}
	}
	if len(j.Tags) > 0 {
		body["tags"] = j.Tags
	}
	if len(j.Timing) > 0 {
		body["schedule"] = j.Timing
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("make the campaign of job %s: %w", j.ID, err)
	}
	return raw, nil
}
