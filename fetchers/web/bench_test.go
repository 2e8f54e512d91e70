package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/fetchers/web"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

const (
	crawlVariable = "VENDEMMIA_WEB_CRAWL" // how, and the address: makes the test binary a crawler
	peersVariable = "VENDEMMIA_BENCH_PEERS"
	crawlPages    = 10_000
	sideBySide    = 4
)

// crawled is what a crawler says of itself.
type crawled struct {
	Pages   int     `json:"pages"`
	Seconds float64 `json:"seconds"`
	PeakMiB float64 `json:"peak_mib"`
}

// BenchmarkCrawl fetches and extracts 10,000 pages of 20 kB with three selectors,
// each way as a process of its own against the same server: what the network
// alone can do, with the general parser, with goquery, ours, and, where
// VENDEMMIA_BENCH_PEERS is set, the peer of internal/testkit/bench/peers.
func BenchmarkCrawl(b *testing.B) {
	s := site.New(site.Config{Pages: 50, PerList: 50, Size: 20_000})
	all := site.New(site.Config{Pages: crawlPages, PerList: crawlPages})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/acts/"))
		if err != nil {
			all.ServeHTTP(w, r)
			return
		}
		r.URL.Path = site.Path(n % 50)
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	ways := []string{"get and discard", "get and parse", "get and goquery", "ours"}
	if os.Getenv(peersVariable) != "" {
		ways = append(ways, "colly")
	}
	for _, way := range ways {
		b.Run(way, func(b *testing.B) {
			command := crawler(b, way, server.URL)
			for b.Loop() {
				var out bytes.Buffer
				c := exec.CommandContext(b.Context(), command[0], command[1:]...)
				c.Env = append(os.Environ(), crawlVariable+"="+way+" "+server.URL)
				c.Stdout, c.Stderr = &out, os.Stderr
				require.NoError(b, c.Run())
				var got crawled
				_, text, _ := strings.Cut(out.String(), "crawled ")
				require.NoError(b, json.NewDecoder(strings.NewReader(text)).Decode(&got), out.String())
				require.Equal(b, crawlPages, got.Pages)
				b.ReportMetric(float64(got.Pages)/got.Seconds, "pages/s")
				b.ReportMetric(got.PeakMiB, "MiB")
				used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
				b.ReportMetric(float64(used.Microseconds())/crawlPages, "cpu-µs/page")
			}
		})
	}
}

// crawler is the command of one way.
func crawler(b *testing.B, way, address string) []string {
	b.Helper()
	if way != "colly" {
		return []string{os.Args[0], "-test.run", "^TestCrawler$", "-test.v"}
	}
	program := filepath.Join(b.TempDir(), "colly")
	out, err := exec.CommandContext(b.Context(), "go", "-C", "../../internal/testkit/bench/peers", "build", "-o", program, "./colly").CombinedOutput()
	require.NoError(b, err, "%s", out)
	return []string{program, address + "/list", strconv.Itoa(sideBySide)}
}

// TestCrawler is run by BenchmarkCrawl, as a process of its own.
func TestCrawler(t *testing.T) {
	way, address, ok := strings.Cut(os.Getenv(crawlVariable), " http")
	if !ok {
		t.Skip("for the benchmark")
	}
	address = "http" + address
	begun := time.Now()
	pages := 0
	switch way {
	case "ours":
		pages = crawlOurs(t, address)
	case "get and parse":
		pages = crawlPlain(t, address, func(r io.Reader) error { _, err := html.Parse(r); return err })
	case "get and goquery":
		pages = crawlPlain(t, address, readGoquery)
	default:
		pages = crawlPlain(t, address, func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err })
	}
	raw, err := json.Marshal(crawled{Pages: pages, Seconds: time.Since(begun).Seconds(), PeakMiB: peak()})
	require.NoError(t, err)
	fmt.Printf("crawled %s\n", raw)
}

const benchParams = `{"url":"BASE/list","links":"ul.acts a.also","fields":{"title":{"css":"h1.act__title","required":true},"published":{"css":"p.meta time"},` +
	`"amount":"span.amount","body":{"as":"none"}}}`

func crawlOurs(t *testing.T, address string) int {
	t.Helper()
	pages := 0
	_, err := harvest.Pump(t.Context(), web.New(client()), harvest.Request{Params: params(benchParams)(address), Attempt: 1}, harvest.CommitFunc(
		func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
			pages += len(p.Documents)
			return harvest.PageTally(&p), nil
		}))
	require.NoError(t, err)
	return pages
}

func client() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sideBySide}}
}

// readGoquery reads the three fields as one would by hand.
func readGoquery(r io.Reader) error {
	doc, err := goquery.NewDocumentFromReader(r)
	if err != nil {
		return err
	}
	if doc.Find("h1.act__title").First().Text() == "" || doc.Find("p.meta time").AttrOr("datetime", "") == "" || doc.Find("span.amount").First().Text() == "" {
		return fmt.Errorf("a field is missing")
	}
	return nil
}

func crawlPlain(t *testing.T, address string, read func(io.Reader) error) int {
	t.Helper()
	c := client()
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range sideBySide {
		wg.Go(func() {
			for n := range numbers {
				resp, err := c.Get(address + site.Path(n))
				if err == nil {
					err = read(resp.Body)
					resp.Body.Close() // it was read
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range crawlPages {
		numbers <- n
	}
	close(numbers)
	wg.Wait()
	return crawlPages
}

// peak is the most memory this process has had, in MiB; 0 where nobody says.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	n, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return n / 1024
}
