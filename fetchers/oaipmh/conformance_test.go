package oaipmh_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
)

func conformance(s *shelf, pages int, params string) fetchertest.Case {
	return fetchertest.Case{
		New: oaipmh.New, Source: s, IDs: s.ids(), Pages: pages, Growing: s.growing,
		Params: func(base string) json.RawMessage {
			return json.RawMessage(`{"url":` + strconv.Quote(base+"/oai") + params + `}`)
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 25, size: 6, told: true})
	c := conformance(s, 5, "")
	c.Spoiled, c.Withdrawn = s.with(spoiledMetadata, 3, 4, 20), s.with(withdrawn, 3, 4, 20)
	fetchertest.Run(t, c)
}

func TestConformanceInWindows(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 300, size: 50, days: true, frozen: true})
	c := conformance(s, 5, `,"window":"month"`)
	c.Spoiled, c.Withdrawn = s.with(nameless, 3, 100), s.with(withdrawn, 3, 100)
	fetchertest.Run(t, c)
}

func TestConformanceOfLongResponses(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 1100, size: 1050, told: true, frozen: true})
	c := conformance(s, 3, `,"granularity":"second"`)
	c.Spoiled, c.Withdrawn = s.with(undated, 3, 1080), s.with(withdrawn, 3, 1080)
	fetchertest.Run(t, c)
}

var (
	_ harvest.Prober     = (*oaipmh.Fetcher)(nil)
	_ harvest.Splitter   = (*oaipmh.Fetcher)(nil)
	_ harvest.Exhaustive = (*oaipmh.Fetcher)(nil)
	_ harvest.Resumer    = (*oaipmh.Fetcher)(nil)
)
