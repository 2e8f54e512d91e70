package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/hostile"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// strange runs a campaign with an item for each address, and counts them.
func (h *house) strange(src *strange, name, fetcher, params, path string) int {
	h.t.Helper()
	list := "id,url\n"
	for n := range src.addresses {
		list += fmt.Sprintf("%s-%d,%s/%s/%d\n", name, n, src.URL, path, n)
	}
	h.write(name+".csv", list)
	h.write(name+".yaml", fmt.Sprintf("project: %[1]s\nhosts: { 127.0.0.1: { connections: 20 } }\ncampaigns:\n  %[1]s: { fetcher: %[2]s, params: { %[3]s }, split: { file: %[1]s.csv, key: id }, processors: 20, retry: [ { times: 0 } ], tolerate: { items: 100%% } }\n", name, fetcher, params))
	r := h.read("campaigns", "apply", name+".yaml", "--yes")
	require.Zero(h.t, r.code, r.errors)
	var sum steps.Summary
	if err := h.start(name+"-1", steps.Start{Campaign: name}).Get(h.within(5*time.Minute), &sum); err != nil {
		require.NotErrorIs(h.t, err, context.DeadlineExceeded, name)
		require.NotContains(h.t, err.Error(), "worker", name)
		h.t.Logf("%s: %s", name, err)
	}
	return len(src.addresses)
}

// allTried reports whether every run that is open has a try behind it.
func (h *house) allTried() bool {
	open, err := h.open().OpenRuns(h.t.Context())
	require.NoError(h.t, err)
	for _, r := range open {
		items, err := h.open().RunItems(h.t.Context(), r.ID, rows.ItemFilter{})
		require.NoError(h.t, err)
		if len(items) == 0 || items[0].Attempts == 0 {
			return false
		}
	}
	return true
}

// newBig serves a feed whose entry has a body of a megabyte that does not compress.
func newBig(t *testing.T) *httptest.Server {
	t.Helper()
	chance, body := newChance(t), make([]byte, 1<<20)
	for i := range body {
		body[i] = byte('!' + chance.IntN(90))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><id>t</id><entry><id>big</id><title>b</title><updated>2026-05-03T12:00:00Z</updated><content>%s</content></entry></feed>`, escaped(string(body)))
	}))
	t.Cleanup(s.Close)
	return s
}

func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes all
	return b.String()
}

// strange writes a hostile address into every place of an answer that holds one.
// It is the proxy of the workers, too: no name and no other host is ever asked.
type strange struct {
	*httptest.Server
	addresses []string
}

func newStrange(t *testing.T) *strange {
	t.Helper()
	s := &strange{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	s.addresses = hostile.Addresses(s.Listener.Addr().String())
	return s
}

// ServeHTTP answers /KIND/NUMBER with the address of that number.
func (s *strange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, number, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, err := strconv.Atoi(number)
	if err != nil || n >= len(s.addresses) || r.URL.IsAbs() {
		http.NotFound(w, r)
		return
	}
	to := s.addresses[n]
	switch text := escaped(to); kind {
	case "redirect":
		w.Header()["Location"] = []string{to}
		w.WriteHeader(http.StatusFound)
	case "moved":
		w.Header()["Location"] = []string{to}
		w.WriteHeader(http.StatusMovedPermanently)
	case "feed":
		fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="%[1]s"><title>t</title><id>%[1]s</id><link rel="self" href="%[1]s"/><link rel="next" href="%[1]s"/>`+
			`<entry><id>%[1]s</id><title>t</title><updated>2026-05-03T12:00:00Z</updated><link href="%[1]s"/><link rel="enclosure" href="%[1]s"/><content src="%[1]s"/></entry></feed>`, text)
	case "opml":
		fmt.Fprintf(w, `<opml version="2.0"><body><outline text="a" type="rss" xmlUrl="%s"/></body></opml>`, text)
	case "list":
		fmt.Fprintf(w, `<html><head><base href="%[1]s"></head><body><h1>t</h1><a class="row" href="%[1]s">a</a><a rel="next" href="%[1]s">n</a></body></html>`, text)
	case "oai":
		fmt.Fprintf(w, `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-05-03T16:00:00Z</responseDate><request>%[1]s</request><ListRecords><record><header><identifier>%[1]s</identifier><datestamp>2026-05-03</datestamp></header>`+
			`<metadata><dc xmlns="http://purl.org/dc/elements/1.1/"><identifier>%[1]s</identifier></dc></metadata></record></ListRecords></OAI-PMH>`, text)
	}
}

// Three workers, who each take every address there is in every place: none dies.
func TestSoakHostileAddresses(t *testing.T) {
	soak(t)
	src := newStrange(t)
	t.Setenv("HTTP_PROXY", src.URL)
	t.Setenv("HTTPS_PROXY", src.URL)
	h := newHouse(t)
	workers := h.fleet(3)
	items := 0
	for _, c := range []struct{ name, fetcher, params, path string }{
		{"redirects", "feed", "", "redirect"},
		{"moves", "web", "fields: { title: h1 }", "moved"},
		{"feeds", "feed", "", "feed"},
		{"lists", "web", `links: a.row, next: "a[rel=next]", fields: { title: h1 }`, "list"},
		{"repositories", "oaipmh", "granularity: day", "oai"},
	} {
		items += h.strange(src, c.name, c.fetcher, c.params, c.path)
	}
	runs := make([]client.WorkflowRun, len(src.addresses))
	for n, address := range src.addresses {
		params, err := json.Marshal(map[string]string{"url": address})
		require.NoError(t, err)
		runs[n] = h.start(fmt.Sprint("start-", n), steps.Start{Fetcher: []string{"feed", "web", "oaipmh"}[n%3], Params: params})
	}
	h.eventually("each has been asked for, or was refused", 5*time.Minute, h.allTried)
	for n, run := range runs {
		_ = h.client.CancelWorkflow(t.Context(), run.GetID(), "")                                                // one that waits for another try
		require.NotErrorIs(t, run.Get(h.within(5*time.Minute), nil), context.DeadlineExceeded, src.addresses[n]) // refused or failed is right
	}
	for i, w := range workers {
		require.True(t, alive(w), "worker %d has died", i)
		log, err := os.ReadFile(fmt.Sprintf("%s/worker-%d.log", h.dir, i+1))
		require.NoError(t, err)
		require.NotContains(t, string(log), "panic", "worker %d", i)
	}
	t.Logf("%d items and %d starts over %d addresses; three workers, none died", items, len(src.addresses), len(src.addresses))
}
