// Package api reads the records of a JSON or XML API that a campaign file describes:
// no program is written for it. The words are those of dlt's REST source and of
// Airbyte's declarative connectors.
package api

import (
	"net/http"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is the name campaign files use.
const Name = "api"

// Fetcher acquires records. It holds no state and may be used by many goroutines at
// once.
type Fetcher struct {
	client *http.Client
	now    func() time.Time
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client, now: time.Now} }

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	return harvest.Description{
		Summary: "reads the records of a JSON or XML API, described by params", Params: Params{}, Identity: []string{"url"}, Protocol: true,
	}
}
