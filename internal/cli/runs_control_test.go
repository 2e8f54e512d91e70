package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// openRuns puts running runs into the bench's store.
func (b *bench) openRuns(list ...rows.Run) {
	b.t.Helper()
	s := b.openStore()
	for _, r := range list {
		r.RunID, r.Version, r.StartedAt = "r-"+r.WorkflowID, 1, moment()
		_, err := s.OpenRun(b.t.Context(), rows.NewRun{Run: r})
		require.NoError(b.t, err)
	}
	require.NoError(b.t, s.Close())
}

func TestTriggerForLater(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.ok("trigger", "news", "--in", "2h")
	require.Contains(t, out, "run      news-2026-05-03T18:10:00Z")
	require.Contains(t, out, "starts   Sun 3 May 20:10 CEST; take it back: starter runs cancel news-2026-05-03T18:10:00Z")
	require.Equal(t, moment().Add(2*time.Hour), b.engine.started[0].Start.At)
	b.ok("trigger", "news", "--at", "23:30")
	require.Equal(t, "news-2026-05-03T21:30:00Z", b.engine.started[1].ID)
	for says, args := range map[string][]string{
		"is not ahead of now":       {"--at", "07:00"},
		"not a length of time":      {"--in", "-2h"},
		"write one such as 2h":      {"--in", "0s"},
		"one run starts once":       {"--at", "23:30", "--in", "2h"},
		"not a time; write 07:12, ": {"--at", "soon"},
	} {
		r := b.run(append([]string{"trigger", "news"}, args...)...)
		require.Equal(t, program.ExitUsage, r.code, says)
		require.Contains(t, r.err, says)
	}
	require.Contains(t, b.ok("events", "--on", "news-2026-05-03T18:10:00Z"), "for 2026-05-03T18:10:00Z")
}

func TestPlannedRunsAreListedAndTakenBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Contains(t, b.ok("runs", "planned"), "No run is planned.")
	b.engine.planned = []engine.Planned{{WorkflowID: "news-2026-05-03T18:10:00Z", RunID: "r", At: moment().Add(2 * time.Hour), Asked: moment()}}
	golden(t, "runs_planned", b.ok("runs", "planned"))
	out := b.ok("runs", "cancel", "news-2026-05-03T18:10:00Z", "--note", "too early")
	require.Contains(t, out, "taken back: it was to start at Sun 3 May 20:10 CEST")
	require.Equal(t, []string{"terminate news-2026-05-03T18:10:00Z"}, b.engine.told)
	require.Contains(t, b.ok("events", "--verb", "cancel"), "too early")
	require.Contains(t, b.run("runs", "cancel", "news-2026-05-03T19:00:00Z").err, "there is no such run")
}

func TestCancelSeveralRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.openRuns(rows.Run{WorkflowID: "weather-9", Campaign: "weather"}, rows.Run{WorkflowID: "news-9", Campaign: "news"})
	r := b.run("runs", "cancel", "--all")
	require.Equal(t, program.ExitUsage, r.code, "it asks")
	require.Contains(t, r.err, "cancel 2 runs: ")
	require.Empty(t, b.engine.told)

	require.Contains(t, b.ok("runs", "cancel", "--tag", "rss", "--yes"), "news-9  asked to stop at its next page")
	require.Equal(t, []string{"cancel news-9"}, b.engine.told, "weather has no such tag")
	b.ok("runs", "cancel", "--campaign", "weather", "--yes", "--note", "wrong list")
	require.Equal(t, "cancel weather-9", b.engine.told[1])
	b.ok("runs", "cancel", "--all", "--yes")
	require.Len(t, b.engine.told, 4)
	require.Contains(t, b.ok("events", "--on", "weather-9"), "wrong list")
}

func TestWhatDoesNotStopIsTerminated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.openRuns(rows.Run{WorkflowID: "weather-9", Campaign: "weather"})
	r := b.run("runs", "cancel", "weather-9", "--after", "50ms", "-o", "json")
	require.Equal(t, program.ExitOK, r.code, r.err)
	var done map[string]string
	require.NoError(t, json.Unmarshal([]byte(r.out), &done))
	require.Equal(t, "terminate", done["done"])
	require.Equal(t, []string{"cancel weather-9", "terminate weather-9"}, b.engine.told)
	require.Contains(t, b.ok("events", "--verb", "terminate"), "weather-9")
}

func TestCancelNamesRunsOneWay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for says, args := range map[string][]string{
		"name runs in one way":            {},
		"RUN, --all, --campaign NAME":     {"news", "--all"},
		"no campaign has this tag":        {"--tag", "nobody"},
		"campaign nobody":                 {"--campaign", "nobody"},
		"\"soon\" is not a duration":      {"news", "--after", "soon"},
		"it ended at Sun 3 May 18:03 CES": {"news"},
	} {
		r := b.run(append([]string{"runs", "cancel"}, args...)...)
		require.NotEqual(t, program.ExitOK, r.code, says)
		require.Contains(t, r.err, says)
	}
	require.Contains(t, b.ok("runs", "cancel", "--all"), "No run of that kind is going on.")
}

func TestRetryOnlyWhatFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("runs", "retry", "news", "--failed", "-d")
	require.NotEmpty(t, b.engine.started[0].Start.Items, "named: those that were cancelled stay out")
	require.Equal(t, newsRun, b.engine.started[0].Start.RetryOf)
	require.Contains(t, b.run("runs", "retry", "news", "--failed", "--outcome", "throttled").err, "give one of them")
	require.Contains(t, b.ok("events", "--verb", "retry", "-o", "json"), "of news-2026-05-03T16:00:00Z")
}

func TestEvents(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	for i, e := range []rows.Event{
		{By: "marta", Verb: "apply", On: "news", Note: "news@2"},
		{By: "ilse", Verb: "pause", On: "news", Note: "new firewall"},
		{By: "ilse", Verb: "set checkpoint", On: "news / feed / ansa", Note: `{"from":"2026-05-01"}`},
		{By: "marta", Verb: "cancel", On: "weather-9"},
		{Verb: "looked for missed", On: "housekeeping"},
	} {
		e.At = moment().Add(time.Duration(i-60) * time.Minute)
		require.NoError(t, s.Record(t.Context(), e))
	}
	require.NoError(t, s.Close())
	golden(t, "events", b.ok("events"))
	require.Equal(t, 3, strings.Count(b.ok("events", "--on", "news", "-o", "jsonl"), "\n"), "its items too")
	require.Equal(t, 2, strings.Count(b.ok("events", "--by", "ilse", "-o", "jsonl"), "\n"))
	require.Equal(t, 1, strings.Count(b.ok("events", "--verb", "pause", "--verb", "apply", "--limit", "1", "-o", "jsonl"), "\n"))
	require.Contains(t, b.ok("events", "--all"), "housekeeping")
	require.Contains(t, b.ok("events", "--since", "1m"), "No event matches.")
}
