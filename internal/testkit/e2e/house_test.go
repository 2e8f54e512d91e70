package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/testkit/devtest"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// house is everything on one machine, a fresh one per test.
type house struct {
	t   *testing.T
	dir string
	cli string // the Temporal CLI
	// binary and cliBinary are our own two programs.
	binary, cliBinary string
	storeDir          string // of the store; the house's own unless a test moves it
	cluster           *pgtest.Cluster
	address           string // of the store in the cluster
	store             *store.Store
	server            *dev.Server
	worker            *dev.Process
	workers           int
	client            client.Client
	chance            *rand.Rand
}

// newHouse starts a server that keeps its state in a file; no worker yet.
func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), cli: devtest.CLI(t), binary: binaries.worker, cliBinary: binaries.starter, chance: newChance(t)}
	var err error
	h.server, err = dev.StartServer(h.within(time.Minute), dev.ServerOptions{CLI: h.cli, Database: filepath.Join(h.dir, "temporal.db"), Log: h.log("server")})
	require.NoError(t, err)
	t.Cleanup(func() { h.server.Kill() })
	h.client, err = client.NewLazyClient(client.Options{HostPort: h.server.Address, Logger: log.NewStructuredLogger(nil)})
	require.NoError(t, err)
	t.Cleanup(h.client.Close)
	return h
}

// newChance is the chance of one test. Its seed is printed; VENDEMMIA_SEED repeats it.
func newChance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("VENDEMMIA_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "VENDEMMIA_SEED")
	}
	t.Logf("VENDEMMIA_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// newPostgresHouse is a house whose store is an empty database in a cluster of
// its own, which can be killed.
func newPostgresHouse(t *testing.T) *house {
	t.Helper()
	return newPostgresHouseOn(t, pgtest.Options{})
}

func newPostgresHouseOn(t *testing.T, o pgtest.Options) *house {
	t.Helper()
	var log lateLog
	o.Log = &log
	cluster := pgtest.New(t, o)
	h := newHouse(t)
	log.to(h.log("postgres"))
	h.cluster, h.address = cluster, cluster.Database(t)
	return h
}

// lateLog keeps what is written until it is known where to.
type lateLog struct {
	mu   sync.Mutex
	kept bytes.Buffer
	file io.Writer
}

func (l *lateLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return l.kept.Write(p)
	}
	_, _ = l.file.Write(p) // it may be closed already: the cluster ends last
	return len(p), nil
}

func (l *lateLog) to(file io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = file
	file.Write(l.kept.Bytes()) // a log
}

func (h *house) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(h.t.Context(), d)
	h.t.Cleanup(cancel)
	return ctx
}

// log opens the log of a process; a failed test prints its end.
func (h *house) log(name string) *os.File {
	path := filepath.Join(h.dir, name+".log")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(h.t, err)
	h.t.Cleanup(func() {
		f.Close()
		if text, err := os.ReadFile(path); err == nil && h.t.Failed() {
			h.t.Logf("%s.log ends with:\n%s", name, text[max(0, len(text)-2500):])
		}
	})
	return f
}

func (h *house) storeAddress() string {
	if h.address != "" {
		return h.address
	}
	return "sqlite:" + filepath.Join(cmp.Or(h.storeDir, h.dir), "vendemmia.db")
}

// work starts a worker and returns it; the last one is h.worker.
func (h *house) work(args ...string) *dev.Process {
	h.t.Helper()
	p, err := h.startWorker(h.hire(), args...)
	require.NoError(h.t, err)
	h.worker = p
	return p
}

// fleet starts n workers at the same moment.
func (h *house) fleet(n int, args ...string) []*dev.Process {
	h.t.Helper()
	workers, errs := make([]*dev.Process, n), make([]error, n)
	var starting sync.WaitGroup
	for i := range n {
		o := h.hire()
		starting.Go(func() { workers[i], errs[i] = h.startWorker(o, args...) })
	}
	starting.Wait()
	require.NoError(h.t, errors.Join(errs...))
	return workers
}

// hire gives the next worker a name, a log and an address.
func (h *house) hire() dev.WorkerOptions {
	h.t.Helper()
	h.workers++
	health, err := dev.FreeAddress(h.t.Context())
	require.NoError(h.t, err)
	name := fmt.Sprintf("worker-%d", h.workers)
	return dev.WorkerOptions{
		Binary: h.binary, Address: h.server.Address, Store: h.storeAddress(), Health: health,
		Args: []string{"--create", "--allow-network", "127.0.0.0/8", "--heartbeat", "4s", "--identity", name}, Log: h.log(name),
	}
}

func (h *house) startWorker(o dev.WorkerOptions, args ...string) (*dev.Process, error) {
	o.Args = append(o.Args, args...)
	p, err := dev.StartWorker(h.within(2*time.Minute), o)
	if err == nil {
		h.t.Cleanup(p.Kill)
	}
	return p, err
}

// starter runs the command line and returns what it printed and its exit code.
func (h *house) starter(args ...string) (stdout string, code int) {
	h.t.Helper()
	cmd, out := h.command(args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(h.t, err)
	}
	h.t.Logf("$ starter %s   (exit %d)\n%s", strings.Join(args, " "), cmd.ProcessState.ExitCode(), tail(out.String()))
	return out.String(), cmd.ProcessState.ExitCode()
}

// command is a command line ready to start; both its streams go to the text.
func (h *house) command(args ...string) (*exec.Cmd, *text) {
	h.t.Helper()
	cmd, out := exec.CommandContext(h.within(5*time.Minute), h.cliBinary, args...), &text{}
	cmd.Dir = h.dir
	cmd.Env = append(dev.Environment(h.server.Address), "VENDEMMIA_STORE="+h.storeAddress())
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// text is what a process has printed so far.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// campaign writes a campaign of the source's feeds and applies it.
func (h *house) campaign(name string, s *source, lines string) {
	h.t.Helper()
	var csv strings.Builder
	csv.WriteString("id,url\n")
	for feed := range s.feeds {
		fmt.Fprintf(&csv, "feed-%04d,%s/feed/%d\n", feed, s.URL, feed)
	}
	h.write(name+".csv", csv.String())
	h.write(name+".yaml", fmt.Sprintf("project: e2e\nhosts: { 127.0.0.1: { connections: 20 } }\ncampaigns:\n  %s:\n    fetcher: feed\n    split: { file: %s.csv, key: id }\n%s", name, name, indent(lines)))
	_, code := h.starter("campaigns", "apply", name+".yaml", "--yes")
	require.Equal(h.t, 0, code, "apply")
}

func indent(lines string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		if line != "" {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.String()
}

func (h *house) write(name, text string) {
	h.t.Helper()
	require.NoError(h.t, os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600))
}

// start starts a campaign as the Temporal CLI would: with the small JSON.
func (h *house) start(workflowID string, in steps.Start) client.WorkflowRun {
	h.t.Helper()
	run, err := h.client.ExecuteWorkflow(h.within(time.Minute), client.StartWorkflowOptions{ID: workflowID, TaskQueue: steps.QueueControl}, steps.CampaignWorkflow, in)
	require.NoError(h.t, err)
	return run
}

// result waits for a run's end; the run must not fail.
func (h *house) result(run client.WorkflowRun) steps.Summary {
	h.t.Helper()
	var sum steps.Summary
	require.NoError(h.t, run.Get(h.within(5*time.Minute), &sum))
	text, err := json.Marshal(sum)
	require.NoError(h.t, err)
	h.t.Logf("%s: %s", run.GetID(), text)
	return sum
}

// open opens the store beside the running processes, once.
func (h *house) open() *store.Store {
	h.t.Helper()
	if h.store == nil {
		s, err := store.Open(h.t.Context(), h.storeAddress(), store.Options{})
		require.NoError(h.t, err)
		h.t.Cleanup(func() { s.Close() })
		h.store = s
	}
	return h.store
}

// eventually waits for a condition.
func (h *house) eventually(what string, within time.Duration, ok func() bool) {
	h.t.Helper()
	ctx := h.within(within)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			require.Fail(h.t, "never happened: "+what)
		case <-tick.C:
		}
	}
}
