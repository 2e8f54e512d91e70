package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/testkit/devtest"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>%[1]s</title><link>http://example.org/</link>
<item><guid>%[1]s-1</guid><title>One</title><link>http://example.org/1</link></item>
<item><guid>%[1]s-2</guid><title>Two</title><link>http://example.org/2</link></item></channel></rss>`

// source is a site with feeds that answer "not modified", and one that is gone.
func source(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w, rss, strings.Trim(r.URL.Path, "/"))
	}))
	t.Cleanup(s.Close)
	return s
}

// smoke is a real server, a real worker and a real store.
type smoke struct {
	t      *testing.T
	ctx    context.Context
	client client.Client
	store  *store.Store
	source *httptest.Server
	n      atomic.Int32
}

func newSmoke(t *testing.T) *smoke {
	t.Helper()
	return newSmokeOn(t, filepath.Join(t.TempDir(), "v.db"))
}

// newSmokeOn is one whose store is to be made at an address.
func newSmokeOn(t *testing.T, path string) *smoke {
	t.Helper()
	cli := devtest.CLI(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	server, err := dev.StartServer(ctx, dev.ServerOptions{CLI: cli})
	require.NoError(t, err)
	t.Cleanup(server.Kill)

	p, out := newProgram(t, map[string]string{"TEMPORAL_ADDRESS": server.Address},
		"--create", "--store", path, "--allow-network", "127.0.0.0/8", "--drain", "5s", "--identity", "worker-a")
	working, stop := context.WithCancel(ctx)
	code := make(chan int, 1)
	go func() { code <- Main(working, p.Env, p.fetchers) }()
	t.Cleanup(func() {
		stop()
		require.Equal(t, process.OK, <-code, out.String())
		if t.Failed() {
			t.Log(out.String())
		}
	})
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "takes work") }, time.Minute, 50*time.Millisecond, out.String())

	c, err := client.Dial(client.Options{HostPort: server.Address})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := store.Open(ctx, path, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &smoke{t: t, ctx: ctx, client: c, store: s, source: source(t)}
}

// start runs a workflow as a person would with the Temporal CLI.
func (s *smoke) start(input string) (steps.Summary, error) {
	s.t.Helper()
	var sum steps.Summary
	run, err := s.client.ExecuteWorkflow(s.ctx, client.StartWorkflowOptions{
		ID: fmt.Sprintf("by-hand-%d", s.n.Add(1)), TaskQueue: steps.QueueControl,
	}, steps.CampaignWorkflow, json.RawMessage(input))
	require.NoError(s.t, err)
	return sum, run.Get(s.ctx, &sum)
}

func (s *smoke) apply(c campaigns.Campaign) {
	s.t.Helper()
	spec, err := c.Canonical()
	require.NoError(s.t, err)
	_, err = s.store.Apply(s.ctx, rows.Application{Project: "test", At: time.Now(), Campaigns: []rows.ApplyCampaign{
		{Name: c.Name, Digest: harvest.Digest(spec), Spec: spec},
	}})
	require.NoError(s.t, err)
}

func (s *smoke) news(paths ...string) campaigns.Campaign {
	c := campaigns.Adhoc("feed", nil, 3)
	c.Name, c.Tags = "news", []string{"rss"}
	c.Entries[0].Split = &campaigns.Split{}
	for _, path := range paths {
		params := fmt.Sprintf(`{"url":%q}`, s.source.URL+"/"+path)
		c.Entries[0].Split.Items = append(c.Entries[0].Split.Items, campaigns.Row{Key: path, Params: json.RawMessage(params)})
	}
	return c
}

func TestSmoke(t *testing.T) {
	t.Parallel()
	s := newSmoke(t)

	// A fetcher by hand.
	byHand := fmt.Sprintf(`{"fetcher":"feed","params":{"url":%q}}`, s.source.URL+"/solo")
	sum, err := s.start(byHand)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Equal(t, steps.Documents{Listed: 2, New: 2}, sum.Documents)
	require.Equal(t, 1, sum.Asked)
	require.Equal(t, "starter runs show by-hand-1", sum.More)
	sum, err = s.start(byHand)
	require.NoError(t, err)
	require.Equal(t, outcomes.Unchanged, sum.Outcome)

	// A campaign.
	s.apply(s.news("a", "b", "c"))
	sum, err = s.start(`{"campaign":"news"}`)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, sum.Outcome)
	require.Equal(t, map[outcomes.Outcome]int{outcomes.Done: 3}, sum.Items)
	require.Equal(t, steps.Documents{Listed: 6, New: 6}, sum.Documents)
	counts, err := s.store.CountDocuments(s.ctx, rows.DocumentFilter{}, "campaign")
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"adhoc-feed": 2, "news": 6}, counts)
	sum, err = s.start(`{"campaign":"news"}`)
	require.NoError(t, err)
	require.Equal(t, outcomes.Unchanged, sum.Outcome)
	require.Equal(t, 3, sum.Asked)

	// A dead feed beyond what is tolerated makes the workflow fail, and red.
	strict := s.news("a", "b", "gone")
	strict.Tolerate = campaigns.Count{}
	s.apply(strict)
	sum, err = s.start(`{"campaign":"news"}`)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, "failed", app.Type())
	require.Contains(t, app.Message(), "1 of 3 items; 1 gone")
	require.NoError(t, app.Details(&sum))
	require.Contains(t, sum.LookAt[0], "gone gone")

	// A start that cannot be understood says so.
	_, err = s.start(`{"campaign":"nws"}`)
	require.ErrorContains(t, err, "did you mean news?")

	ledger := 0
	for line, err := range s.store.Ledger(s.ctx, rows.LedgerFilter{}) {
		require.NoError(t, err)
		require.Equal(t, "worker-a", line.Worker)
		ledger++
	}
	require.Equal(t, 11, ledger, "one line for each exchange")
	open, err := s.store.OpenRuns(s.ctx)
	require.NoError(t, err)
	require.Empty(t, open)

	s.asksAboutRuns()

	// Searchable by what the server has.
	require.Eventually(t, func() bool {
		found, err := s.client.CountWorkflow(s.ctx, countOf(`Outcome = "failed"`))
		return err == nil && found.Count >= 1
	}, time.Minute, 100*time.Millisecond)
}

func countOf(query string) *workflowservice.CountWorkflowExecutionsRequest {
	return &workflowservice.CountWorkflowExecutionsRequest{Query: query}
}

// asksAboutRuns looks at runs as the gate and the reconciler do.
func (s *smoke) asksAboutRuns() {
	s.t.Helper()
	known := runs{remote{Client: s.client}}
	run, err := s.store.FindRun(s.ctx, "by-hand-1")
	require.NoError(s.t, err)
	closed, at, err := known.Closed(s.ctx, "by-hand-1", run.RunID)
	require.NoError(s.t, err)
	require.True(s.t, closed)
	require.WithinDuration(s.t, run.ClosedAt, at, time.Minute)
	closed, at, err = known.Closed(s.ctx, "never-was", run.RunID)
	require.NoError(s.t, err)
	require.True(s.t, closed && at.Equal(time.Time{}), "unknown: it has ended at the zero time")

	// Nobody works on this queue: it stays open until it is terminated.
	idle, err := s.client.ExecuteWorkflow(s.ctx, client.StartWorkflowOptions{ID: "idle", TaskQueue: "nobody"}, steps.CampaignWorkflow, steps.Start{})
	require.NoError(s.t, err)
	closed, _, err = known.Closed(s.ctx, "idle", idle.GetRunID())
	require.NoError(s.t, err)
	require.False(s.t, closed)
	closed, _, err = known.Closed(s.ctx, "idle", run.RunID)
	require.NoError(s.t, err)
	require.True(s.t, closed, "another chain has the id now")
	require.NoError(s.t, known.Cancel(s.ctx, "idle", idle.GetRunID()))
	require.NoError(s.t, known.Terminate(s.ctx, "idle", idle.GetRunID(), "overlap: terminate"))
	require.NoError(s.t, known.Terminate(s.ctx, "idle", idle.GetRunID(), "twice is alike"))
	closed, _, err = known.Closed(s.ctx, "idle", idle.GetRunID())
	require.NoError(s.t, err)
	require.True(s.t, closed)
}
