package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/process"
)

func TestTry(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	r := b.run("fetchers", "try", "feed", "-p", "url=https://x.example.org/?key=1", "-p", "pages=2")
	require.Equal(t, program.ExitOK, r.code, r.err)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	require.Len(t, lines, 4)
	var l rows.Line
	require.NoError(t, json.Unmarshal([]byte(lines[3]), &l))
	require.Equal(t, "d-2-2", l.ID)
	require.Equal(t, "feed", l.Fetcher)
	require.Contains(t, r.err, `checkpoint  {"Page":2}`)
	require.Contains(t, r.err, "done        4 documents · 4 listed · 2 pages · 0 requests")
	entries, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	require.Empty(t, entries, "a trial leaves nothing behind")
}

func TestTryGoesOnFromACheckpoint(t *testing.T) {
	t.Parallel()
	r := emptyBench(t).run("fetchers", "try", "feed", "-p", "url=x", "-p", "pages=2", "--checkpoint", `{"Page":1}`, "--limit", "1")
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Equal(t, 1, strings.Count(r.out, "\n"))
	require.Contains(t, r.out, `"id":"d-2-1"`)
}

func TestTryStopsWhereAListDoesNotEnd(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	r := b.run("fetchers", "try", "feed", "-p", "url=x", "-p", "pages=1000000")
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Equal(t, 100, strings.Count(r.out, "\n"))
	require.Contains(t, r.err, "done        100 documents · 100 listed · 50 pages")
	require.Contains(t, r.err, "stopped     at the limit")

	r = b.run("fetchers", "try", "feed", "-p", "url=x", "-p", "pages=1000000", "--limit", "100000")
	require.Contains(t, r.err, "200 documents · 200 listed · 100 pages", "a list of small pages ends too")
	require.Contains(t, r.err, "stopped")

	r = b.run("fetchers", "try", "feed", "-p", "url=x", "-p", "pages=120", "--limit", "0")
	require.Contains(t, r.err, "240 documents · 240 listed · 120 pages")
	require.NotContains(t, r.err, "stopped")
}

func TestTryEndsByItsOutcome(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.env["VENDEMMIA_SECRET_KEY"] = "s3cret"
	r := b.run("fetchers", "try", "feed", "-p", "url=https://x.example.org/a", "-p", "mode=blocked", "-p", "token=${secret:env:VENDEMMIA_SECRET_KEY}")
	require.Equal(t, program.ExitRunFailed, r.code)
	require.Contains(t, r.err, "blocked")
	require.Contains(t, r.err, "why         blocked: get https://x.example.org/a: HTTP status 403; ask the source")
	require.NotContains(t, r.err, "s3cret")

	r = b.run("fetchers", "try", "feed", "-p", "url=x", "-p", "mode=reject")
	require.Equal(t, program.ExitOK, r.code)
	require.Contains(t, r.err, `unreadable  x: date "31/02/2026"`)
	require.Equal(t, program.ExitWarnings, b.run("fetchers", "try", "feed", "-p", "url=x", "-p", "mode=reject", "--strict").code)

	r = b.run("fetchers", "try", "feed", "-p", "url=x", "-p", "token=${secret:env:VENDEMMIA_SECRET_NONE}")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "${secret:env:VENDEMMIA_SECRET_NONE}")
}

func TestTryIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := emptyBench(t).runIn(ctx, "fetchers", "try", "feed", "-p", "url=x", "-p", "mode=slow")
	require.Equal(t, program.ExitInterrupted, r.code)
	require.Contains(t, r.err, "cancelled")
}

func TestParamsFromAFile(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.file("p.json", `{"url": "https://x.example.org/", "pages": 3}`)
	r := b.run("fetchers", "try", "feed", "-p", "@p.json", "-p", "pages=1")
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Equal(t, 2, strings.Count(r.out, "\n"), "what comes later is stronger")
	require.Equal(t, program.ExitUsage, b.run("fetchers", "try", "feed", "-p", "@none.json").code)
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAPipeThatBreaksEndsTheTrial(t *testing.T) {
	t.Parallel()
	var err strings.Builder
	code := Main(t.Context(), program.Env{Fetchers: sampleSet(t), Env: process.Env{Args: []string{"fetchers", "try", "feed", "-p", "url=x"}, Stdout: brokenPipe{}, Stderr: &err, Dir: t.TempDir()}})
	require.Equal(t, program.ExitError, code)
	require.Contains(t, err.String(), "broken pipe")
}

func TestCampaignsTry(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.file("c.yaml", twoCampaigns)
	r := b.run("campaigns", "try", "c.yaml")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "which item? one of https://a.example.org/rss, https://b.example.org/1, https://b.example.org/2")
	r = b.run("campaigns", "try", "c.yaml", "https://b.example.org/2", "--limit", "1")
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Contains(t, r.err, "item        beta / feed / https://b.example.org/2")
	require.Contains(t, r.out, `"url":"https://b.example.org/2"`)
	require.Equal(t, program.ExitOK, b.run("campaigns", "try", "c.yaml", "--campaign", "alpha").code)
	require.Equal(t, program.ExitOK, b.run("campaigns", "try", "c.yaml", "alpha").code, "a campaign with one item stands for it")
	require.Contains(t, b.run("campaigns", "try", "c.yaml", "https://b.example.org/3").err, "did you mean https://b.example.org/")
}

func TestProbe(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	out := b.ok("probe", "https://www.some-news.example.org/rss")
	golden(t, "probe", out)
	_, yaml, _ := strings.Cut(out, "\n\n")
	yaml, _, _ = strings.Cut(yaml, "\nPut it into")
	b.file("c.yaml", yaml)
	require.Contains(t, b.ok("campaigns", "validate", "c.yaml"), "1 campaign in 1 file: nothing wrong.")

	r := b.run("probe", "https://other.example.org/")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "no fetcher knows this kind of source")
	require.Contains(t, b.run("probe", "https://down.example.org/").err, "no such host")
}

func TestInit(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	golden(t, "init", b.ok("init", "harvest"))
	require.Contains(t, b.ok("campaigns", "validate", "harvest/campaigns"), "1 campaign in 1 file: nothing wrong.")
	require.Contains(t, b.ok("config", "--config-file", "harvest/vendemmia.yaml"), "default")
	b.file("harvest/campaigns/main.yaml", "mine")
	require.Contains(t, b.ok("init", "harvest"), "kept  harvest/campaigns/main.yaml")
	text, err := os.ReadFile(b.dir + "/harvest/campaigns/main.yaml")
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}
