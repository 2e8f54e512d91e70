package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/temporalx"
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
		Store: s, Fetchers: set, Secrets: secrets.Resolver{Getenv: env}, Temporal: w.engine, Send: w.sent, Now: w.clock.now,
		Client: func(harvest.Visitor) *http.Client { return nil },
		Grace:  200 * time.Millisecond, Drain: 2 * time.Second, Worker: "worker-a", Spread: func() float64 { return 0.5 }, Log: log,
	})
	return w
}

func env(name string) string {
	return map[string]string{"TOKEN": "hush-hush"}[name]
}

// scripted is what one item does.
type scripted func(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error]

// script is a source that is told what to do, item by item.
type script struct {
	mu    sync.Mutex
	items map[string]scripted
	asked map[string]int
	split func(harvest.Request) iter.Seq2[harvest.Element, error]
	last  harvest.Request
}

func (s *script) on(name string, do scripted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[name] = do
}

func (s *script) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}

type scriptParams struct {
	Name   string `json:"name" doc:"name of the item" required:"true"`
	URL    string `json:"url" doc:"address"`
	Token  string `json:"token" doc:"a secret" secret:"true"`
	Fields string `json:"fields" doc:"what is extracted" extraction:"true"`
	Max    int    `json:"max" doc:"how many"`
}

// fetcher is the scripted fetcher. An item without a script brings one document
// the first time and nothing new after that.
type fetcher struct{ *script }

func (f fetcher) Describe() harvest.Description {
	return harvest.Description{Summary: "Does what a test says.", Params: scriptParams{}, Identity: []string{"name"}}
}

func (fetcher) Exhaustive() {}

func (f fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	p, err := harvest.DecodeParams[scriptParams](req.Params)
	if err != nil {
		return func(yield func(harvest.Page, error) bool) { yield(harvest.Page{}, err) }
	}
	f.mu.Lock()
	f.asked[p.Name]++
	f.last = req
	do := f.items[p.Name]
	f.mu.Unlock()
	if do == nil {
		do = pages(page(1, p.Name+"-1"))
	}
	return do(ctx, req)
}

func (f fetcher) Split(_ context.Context, req harvest.Request) iter.Seq2[harvest.Element, error] {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked["split"]++
	return f.split(req)
}

// page is a page of documents with ids, its checkpoint n.
func page(n int, ids ...string) harvest.Page {
	p := harvest.Page{Checkpoint: json.RawMessage(fmt.Sprintf(`{"page":%d}`, n)), Listed: len(ids), Done: int64(n)}
	for _, id := range ids {
		p.Documents = append(p.Documents, harvest.Document{ID: id, Title: "title of " + id})
	}
	return p
}

// pages yields the pages after the checkpoint, or one that says "nothing new".
func pages(list ...harvest.Page) scripted {
	return func(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			var at struct{ Page int }
			if len(req.Checkpoint) > 0 && json.Unmarshal(req.Checkpoint, &at) != nil {
				return
			}
			if at.Page >= len(list) {
				yield(harvest.Page{Checkpoint: req.Checkpoint, NotModified: true}, nil)
				return
			}
			for _, p := range list[at.Page:] {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func fails(err error) scripted {
	return func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) { yield(harvest.Page{}, err) }
	}
}

func kindError(k harvest.Kind) error {
	return harvest.Errorf(k, "get", "https://a.example/x?token=1", "no luck")
}

type fakeEngine struct {
	mu         sync.Mutex
	open       map[string]bool
	closedAt   time.Time
	err        error
	cancelled  []string
	terminated []string
}

func (f *fakeEngine) Closed(_ context.Context, workflowID, _ string) (bool, time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.open[workflowID], f.closedAt, f.err
}

func (f *fakeEngine) Cancel(_ context.Context, workflowID, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, workflowID)
	return nil
}

func (f *fakeEngine) Terminate(_ context.Context, workflowID, _, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[workflowID] = false
	f.terminated = append(f.terminated, workflowID)
	return nil
}

type fakeSender struct {
	mu   sync.Mutex
	err  error
	sent []delivery
}

type delivery struct {
	to, key string
	Message
}

func (f *fakeSender) Send(_ context.Context, to, key string, payload json.RawMessage) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	d := delivery{to: to, key: key}
	if err := json.Unmarshal(payload, &d.Message); err != nil {
		return err
	}
	f.sent = append(f.sent, d)
	return nil
}

// events lists what was sent, in order.
func (f *fakeSender) events() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, d := range f.sent {
		all = append(all, d.Event)
	}
	return all
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
	e.SetTestTimeout(30 * time.Second)
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
func (quietLog) Info(string, ...any)  {}
func (quietLog) Warn(string, ...any)  {}
func (quietLog) Error(string, ...any) {}

// campaign is a campaign of scripted items.
func campaign(name string, items ...string) campaigns.Campaign {
	c := campaigns.Adhoc("scripted", nil, 4)
	c.Name, c.Description = name, ""
	c.Entries[0].Retry = []harvest.RetryRule{{Times: 0}}
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

// fetch works off a whole range.
func (w *world) fetch(o steps.Opened) (steps.Fetched, error) {
	w.t.Helper()
	require.Len(w.t, o.Ranges, 1)
	r := o.Ranges[0]
	return do(w, steps.FetchItems, steps.FetchItemsIn{Run: o.Run, Lo: r.Lo, Hi: r.Hi, Width: 4, Store: o.Store})
}

func (w *world) close(o steps.Opened) steps.Summary {
	w.t.Helper()
	sum, err := do(w, steps.CloseRun, steps.CloseRunIn{Run: o.Run, Store: o.Store})
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

// holds is a source that waits until it is let go, or its context ends.
func holds(began chan<- struct{}, letGo <-chan struct{}, then harvest.Page) scripted {
	return func(ctx context.Context, _ harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			began <- struct{}{}
			select {
			case <-letGo:
				if yield(then, nil) {
					yield(page(99, "after-the-stop"), nil)
				}
			case <-ctx.Done():
				yield(harvest.Page{}, ctx.Err())
			}
		}
	}
}

var errTransport = errors.New("connection refused")
