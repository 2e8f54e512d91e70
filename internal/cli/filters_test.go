package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// names runs a command and returns one member of each of what it lists.
func names(b *bench, member string, args ...string) []string {
	b.t.Helper()
	var list []map[string]any
	require.NoError(b.t, json.Unmarshal([]byte(b.ok(append(args, "-o", "json")...)), &list))
	out := []string{}
	for _, one := range list {
		out = append(out, one[member].(string))
	}
	return out
}

// TestRunsListMoreFilters: what is queued, running and archived, by tag, trigger, why,
// text and attempts, in any order and page by page.
func TestRunsListMoreFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	goingOn(t, b)
	s := b.openStore()
	require.NoError(t, s.RecordRun(t.Context(), rows.Run{RunID: "r-m", WorkflowID: "weather-missed", Campaign: "weather", Trigger: "schedule", DueAt: utc(4, 20, 0), Outcome: outcomes.Missed, Why: "no worker, 100% down"}))
	require.NoError(t, s.Close())
	const first, second = "news-2026-05-03T14:00:00Z", newsRun
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--state", "queued"}, []string{"weather-10"}},
		{[]string{"--state", "running"}, []string{"weather-9"}},
		{[]string{"--state", "queued,running"}, []string{"weather-10", "weather-9"}},
		{[]string{"--state", "archived"}, []string{second, first, "weather-missed"}},
		{[]string{"--tag", "rss"}, []string{second, first}},
		{[]string{"--tag", "rss", "--tag", "news", "--skip", "1"}, []string{first}},
		{[]string{"--trigger", "schedule", "--campaign", "weather", "--state", "running"}, []string{"weather-9"}},
		{[]string{"--trigger", "hand"}, []string{}},
		{[]string{"--why", "NO WORKER"}, []string{"weather-missed"}},
		{[]string{"--why", "100%"}, []string{"weather-missed"}},
		{[]string{"--why", "1%d"}, []string{}},
		{[]string{"--text", "T14:00"}, []string{first}},
		{[]string{"--attempts", "4"}, []string{second}},
		{[]string{"--attempts", "5"}, []string{}},
		{[]string{"--sort", "took", "--state", "archived"}, []string{first, second, "weather-missed"}},
		{[]string{"--sort", "attempts", "--limit", "1"}, []string{second}},
		{[]string{"--sort", "items", "--reverse", "--state", "archived", "--limit", "1"}, []string{"weather-missed"}},
		{[]string{"--reverse", "--limit", "2"}, []string{"weather-missed", first}},
	} {
		require.Equal(t, c.want, names(b, "run", append([]string{"runs", "list"}, c.args...)...), c.args)
	}
}

// TestRunsListScheduled: the next run of each schedule, and how late one is.
func TestRunsListScheduled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	golden(t, "runs_list_scheduled", b.ok("runs", "list", "--state", "scheduled"))
	require.Equal(t, []string{"news"}, names(b, "campaign", "runs", "list", "--state", "scheduled", "--tag", "rss"))
	goingOn(t, b)
	require.Equal(t, []string{"weather", "news"}, names(b, "campaign", "runs", "list", "--state", "scheduled"))
	require.Equal(t, []string{"future", "future"}, names(b, "state", "runs", "list", "--state", "scheduled"), "the run of weather has begun")
	b.ok("campaigns", "pause", "news", "--note", "under repair")
	require.Equal(t, []string{"future", "paused"}, names(b, "state", "runs", "list", "--state", "scheduled"))
}

// TestFiltersThatNameNothing are errors with what there is.
func TestFiltersThatNameNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for want, args := range map[string][]string{
		"--state quued: not known; did you mean queued?":                       {"runs", "list", "--state", "quued"},
		"it goes with no other state":                                          {"runs", "list", "--state", "scheduled,running"},
		"--trigger cron: one of schedule, hand, retry":                         {"runs", "list", "--trigger", "cron"},
		"--sort size: one of started":                                          {"runs", "list", "--sort", "size"},
		"--tag rsss: no campaign has it; did you mean rss?":                    {"runs", "list", "--tag", "rsss"},
		"--tag nothing-like-it: no campaign has it; there are: news, rss":      {"items", "list", "--tag", "nothing-like-it"},
		"--attempts and --skip take numbers from 0":                            {"runs", "list", "--skip", "-1"},
		"--by year: one of collection, campaign, kind, item, day, week, month": {"documents", "count", "--by", "year"},
		"--outcome fine: one of":                                               {"items", "list", "--outcome", "fine"},
	} {
		r := b.run(args...)
		require.Equal(t, program.ExitUsage, r.code, args)
		require.Contains(t, r.err, want)
	}
}

func TestItemsListFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, []string{"nytimes-economy"}, names(b, "key", "items", "list", "--outcome", "throttled"))
	require.Equal(t, []string{"nytimes-economy"}, names(b, "key", "items", "list", "--text", "WWW.NYTIMES", "--tag", "rss"))
	require.Empty(t, names(b, "key", "items", "list", "--text", "no such thing"))
	require.Contains(t, b.ok("items", "list", "--text", "no such thing"), "No items match.\n")
}

// TestDocumentsByWeek: documents per item and week are one command.
func TestDocumentsByWeek(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	golden(t, "documents_count_week", b.ok("documents", "count", "--by", "campaign", "--by", "week", "--tag", "rss"))
	require.Contains(t, b.ok("documents", "count", "--by", "item,week", "-o", "jsonl"), `{"documents":17,"item":"news / feed / feed-001","week":"2026-W18"}`)
	require.Contains(t, b.ok("documents", "count", "--by", "day"), "2026-05-03")
	require.Equal(t, `{"2026-05":2518}`+"\n", b.ok("documents", "count", "--by", "month", "--until", "2026-05-03 16:10", "-o", "jsonl"))
	require.Equal(t, "0\n", b.ok("documents", "count", "--until", "2026-05-01"))
}
