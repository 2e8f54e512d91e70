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
		New: oaipmh.New, Source: s, IDs: s.ids(), Pages: pages,
		Params: func(base string) json.RawMessage {
			return json.RawMessage(`{"url":` + strconv.Quote(base+"/oai") + params + `}`)
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(newShelf(shelf{n: 25, size: 6, told: true}), 5, ""))
}

func TestConformanceInWindows(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(newShelf(shelf{n: 300, size: 50, days: true}), 5, `,"window":"month"`))
}

func TestConformanceOfLongResponses(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(newShelf(shelf{n: 1100, size: 1050, told: true}), 3, `,"granularity":"second"`))
}

var (
	_ harvest.Prober     = (*oaipmh.Fetcher)(nil)
	_ harvest.Splitter   = (*oaipmh.Fetcher)(nil)
	_ harvest.Counter    = (*oaipmh.Fetcher)(nil)
	_ harvest.Exhaustive = (*oaipmh.Fetcher)(nil)
	_ harvest.Resumer    = (*oaipmh.Fetcher)(nil)
)
