package cli

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/polite"
)

func TestHostsPauseAndResume(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.ok("hosts", "pause", "feeds-01.example.org", "--note", "they migrate", "--until", "2d")
	require.Contains(t, out, `feeds-01.example.org  paused since`)
	require.Contains(t, out, `"they migrate" until`)
	require.Regexp(t, `(?m)^feeds-01.example.org +- +- +- +paused since`, b.ok("hosts", "list", "--unhealthy"))
	require.Contains(t, b.ok("hosts", "resume", "feeds-01.example.org"), "feeds-01.example.org  resumed")
	require.NotContains(t, b.ok("hosts", "list", "--unhealthy"), "feeds-01.example.org")
}

// Whoever resumes a host knows better than its Retry-After.
func TestHostsResumeEndsARest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Contains(t, b.ok("hosts", "show", "www.nytimes.com"), "rests until")
	b.ok("hosts", "resume", "www.nytimes.com")
	require.Regexp(t, `(?m)^state +open`, b.ok("hosts", "show", "www.nytimes.com"))
}

// A host in trouble is seen to be slow, and whoever resumes it ends that too.
func TestHostsThatAreSlowed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	for _, name := range []string{"feeds-01.example.org", "www.nytimes.com"} {
		require.NoError(t, s.SlowHost(t.Context(), name, 4*time.Second, "it answered 503"))
	}
	require.NoError(t, s.Close())
	require.Regexp(t, `(?m)^feeds-01.example.org .* slowed to 4s `, b.ok("hosts", "list", "--unhealthy"))
	require.Regexp(t, `(?m)^state +slowed to 4s\ngap +slowed to 4s since (.|\n)*it answered 503`, b.ok("hosts", "show", "feeds-01.example.org"))
	require.Regexp(t, `(?m)^gap +slowed to 4s since`, b.ok("hosts", "show", "www.nytimes.com"))
	b.ok("hosts", "resume", "feeds-01.example.org")
	require.Regexp(t, `(?m)^state +open`, b.ok("hosts", "show", "feeds-01.example.org"))
}

// What a host's robots.txt asks for is its gap, and who said so is shown.
func TestHostsThatAskForAGap(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	require.NoError(t, s.DelayHost(t.Context(), "feeds-01.example.org", 10*time.Second, time.Hour))
	require.NoError(t, s.Close())
	require.Regexp(t, `(?m)^feeds-01.example.org +10s `, b.ok("hosts", "list"))
	require.Contains(t, b.ok("hosts", "show", "feeds-01.example.org"), "10s after each answer (by its robots.txt)")
	require.Contains(t, b.ok("why", "feeds-01.example.org"), "10s after each answer, for all workers together (by its robots.txt)")
}

func TestHostsThatNobodyKnows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, verb := range []string{"show", "pause", "resume"} {
		r := b.run("hosts", verb, "www.nytime.com")
		require.Equal(t, program.ExitUsage, r.code)
		require.Contains(t, r.err, "did you mean www.nytimes.com?")
	}
	b.ok("hosts", "pause", "*", "--note", "our own network is down")
	require.Regexp(t, `(?m)^\* +1s .*paused since`, b.ok("hosts", "list"))
}

// A request's host, a rule's and an item's are one, however the address is written.
func TestOneNameOfAHost(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://www.example.org/a?b", "HTTP://WWW.Example.ORG.:8080/", "http://B\u00fccher.example/", "http://xn--bcher-kva.example/",
		"http://b%C3%BCcher.example/", "http://under_score.example/", "http://[2001:DB8:0::1]:80/", "http://127.0.0.1:1234/",
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, campaigns.HostOf(address), polite.Host(u), address)
	}
}
