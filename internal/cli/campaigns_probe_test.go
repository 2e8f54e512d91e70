package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// archiveServer answers as archives do, each in its own way.
type archiveServer struct {
	*httptest.Server
	asked  atomic.Int64
	mu     sync.Mutex
	flying int
	most   int
}

func (s *archiveServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	s.mu.Lock()
	s.flying++
	s.most = max(s.most, s.flying)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.flying--
		s.mu.Unlock()
	}()
	facts := func(granularity, deleted, sets, earliest string) {
		fmt.Fprintf(w, `[{"name":"name","value":%q},{"name":"granularity","value":%q},{"name":"deletedRecord","value":%q},{"name":"sets","value":%q},{"name":"earliest","value":%q},{"name":"protocol","value":"2.0"}]`,
			"Archive of "+strings.Trim(r.URL.Path, "/"), granularity, deleted, sets, earliest)
	}
	switch r.URL.Path {
	case "/alpha":
		facts("YYYY-MM-DD", "persistent", "12", "1998-01-01")
	case "/beta":
		facts("YYYY-MM-DDThh:mm:ssZ", "no", "0", "2004-05-17T00:00:00Z")
	case "/gamma":
		facts("YYYY-MM-DD", "transient", "1,204", "2011-11-11")
	case "/page":
		fmt.Fprint(w, "<html>moved</html>")
	default:
		w.WriteHeader(http.StatusBadGateway)
	}
}

func newArchiveServer(t *testing.T) *archiveServer {
	t.Helper()
	s := &archiveServer{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// surveyed is a bench with a file of many archives.
func surveyed(t *testing.T, s *archiveServer) *bench {
	t.Helper()
	untrusted := httptest.NewUnstartedServer(s)
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	gone := httptest.NewServer(s)
	gone.Close()
	t.Cleanup(untrusted.Close)
	b := emptyBench(t)
	b.set = archiveSet(t)
	b.env["VENDEMMIA_SECRET_KEY"] = "s3cret"
	b.file("campaigns/main.yaml", strings.ReplaceAll(`project: library
campaigns:
  repositories:
    fetcher: oaipmh
    split:
      key: id
      items:
        - { id: alpha, url: SOURCE/alpha }
        - { id: alpha-maps, url: SOURCE/alpha, set: maps }
        - { id: beta, url: SOURCE/beta, token: "${secret:env:VENDEMMIA_SECRET_KEY}" }
        - { id: gamma, url: SOURCE/gamma }
        - { id: page, url: SOURCE/page }
        - { id: broken, url: "SOURCE/broken?key=s3cret" }
        - { id: certificate, url: `+untrusted.URL+`/alpha }
        - { id: gone, url: `+gone.URL+`/alpha }
        - { id: keyless, url: SOURCE/alpha, token: "${secret:env:VENDEMMIA_SECRET_NONE}" }
  news:
    fetcher: feed
    params: { url: "https://news.example.org/rss" }
`, "SOURCE", s.URL))
	return b
}

// steady takes out what differs from run to run, and keeps columns where they
// are.
func steady(text string) string {
	text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "127.0.0.1:40000")
	return regexp.MustCompile(`(?m)(none|1\.[23]) {2}( *\d+)`).ReplaceAllStringFunc(text, func(s string) string {
		return s[:4] + "  " + strings.Repeat(" ", len(s)-7) + "7"
	})
}

func TestValidateProbe(t *testing.T) {
	t.Parallel()
	s := newArchiveServer(t)
	b := surveyed(t, s)
	r := b.run("campaigns", "validate", "--probe", "--allow-network", "127.0.0.0/8")
	require.Equal(t, program.ExitError, r.code, r.err)
	require.Empty(t, r.err)
	golden(t, "campaigns_validate_probe", steady(r.out))
	for line := range strings.Lines(r.out) {
		require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 100, line)
	}
	require.NotContains(t, r.out, "s3cret")
	require.EqualValues(t, 5, s.asked.Load(), "each address once")
	require.LessOrEqual(t, s.most, 2, "two of a host at once")
	require.NoDirExists(t, b.dir+"/.vendemmia", "no store is made")
}

func TestValidateProbeForPrograms(t *testing.T) {
	t.Parallel()
	s := newArchiveServer(t)
	b := surveyed(t, s)
	r := b.run("campaigns", "validate", "--probe", "--allow-network", "127.0.0.0/8", "-o", "json")
	require.Equal(t, program.ExitError, r.code)
	var told []campaigns.ProbedItem
	require.NoError(t, json.Unmarshal([]byte(r.out), &told))
	require.Len(t, told, 10)
	by := map[string]campaigns.ProbedItem{}
	for _, it := range told {
		by[it.Item] = it
	}
	require.Equal(t, "yes", by["beta"].Answers)
	require.Equal(t, "none", by["beta"].TLS)
	require.Positive(t, by["beta"].FirstMS)
	require.Contains(t, by["beta"].Facts, harvest.Fact{Name: "deletedRecord", Value: "no"})
	require.Equal(t, "bad certificate", by["certificate"].TLS)
	require.Equal(t, "bad certificate", by["certificate"].Wrong)
	require.Equal(t, harvest.KindUnreachable, by["gone"].Kind)
	require.Equal(t, "not oaipmh", by["page"].Wrong)
	require.Contains(t, by["keyless"].Why, "${secret:env:VENDEMMIA_SECRET_NONE}")
	require.Len(t, strings.Split(strings.TrimSpace(b.run("campaigns", "validate", "--probe", "--allow-network", "127.0.0.0/8", "-o", "jsonl").out), "\n"), 10)
}

func TestValidateProbeWhenAllIsWell(t *testing.T) {
	t.Parallel()
	s := newArchiveServer(t)
	b := emptyBench(t)
	b.set = archiveSet(t)
	b.file("c.yaml", `{ campaigns: { one: { fetcher: oaipmh, params: { url: "`+s.URL+`/alpha" } } } }`)
	out := b.ok("campaigns", "validate", "c.yaml", "--probe", "--allow-network", "127.0.0.0/8")
	require.Contains(t, out, "1 item: 1 ok, 0 with problems, 0 not checked")
	require.NotContains(t, out, "\nwrong")

	r := b.run("campaigns", "validate", "c.yaml", "--probe")
	require.Equal(t, program.ExitError, r.code, "this machine is asked only when allowed")
	require.Contains(t, r.out, "--allow-network")

	b.file("c.yaml", `{ campaigns: { one: { fetcher: oaipmh, parms: {} } } }`)
	require.Equal(t, program.ExitUsage, b.run("campaigns", "validate", "c.yaml", "--probe").code, "files first")
}
