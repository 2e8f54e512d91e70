package rows

import (
	"encoding/json"
	"fmt"
	"time"
)

// Registry is a web service that says what to harvest, and is told how it goes.
type Registry struct {
	Name   string        `json:"registry"`
	URL    string        `json:"url"`
	Format string        `json:"format"` // json, harvestables
	Every  time.Duration `json:"every"`
	// Header is sent with each request, "Authorization: Bearer ${secret:env:X}";
	// secrets as references.
	Header string `json:"header,omitempty"`
	// MaxRunning bounds the runs of its campaigns that go on at once, whoever started
	// them; 0: no bound.
	MaxRunning int       `json:"max_running,omitempty"`
	Paused     *Pause    `json:"paused,omitempty"`
	AddedAt    time.Time `json:"added_at"`
	AddedBy    string    `json:"added_by,omitempty"`
	RegistryLooks
}

// RegistryLooks is what came of asking a registry.
type RegistryLooks struct {
	// ETag and Modified are the validators of the last listing that was kept.
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
	// AskedAt is when it was last asked, ListedAt when that last brought a listing,
	// or the answer that nothing has changed.
	AskedAt  time.Time `json:"asked_at,omitzero"`
	ListedAt time.Time `json:"listed_at,omitzero"`
	// Error is why the last look brought nothing; Warning why a listing is not acted
	// on.
	Error   string `json:"error,omitempty"`
	Warning string `json:"warning,omitempty"`
	// Accepted names the set of missing jobs that somebody agreed to lose.
	Accepted string `json:"accepted,omitempty"`
}

// RegistryProject is the project of a registry's campaigns: it keeps them apart from
// those of files and of other registries.
func RegistryProject(registry string) string { return "registry " + registry }

// Place is what a run waits for whose registry bounds how many go on at once.
type Place struct {
	Registry string `json:"registry"`
	Max      int    `json:"max_running"`
	// Before counts the runs that wait and were due before it.
	Before int `json:"before"`
}

// Words says a place in line as people do: "for a place: registry house lets 2 run at
// once, 3 before it".
func (p Place) Words() string {
	return fmt.Sprintf("for a place: registry %s lets %d run at once, %s", p.Registry, p.Max, before(p.Before, "it"))
}

// WaitingText is what a registry is told of a job: "waiting, 3 before you".
func (p Place) WaitingText() string { return "waiting, " + before(p.Before, "you") }

func before(n int, whom string) string {
	if n == 0 {
		return "nobody before " + whom
	}
	return fmt.Sprintf("%d before %s", n, whom)
}

// JobState is where a job of a registry is.
type JobState string

// The states of a job. A closing one has gone from the registry and its run is told
// to end; a removed one has no schedule any more.
const (
	JobActive  JobState = "active"
	JobClosing JobState = "closing"
	JobRemoved JobState = "removed"
)

// RegistryJob is one job of a registry and what has become of it here.
type RegistryJob struct {
	Registry string   `json:"registry"`
	ID       string   `json:"job"`
	Campaign string   `json:"campaign"`
	State    JobState `json:"state"`
	// Spec is the job as last listed (registry.Job), Listed its digest; Applied is
	// the digest of the one that the campaign was made of; empty: none was.
	Spec    json.RawMessage `json:"spec,omitempty"`
	Listed  string          `json:"listed,omitempty"`
	Applied string          `json:"applied,omitempty"`
	// Missing counts the listings in a row that did not have it.
	Missing int `json:"missing,omitempty"`
	// Problem is why the job is not followed as it is listed.
	Problem string `json:"problem,omitempty"`
	// Stamp is the service's own mark of a change.
	Stamp string `json:"stamp,omitempty"`
	// Ran and Stopped are the last wishes for a run, and for its end, that were
	// fulfilled. Again names the run that must end before one is started with the new
	// definition.
	Ran     string `json:"ran,omitempty"`
	Stopped string `json:"stopped,omitempty"`
	Again   string `json:"again,omitempty"`
	// Reported is the digest of the last report that the service took, Sequence its
	// number; Refused is why it did not take the latest.
	Reported   string    `json:"reported,omitempty"`
	ReportedAt time.Time `json:"reported_at,omitzero"`
	Sequence   int64     `json:"sequence,omitempty"`
	Refused    string    `json:"refused,omitempty"`
}
