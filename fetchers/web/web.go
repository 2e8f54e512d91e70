// Package web acquires the pages of a site: what a list, a sitemap or a page
// itself names, read by CSS selectors. The README beside this file says what it
// yields.
package web

import (
	"net/http"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is what campaign files call this fetcher.
const Name = "web"

// Fetcher acquires web pages. It holds no state and may be used by many
// goroutines at once.
type Fetcher struct {
	client *http.Client
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client} }

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	return harvest.Description{
		Summary:  "reads pages, or the rows of lists, by CSS selectors; from lists with pagination or a sitemap",
		Params:   Params{},
		Identity: []string{"url"},
		Aliases:  []string{"html", "pages"},
	}
}
