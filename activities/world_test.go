package activities

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// world is one process with a real store, a scripted fetcher and a Temporal that
// says what it is told.
type world struct {
	*Activities
	t      *testing.T
	store  *store.Store
	script *script
	engine *fakeEngine
	sent   *fakeSender
	clock  *clock
	stop   chan struct{} // the worker's
	runs   int
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		return time.Now()
	}
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return worldOn(t, filepath.Join(t.TempDir(), "v.db"))
}

// worldOn is another process on the store at path.
func worldOn(t *testing.T, path string) *world {
	t.Helper()
	s, err := store.Open(t.Context(), "sqlite:"+path, store.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	w := &world{
		t: t, store: s, script: &script{items: map[string]scripted{}, asked: map[string]int{}}, engine: &fakeEngine{open: map[string]bool{}},
		sent: &fakeSender{}, clock: &clock{}, stop: make(chan struct{}),
	}
	set, err := fetchers.Set{}.With("scripted", func(*http.Client) harvest.Fetcher { return fetcher{w.script} })
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	w.Activities = New(Deps{
		Store: s, Fetchers: set, Secrets: secrets.Resolver{Getenv: env, Env: []string{"TOKEN"}}, Temporal: w.engine, Send: w.sent, Now: w.clock.now,
		Client: func(visit.Visitor) *http.Client { return nil },
		Grace:  200 * time.Millisecond, Drain: 2 * time.Second, Worker: "worker-a", Spread: func() float64 { return 0.5 }, Log: log,
	})
	return w
}

func env(name string) string {
	return map[string]string{"TOKEN": "hush-hush"}[name]
}

// do runs one step as Temporal would.
func do[In, Out any](w *world, step temporalx.Activity[In, Out], in In) (Out, error) {
	return doWith(w, step, in, func(*testsuite.TestActivityEnvironment) {})
}

func doWith[In, Out any](w *world, step temporalx.Activity[In, Out], in In, prepare func(*testsuite.TestActivityEnvironment)) (Out, error) {
	w.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quietLog{})
	e := suite.NewTestActivityEnvironment()
	e.SetTestTimeout(2 * time.Minute)
	e.SetWorkerStopChannel(w.stop)
	prepare(e)
	w.Register(e)
	var out Out
	value, err := e.ExecuteActivity(step.Name, in)
	if err != nil {
		return out, err
	}
	return out, value.Get(&out)
}

type quietLog struct{}

func (quietLog) Debug(string, ...any) {}

func (quietLog) Info(string, ...any) {}

func (quietLog) Warn(string, ...any) {}

func (quietLog) Error(string, ...any) {}

// campaign is a campaign of scripted items.
func campaign(name string, items ...string) campaigns.Campaign {
	c := campaigns.Adhoc("scripted", nil, 4)
	c.Name, c.Description, c.Tolerate = name, "", campaigns.Count{}
	c.Entries[0].Retry = []retry.Rule{{Times: 0}}
	c.Entries[0].Split = &campaigns.Split{}
	for _, key := range items {
		c.Entries[0].Split.Items = append(c.Entries[0].Split.Items, row(key))
	}
	return c
}

func row(key string) campaigns.Row {
	name, host, _ := strings.Cut(key, "@")
	params := map[string]string{"name": name}
	if host != "" {
		params["url"] = "https://" + host + "/"
	}
	raw, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return campaigns.Row{Params: raw}
}

func (w *world) apply(c campaigns.Campaign) {
	w.t.Helper()
	spec, err := c.Canonical()
	require.NoError(w.t, err)
	_, err = w.store.Apply(w.t.Context(), rows.Application{
		Project: "test", At: w.clock.now(), Campaigns: []rows.ApplyCampaign{{Name: c.Name, Digest: harvest.Digest(spec), Spec: spec}},
	})
	require.NoError(w.t, err)
}

// in is a start as the workflow hands it on.
func (w *world) in(s steps.Start) steps.OpenRunIn {
	w.runs++
	name := s.Campaign
	if name == "" {
		name = "adhoc-" + s.Fetcher
	}
	id := fmt.Sprintf("%s-%d", name, w.runs)
	w.engine.mu.Lock()
	w.engine.open[id] = true
	w.engine.mu.Unlock()
	return steps.OpenRunIn{Start: s, WorkflowID: id, RunID: "first-of-" + id, StartedAt: w.clock.now()}
}

// open opens a run that must be admitted.
func (w *world) open(s steps.Start) steps.Opened {
	w.t.Helper()
	out, err := do(w, steps.OpenRun, w.in(s))
	require.NoError(w.t, err)
	require.Empty(w.t, out.Refused, out.Why)
	require.Empty(w.t, out.Busy)
	return out
}

// whole asks for all of a range at once.
func (w *world) whole(o steps.Opened, r steps.Range, width int) steps.FetchItemsIn {
	return steps.FetchItemsIn{
		Ord: r.Lo, Shared: r.Shared || r.Hi > r.Lo, Queue: r.Queue, Width: width, RunOf: o.RunOf,
	}
}

// fetch works off a whole range.
func (w *world) fetch(o steps.Opened) (steps.Fetched, error) {
	w.t.Helper()
	require.Len(w.t, o.Ranges, 1)
	r := o.Ranges[0]
	return do(w, steps.FetchItems, w.whole(o, r, 4))
}

func (w *world) close(o steps.Opened) steps.Summary {
	w.t.Helper()
	sum, err := do(w, steps.CloseRun, steps.CloseRunIn{RunOf: o.RunOf})
	require.NoError(w.t, err)
	return sum
}

// once is a whole run.
func (w *world) once(s steps.Start) steps.Summary {
	w.t.Helper()
	o := w.open(s)
	_, err := w.fetch(o)
	require.NoError(w.t, err)
	return w.close(o)
}

func (w *world) items(run int64) map[string]rows.RunItem {
	w.t.Helper()
	list, err := w.store.RunItems(w.t.Context(), run, rows.ItemFilter{})
	require.NoError(w.t, err)
	byKey := map[string]rows.RunItem{}
	for _, item := range list {
		byKey[item.Key] = item
	}
	return byKey
}

func (w *world) documents() int {
	w.t.Helper()
	n := 0
	for _, err := range w.store.Documents(w.t.Context(), rows.DocumentFilter{}) {
		require.NoError(w.t, err)
		n++
	}
	return n
}
