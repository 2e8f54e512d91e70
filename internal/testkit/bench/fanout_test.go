package bench

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	_ "modernc.org/sqlite"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// inFlight is how many items are in work at a time.
const inFlight = 500

// size is how many items: VENDEMMIA_BENCH_ITEMS, else 100,000.
func size(b *testing.B) int {
	b.Helper()
	if text := os.Getenv("VENDEMMIA_BENCH_ITEMS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(b, err)
		return n
	}
	return 100_000
}

// BenchmarkFanOut runs a campaign of one-page items through the real server, the
// real worker and SQLite, and reports items a second from the start of the run
// to its end, events of history an item, and the worker's peak memory.
func BenchmarkFanOut(b *testing.B) {
	for b.Loop() {
		fanOut(b, size(b))
	}
}

func fanOut(b *testing.B, items int) {
	dir := b.TempDir()
	starter, worker := build(b, dir)
	h := up(b, dev.HouseOptions{
		Dir: filepath.Join(dir, "house"), Worker: worker, Store: "bench.db", Name: "bench-1",
		Args: []string{"--item-slots", strconv.Itoa(inFlight), "--log-level", "info"},
	})
	defer func() { require.NoError(b, h.Down()) }()
	apply(b, starter, h, pulses(b, dir, items))

	c, err := temporalx.Dial(b.Context(), temporalx.Target{Address: h.Server.Address, Alone: true})
	require.NoError(b, err)
	defer c.Close()
	run, err := c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: "pulse-1", TaskQueue: steps.QueueControl}, steps.CampaignWorkflow, steps.Start{Campaign: "pulse"})
	require.NoError(b, err)
	var sum steps.Summary
	require.NoError(b, run.Get(b.Context(), &sum))
	require.Equal(b, items, sum.Documents.New)
	report(b, h, c, items)
}

func report(b *testing.B, h *dev.House, c client.Client, items int) {
	s, err := store.Open(b.Context(), h.Store, store.Options{})
	require.NoError(b, err)
	defer s.Close()
	run, err := s.FindRun(b.Context(), "pulse")
	require.NoError(b, err)
	took := run.ClosedAt.Sub(run.StartedAt)
	d, err := c.DescribeWorkflowExecution(b.Context(), "pulse-1", "")
	require.NoError(b, err)
	b.ReportMetric(float64(items)/took.Seconds(), "items/s")
	b.ReportMetric(float64(d.WorkflowExecutionInfo.HistoryLength)/float64(items), "events/item")
	b.ReportMetric(float64(peak(b, h.Worker.PID()))/1024, "worker-MiB")
	b.ReportMetric(float64(processorTime(b, h.Worker.PID()).Microseconds())/float64(items), "worker-µs/item")
	b.ReportMetric(float64(processorTime(b, h.Server.PID()).Microseconds())/float64(items), "temporal-µs/item")
	b.ReportMetric(0, "ns/op")
}

// peak is a process's largest resident memory in KiB, where the system tells.
func peak(b *testing.B, pid int) int {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

// processorTime is what a process has used so far, user and system, where the
// system tells; Linux counts it in hundredths of a second.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	require.Greater(b, len(fields), 12)
	var ticks int
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		require.NoError(b, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func build(b *testing.B, dir string) (starter, worker string) {
	b.Helper()
	starter, worker = filepath.Join(dir, "starter"), filepath.Join(dir, "worker")
	for path, pkg := range map[string]string{starter: "./worker", worker: "./worker"} { // one program, by two names
		out, err := exec.CommandContext(b.Context(), "go", "build", "-o", path, pkg).CombinedOutput()
		require.NoError(b, err, string(out))
	}
	return starter, worker
}

// up starts a house with the Temporal CLI of this machine.
func up(b *testing.B, o dev.HouseOptions) *dev.House {
	b.Helper()
	wd, err := os.Getwd()
	require.NoError(b, err)
	o.CLI, err = dev.FindCLI(wd, os.Getenv)
	require.NoError(b, err)
	ctx, cancel := context.WithTimeout(b.Context(), 2*time.Minute)
	defer cancel()
	h, err := dev.Up(ctx, o)
	require.NoError(b, err)
	return h
}

// apply applies a campaign file as a person would.
func apply(b *testing.B, starter string, h *dev.House, file string) {
	b.Helper()
	starterDoes(b, starter, h, "campaigns", "apply", file, "--yes")
}

// starterDoes runs a command of starter in a house.
func starterDoes(b *testing.B, starter string, h *dev.House, args ...string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), starter, args...)
	cmd.Env = append(dev.Environment(h.Server.Address), "VENDEMMIA_STORE="+h.Store)
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
}

// pulses writes the campaign of so many one-page items.
func pulses(b *testing.B, dir string, items int) string {
	b.Helper()
	var list strings.Builder
	for i := range items {
		fmt.Fprintf(&list, "{\"n\":%d}\n", i)
	}
	require.NoError(b, os.WriteFile(filepath.Join(dir, "items.jsonl"), []byte(list.String()), 0o600))
	return campaignFile(b, dir, fmt.Sprintf("project: bench\ncampaigns:\n  pulse: { fetcher: pulse, processors: %d, split: { file: items.jsonl } }\n", inFlight))
}

func campaignFile(b *testing.B, dir, text string) string {
	b.Helper()
	path := filepath.Join(dir, "campaign.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// BenchmarkFanOutRaw is the limit beside it: the same documents into one table
// of the same database, a thousand a transaction, and nothing else.
func BenchmarkFanOutRaw(b *testing.B) {
	items := size(b)
	for b.Loop() {
		took := raw(b, items)
		b.ReportMetric(float64(items)/took.Seconds(), "items/s")
		b.ReportMetric(0, "ns/op")
	}
}

func raw(b *testing.B, items int) time.Duration {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE documents (id TEXT PRIMARY KEY, title TEXT, body BLOB)`)
	require.NoError(b, err)
	began := time.Now()
	for lo := 0; lo < items; lo += 1000 {
		tx, err := db.Begin()
		require.NoError(b, err)
		insert, err := tx.Prepare(`INSERT INTO documents VALUES (?, ?, ?)`)
		require.NoError(b, err)
		for i := lo; i < min(items, lo+1000); i++ {
			id := fmt.Sprintf("pulse-%07d", i)
			_, err = insert.Exec(id, "Pulse "+id, []byte("A small document, number "+id))
			require.NoError(b, err)
		}
		require.NoError(b, tx.Commit())
	}
	return time.Since(began)
}
