// Package feed acquires the entries of one RSS, RDF, Atom or JSON feed; the
// README beside this file says what it yields.
package feed

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/references"
)

// Name is what campaign files call this fetcher.
const Name = "feed"

// Params are the params of one feed.
type Params struct {
	URL        string `json:"url" address:"true" doc:"address of the feed" example:"https://www.example.org/news.xml"`
	OPML       string `json:"opml" address:"true" doc:"address of an OPML list of feeds, for split: {ask: opml}" example:"https://www.example.org/feeds.opml"`
	MaxEntries int    `json:"max_entries" doc:"read at most so many entries of the list, in its order; 0 is all" default:"0" example:"200"`
	MaxPages   int    `json:"max_pages" doc:"follow a paged feed over so many pages; 0 is all, 1 only the feed itself" default:"0" example:"1"`
	Encoding   string `json:"encoding" doc:"the charset, where the feed and its server are both wrong" example:"windows-1252"`
	Body       string `json:"body" doc:"what to keep as body: the content (full), the short description (summary) or nothing (none)" enum:"full,summary,none" default:"full"`
	BadDates   string `json:"bad_dates" doc:"an entry whose date cannot be read is set aside (reject) or kept without a date (keep)" enum:"reject,keep" default:"reject"`
	IDPrefix   string `json:"id_prefix" doc:"text put before every id, where a feed's ids are bare numbers that another feed could use too" example:"example.org:"`
}

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	switch {
	case p.URL == "" && p.OPML == "":
		return errors.New("url is required (or opml, for split: {ask: opml})")
	case p.MaxEntries < 0 || p.MaxPages < 0:
		return errors.New("max_entries and max_pages are 0 or more")
	}
	return errors.Join(checkAddress("url", p.URL), checkAddress("opml", p.OPML), checkEncoding(p.Encoding))
}

// checkAddress accepts what only the worker can resolve.
func checkAddress(name, address string) error {
	if address == "" || references.Has(address) {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New(name + " must be an address that starts with http:// or https://")
	}
	return nil
}

// Fetcher acquires feeds. It holds no state and may be used by many goroutines
// at once.
type Fetcher struct {
	client *http.Client
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client} }

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	return harvest.Description{
		Summary:  "reads the entries of an RSS, Atom, RDF or JSON feed",
		Params:   Params{},
		Identity: []string{"url"},
		Aliases:  []string{"rss", "atom", "RSS", "RssReader"},
		Protocol: true, // a person names the address, and it is meant for programs: nothing is crawled
	}
}
