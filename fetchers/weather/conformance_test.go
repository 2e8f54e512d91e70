package weather_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/weather"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/weather"
)

const places = `[{"name":"Genova","latitude":44.41,"longitude":8.93},{"name":"Roma","latitude":41.9,"longitude":12.5},` +
	`{"name":"Łódź","latitude":51.76,"longitude":19.46},{"name":"Oslo","latitude":59.91,"longitude":10.75},{"name":"Ushuaia","latitude":-54.8,"longitude":-68.3}]`

func names() []string { return []string{"Genova", "Roma", "Łódź", "Oslo", "Ushuaia"} }

func params(base, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"url":%q,"places":%s%s}`, base, places, more))
}

func hours() (ids []string) {
	for _, name := range names() {
		ids = append(ids, replica.New(replica.Config{}).Hours(name, 1)...)
	}
	return ids
}

func midnight() time.Time { return time.Date(2026, time.September, 1, 0, 0, 0, 0, time.UTC) }

// spoilt is a service of its own with a fault from the start.
func spoilt(f replica.Fault) http.Handler {
	s := replica.New(generous())
	s.Break(f)
	return s
}

// generous limits: the suite asks often, and limits have tests of their own.
func generous() replica.Config {
	return replica.Config{Limits: replica.Limits{Minutely: 1e9, Hourly: 1e9, Daily: 1e9}}
}

// The cases have no Growing: what a service lists is the hours ahead of each place, no
// more and no less whatever happens; an hour that comes to be is of the next run, and the
// one that passes leaves the list.

func TestConformance(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, fetchertest.Case{
		New: weather.New, Source: replica.New(generous()), Pages: 5, IDs: hours(),
		Params:  func(base string) json.RawMessage { return params(base, `,"days":1,"batch":2,"time_zone":"UTC"`) },
		Spoiled: spoilt(replica.Spoiled("precipitation", 3)), Withdrawn: spoilt(replica.Silent(3)),
	})
}

func TestConformanceOfMETNorway(t *testing.T) {
	t.Parallel()
	c := fetchertest.Case{
		New: weather.New, Source: replica.New(replica.Config{}), Pages: 5,
		Params: func(base string) json.RawMessage { return params(base, `,"service":"met-norway"`) },
		Spoiled: spoilt(replica.Changed(func(body []byte) []byte {
			return []byte(strings.Replace(string(body), `"details":{"air_temperature":`, `"details":{"odd":[],"air_temperature":`, 1))
		})),
	}
	for _, name := range names() {
		c.IDs = append(c.IDs, replica.New(replica.Config{}).METHours(name)...)
	}
	fetchertest.Run(t, c)
}
