package gazzetta_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/gazzetta"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
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
		Growing: growing(series, today),
	}
}

// growing is a site that publishes the next issue of a series with each call of grow.
func growing(series string, today time.Time) func() (source http.Handler, grow func() string) {
	return func() (http.Handler, func() string) {
		site, now := replica.New(replica.Config{Today: today, Acts: 2}), today
		return site, func() string {
			for before := len(site.Issues(series, today, time.Time{})); len(site.Issues(series, today, time.Time{})) == before; {
				now = now.AddDate(0, 0, 1)
				site.Publish(now)
			}
			issues := site.Issues(series, today, time.Time{})
			return issues[len(issues)-1].ID()
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance("regioni", "", date(time.June, 13), time.Time{}))
}

func TestConformanceOfTheArchive(t *testing.T) {
	t.Parallel()
	c := conformance("corte_costituzionale", `,"from":"2026-03-30"`, date(time.June, 13), date(time.March, 30))
	site := c.Source.(*replica.Site)
	issues := site.Issues("corte_costituzionale", date(time.March, 30), time.Time{})
	old, late := issues[0].Acts[0].Code, issues[len(issues)-2].Acts[0].Code
	without := replica.New(replica.Config{Today: date(time.June, 13), Acts: 2})
	without.Omit(old)
	without.Omit(late)
	c.Spoiled, c.Withdrawn = nameless(site, old, late), without
	fetchertest.Run(t, c)
}

// nameless is a site whose issues do not give the codes of some acts.
func nameless(site *replica.Site, codes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		body := rec.Body.String()
		if strings.Contains(body, "<h2>Sommario</h2>") {
			for _, code := range codes {
				body = strings.NewReplacer("codiceRedazionale="+code, "codiceRedazionale=", "("+code+")", "").Replace(body)
			}
		}
		maps.Copy(w.Header(), rec.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(rec.Code)
		io.WriteString(w, body) // the client may be gone
	})
}
