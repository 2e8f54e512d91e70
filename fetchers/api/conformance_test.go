package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/api"
	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/api"
)

const records = 70

// issues are params as the README has them; works those of Crossref.
func issues(base, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"url":%q,"query":{"per_page":25,"state":"all"},"primary_key":"$.id",
		"fields":{"title":"$.title","published":"$.created_at","url":"$.html_url","body":"$.body","labels":"$.labels[*].name"},
		"paginator":{"type":"header_link"}%s}`, base+replica.Repository, more))
}

const since = `,"incremental":{"cursor_path":"$.updated_at","start_param":"since"}`

func works(base, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"url":%q,"query":{"rows":25,"cursor":"*","filter":"from-index-date:{incremental.start_value}"},
		"data_selector":"$.message.items","primary_key":"$.DOI",
		"fields":{"title":"$.title[0]","published":"$.indexed['date-time']","url":"$.URL","authors":"$.author[*].family"},
		"paginator":{"type":"cursor","cursor_path":"$.message['next-cursor']"},
		"incremental":{"cursor_path":"$.indexed.timestamp","format":"date","lookback_window":"1d"}%s}`, base+replica.Works, more))
}

func dois(ids []string) (out []string) {
	for _, id := range ids {
		out = append(out, "10.5555/albo."+id)
	}
	return out
}

// growing is an API that gets another record, updated behind all others, with each call
// of grow.
func growing(id string) func() (source http.Handler, grow func() string) {
	return func() (http.Handler, func() string) {
		source, n := replica.New(replica.Config{Records: records}), records
		return source, func() string {
			rec := replica.Record{ID: 100 + n, Title: "Atto nuovo", Updated: replica.Beginning().Add(time.Duration(n) * time.Hour)}
			n++
			source.Put(rec)
			return fmt.Sprintf(id, rec.ID)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	c := replica.Config{Records: records}
	source, spoilt, without := replica.New(c), replica.New(c), replica.New(c)
	spoilt.Break(replica.Replaced(`"id":107,`, `"id":{"odd":107},`))
	without.Delete(107)
	fetchertest.Run(t, fetchertest.Case{
		New: api.New, Source: source, Pages: 3, IDs: source.Holds(), Spoiled: spoilt, Withdrawn: without, Growing: growing("%d"),
		Params: func(base string) json.RawMessage { return issues(base, "") },
	})
}

func TestConformanceOfIncremental(t *testing.T) {
	t.Parallel()
	c := replica.Config{Records: records}
	source, spoilt, without := replica.New(c), replica.New(c), replica.New(c)
	spoilt.Break(replica.Replaced(`"id":107,`, `"id":null,`))
	without.Delete(107)
	fetchertest.Run(t, fetchertest.Case{
		New: api.New, Source: source, Pages: 3, IDs: source.Holds(), Spoiled: spoilt, Withdrawn: without, Growing: growing("%d"),
		Params: func(base string) json.RawMessage { return issues(base, since) },
	})
}

// TestConformanceOfTheNewestFirst: what is new comes before what was read, and moves all
// others on.
func TestConformanceOfTheNewestFirst(t *testing.T) {
	t.Parallel()
	source := replica.New(replica.Config{Records: records})
	fetchertest.Run(t, fetchertest.Case{
		New: api.New, Source: source, Pages: 3, IDs: source.Holds(), Growing: growing("%d"),
		Params: func(base string) json.RawMessage {
			return json.RawMessage(strings.Replace(string(issues(base, since)), `"state":"all"`, `"direction":"desc"`, 1))
		},
	})
}

func TestConformanceOfCursors(t *testing.T) {
	t.Parallel()
	source := replica.New(replica.Config{Records: records})
	fetchertest.Run(t, fetchertest.Case{
		New: api.New, Source: source, Pages: 3, IDs: dois(source.Holds()), Growing: growing("10.5555/albo.%d"),
		Params: func(base string) json.RawMessage { return works(base, "") },
	})
}

func TestConformanceOfXML(t *testing.T) {
	t.Parallel()
	source := replica.New(replica.Config{Records: records})
	fetchertest.Run(t, fetchertest.Case{
		New: api.New, Source: source, IDs: source.Holds(), Growing: growing("%d"),
		Params: func(base string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"url":%q,"format":"xml","data_selector":"$.response.records.record","primary_key":"$['@id']","fields":{"title":"$.title","published":"$.date","tags":"$.Tag"}}`, base+"/xml"))
		},
	})
}
