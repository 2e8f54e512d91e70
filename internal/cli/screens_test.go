package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// TestScreens shows every reader of the store to a person: what is in the golden
// files is what people see.
func TestScreens(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"runs_list":           {"runs", "list"},
		"runs_show":           {"runs", "show", "news"},
		"runs_show_before":    {"runs", "show", "news~1"},
		"campaigns_list":      {"campaigns", "list"},
		"campaigns_show":      {"campaigns", "show", "news"},
		"campaigns_export":    {"campaigns", "export", "weather"},
		"items_list":          {"items", "list", "--unhealthy"},
		"items_show":          {"items", "show", "nytimes-economy"},
		"failures_list":       {"failures", "list"},
		"failures_show":       {"failures", "show", "q-1"},
		"documents_list":      {"documents", "list", "--item", "ilsole24ore-norme", "--limit", "3"},
		"documents_get":       {"documents", "get", "https://feeds-11.example.org/ilsole24ore-norme/0"},
		"documents_history":   {"documents", "history", "https://feeds-01.example.org/feed-001/14"},
		"documents_diff":      {"documents", "diff", "https://feeds-01.example.org/feed-001/14"},
		"documents_count":     {"documents", "count", "--by", "kind"},
		"checkpoints_list":    {"checkpoints", "list", "--item", "feed-000"},
		"checkpoints_show":    {"checkpoints", "show", "feed-000"},
		"fetchers_list":       {"fetchers", "list"},
		"fetchers_show":       {"fetchers", "show", "rss"},
		"why_host":            {"why", "www.nytimes.com"},
		"hosts_list":          {"hosts", "list", "--limit", "5"},
		"hosts_show":          {"hosts", "show", "www.nytimes.com"},
		"config":              {"config"},
		"setup_print":         {"setup", "--print"},
		"runs_list_web":       {"runs", "list", "--web", "--campaign", "news", "--outcome", "failed,empty"},
		"runs_list_json":      {"runs", "list", "--limit", "1", "-o", "json"},
		"failures_list_jsonl": {"failures", "list", "-o", "jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.engine.actions = 145
			out := b.ok(args...)
			if name[len(name)-1] != 'l' && name != "setup_print" && name != "runs_list_web" && name != "runs_list_json" {
				narrow(t, out)
			}
			golden(t, name, out)
		})
	}
}

func TestRunsShowAddsUp(t *testing.T) {
	t.Parallel()
	out := newBench(t).ok("runs", "show", "news")
	for _, want := range []string{
		"WARNINGS: 2 of 133 items need attention", "due Sun 3 May 18:00 CEST, started 18:00:07 (jitter), took 3m14s",
		"2,732 listed: 214 new · 9 changed · 2,506 unchanged · 0 deleted · 3\n            quarantined", "139 requests (6 repeats), 49 x 304, 18.2 MiB, 61 hosts, 2 workers",
		"done           74   1,343    197        9  1,137    0     0", "throttled       1       0      0        0      0    0     0",
		"exit 0 (4 with --strict)",
	} {
		require.Contains(t, out, want)
	}
	require.NotContains(t, out, "Temporal action", "what the server did not tell is not made up")
}

func TestRunsShowStrict(t *testing.T) {
	t.Parallel()
	require.Equal(t, program.ExitWarnings, newBench(t).run("runs", "show", "news", "--strict").code)
}

func TestRunsShowAll(t *testing.T) {
	t.Parallel()
	out := newBench(t).ok("runs", "show", "news", "-a")
	require.Contains(t, out, "feed-130")
	require.NotContains(t, out, "all 133:")
	narrow(t, out)
}

func TestWorkers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	for _, w := range []rows.Worker{
		{Identity: "worker-b", Process: "1", Host: "harvest-2", Version: "0.4.0", Queues: []string{"vendemmia-control", "vendemmia-fetch"}, State: rows.WorkerWorking, Slots: 20, MemoryLimit: 512 << 20, MemoryMax: 400 << 20, MemoryUsed: 101 << 20},
		{Identity: "worker-c", Process: "2", Host: "harvest-3", Version: "0.4.0", Queues: []string{"library"}, State: rows.WorkerFull, Why: "memory: 410 MiB used, and above 400 MiB it takes no new item (--memory 80% of the limit of 512 MiB)", Slots: 20, MemoryMax: 400 << 20, MemoryUsed: 410 << 20},
	} {
		require.NoError(t, s.ReportWorker(t.Context(), w, time.Hour))
	}
	require.NoError(t, s.ReportWorker(t.Context(), rows.Worker{Identity: "dead", Queues: []string{"library"}}, -time.Hour))
	openWeather(rows.RunItem{Key: "a"}, nil)(b, s)
	_, err := s.Claim(t.Context(), rows.Claim{Run: 3, Shared: true, Epoch: 1, Worker: "worker-b", Max: 10, Now: utc(16, 1, 0)})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	golden(t, "workers", b.ok("workers"))
	require.Contains(t, b.ok("workers", "-o", "json"), `"used": 1`)

	require.Contains(t, b.run("workers", "drain", "worker-x").err, "did you mean worker-b?")
	require.Contains(t, b.ok("workers", "drain", "worker-b", "--note", "new kernel"), "worker-b  takes nothing new")
	require.Contains(t, b.ok("workers", "-o", "json"), `"note": "new kernel"`)
	require.Contains(t, b.ok("events"), "worker worker-b")
	b.ok("workers", "resume", "worker-b")
	require.NotContains(t, b.ok("workers", "-o", "json"), "new kernel")
}

// Who polls and does not report to this store is shown all the same.
func TestStrangersPoll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	golden(t, "workers_pollers", b.ok("workers"))
	b.engine.pollers = map[string][]engine.Poller{}
	require.Contains(t, b.ok("workers"), "No worker polls vendemmia-control, vendemmia-fetch, library; start one: worker")
	require.Equal(t, "[]\n", b.ok("workers", "-o", "json"))
	require.Contains(t, b.run("workers", "drain", "x").err, "no worker reports to this store")
}

// Workers that take nothing are the cause, by name.
func TestWhyWorkersTakeNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	openWeather(rows.RunItem{Key: "a"}, nil)(b, s)
	full := rows.Worker{Identity: "worker-a", Queues: []string{"vendemmia-control", "library"}, State: rows.WorkerFull, Why: "memory: 410 MiB used"}
	require.NoError(t, s.ReportWorker(t.Context(), full, time.Hour))
	out := b.ok("why", "weather")
	require.Contains(t, out, "no worker of library takes anything new.")
	require.Contains(t, out, "worker-a is full: memory: 410 MiB used")
	other := rows.Worker{Identity: "worker-b", Queues: full.Queues, State: rows.WorkerWorking}
	require.NoError(t, s.ReportWorker(t.Context(), other, time.Hour))
	require.NoError(t, s.Close())
	out = b.ok("why", "weather")
	require.NotContains(t, out, "takes anything new")
	require.Contains(t, out, "worker-a is full")
}
