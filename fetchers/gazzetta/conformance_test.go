package gazzetta_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/gazzetta"
	replica "github.com/vendemmia/vendemmia/internal/replica/gazzetta"
)

func date(month time.Month, d int) time.Time {
	return time.Date(2026, month, d, 0, 0, 0, 0, time.UTC)
}

// conformance is the list of thirty days, or, from a day on, the archive too.
func conformance(series, more string, today, from time.Time) fetchertest.Case {
	site := replica.New(replica.Config{Today: today, Acts: 2})
	if from.IsZero() {
		from = site.Recent()
	}
	return fetchertest.Case{
		New: gazzetta.New, Source: http.Handler(site), Pages: 4,
		IDs: replica.IDs(site.Issues(series, from, time.Time{})),
		Params: func(base string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"series":%q,"url":%q,"revisit":0%s}`, series, base, more))
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance("regioni", "", date(time.June, 13), time.Time{}))
}

func TestConformanceOfTheArchive(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance("corte_costituzionale", `,"from":"2026-03-30"`, date(time.June, 13), date(time.March, 30)))
}
