package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

const twoCampaigns = `project: law-monitor
defaults: { schedule: { time_zone: Europe/Rome } }
campaigns:
  alpha:
    description: The first
    schedule: every 2h
    fetcher: feed
    params: { url: "https://a.example.org/rss" }
  beta:
    schedule: daily at 18:00
    fetcher: feed
    split: true
    params:
      - { url: "https://b.example.org/1" }
      - { url: "https://b.example.org/2" }
`

func (b *bench) file(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(b.t, os.WriteFile(path, []byte(text), 0o644))
}

func TestPlanAndApply(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.ok("init")
	b.file("campaigns/main.yaml", twoCampaigns)

	r := b.run("campaigns", "plan", "--detailed-exit-code")
	require.Equal(t, program.ExitDifferences, r.code, r.err)
	require.Contains(t, r.out, "target   namespace default @ localhost:7233 · store sqlite\n         .vendemmia/vendemmia.db #7f3a")
	require.Contains(t, r.out, "+ alpha")
	narrow(t, r.out)
	require.Empty(t, b.engine.schedules.kept, "a plan changes nothing")

	out := b.ok("campaigns", "apply")
	require.Contains(t, out, "+ alpha  alpha@1 · schedule made")
	require.Len(t, b.engine.schedules.kept, 2)
	require.Contains(t, b.ok("campaigns", "apply"), "Nothing to do")
	require.Equal(t, program.ExitOK, b.run("campaigns", "plan", "--detailed-exit-code").code)
	require.Contains(t, b.ok("campaigns", "list"), "daily at 18:00")
	golden(t, "campaigns_show_origin", b.ok("campaigns", "show", "beta", "--origin"))
}

func TestApplyRefusesAPlanThatIsOld(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.ok("init")
	b.file("campaigns/main.yaml", twoCampaigns)
	r := b.run("campaigns", "apply", "--plan", "0000")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "moved")
	require.Empty(t, b.engine.schedules.kept)
}

func TestApplyAsksBeforeItTouchesAnotherMachine(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.ok("init")
	b.file("campaigns/main.yaml", twoCampaigns)
	b.engine.at = engine.Target{Address: "temporal.internal:7233", Namespace: "law"}

	r := b.run("campaigns", "apply")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "repeat with --yes")
	require.Contains(t, r.out, "target   namespace law @ temporal.internal:7233")

	b.asked, b.stdin = true, "n\n"
	require.Equal(t, program.ExitError, b.run("campaigns", "apply").code)
	require.Empty(t, b.engine.schedules.kept)

	b.stdin = "y\n"
	b.ok("campaigns", "apply")
	require.Len(t, b.engine.schedules.kept, 2)
}

func TestApplyWithoutAStore(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.file("campaigns/main.yaml", twoCampaigns)
	r := b.run("campaigns", "apply")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "there is no store here")
	require.NoDirExists(t, filepath.Join(b.dir, ".vendemmia"))
	b.ok("campaigns", "apply", "--create")
	require.Len(t, b.engine.schedules.kept, 2)
}

func TestApplyWithErrorsChangesNothing(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.ok("init")
	b.file("campaigns/main.yaml", "campaigns:\n  news: { procesors: 3, fetcher: feed, params: { url: x } }\n")
	r := b.run("campaigns", "apply")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.out, "did you mean processors?")
	require.Contains(t, r.out, "Nothing was changed.")
	require.Contains(t, r.out, "exit 2\n")
	require.Empty(t, b.engine.schedules.kept)
}

func TestPauseResumeDelete(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.ok("init")
	b.file("campaigns/main.yaml", twoCampaigns)
	b.ok("campaigns", "apply")

	out := b.ok("campaigns", "pause", "alpha", "--note", "feeds.csv under repair")
	require.Contains(t, out, "target   namespace default")
	require.Contains(t, out, `alpha  paused since 18:10 CEST by marta "feeds.csv under repair"`)
	require.True(t, b.engine.schedules.kept["campaign-alpha"].Schedule.State.Paused)
	require.Contains(t, b.ok("why", "alpha"), `alpha is paused by marta since 18:10 CEST: "feeds.csv under repair".`)

	b.ok("campaigns", "pause", "--all")
	b.ok("campaigns", "resume", "--all")
	require.True(t, b.engine.schedules.kept["campaign-alpha"].Schedule.State.Paused, "what slept on purpose sleeps on")
	require.False(t, b.engine.schedules.kept["campaign-beta"].Schedule.State.Paused)
	b.ok("campaigns", "resume", "alpha")
	require.False(t, b.engine.schedules.kept["campaign-alpha"].Schedule.State.Paused)

	require.Equal(t, program.ExitUsage, b.run("campaigns", "delete", "alpha").code, "it always asks")
	require.Contains(t, b.ok("campaigns", "delete", "alpha", "--yes"), "removed")
	require.NotContains(t, b.ok("campaigns", "list"), "alpha")
	require.Len(t, b.engine.schedules.kept, 1)
}
