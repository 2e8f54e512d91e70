// Package oaipmh harvests the records of an OAI-PMH 2.0 repository; the README
// beside this file says what it yields.
package oaipmh

import (
	"net/http"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is what campaign files call this fetcher.
const Name = "oaipmh"

// Fetcher harvests repositories. It holds no state and may be used by many
// goroutines at once.
type Fetcher struct {
	client *http.Client
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client} }

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	return harvest.Description{
		Summary:  "harvests the records of an OAI-PMH repository, or of one of its sets",
		Params:   Params{},
		Identity: []string{"url", "set", "prefix"},
		Aliases:  []string{"OAI-PMH", "oai-pmh", "oai"},
		Protocol: true,
	}
}

// Exhaustive is harvest.Exhaustive: without a checkpoint everything is listed,
// within the bounds that the params name.
func (f *Fetcher) Exhaustive() {}
