package registry_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
	"github.com/vendemmia/vendemmia/internal/registry"
)

func sample(id string) replica.Job {
	return replica.Job{"id": id, "name": "Job " + id, "timing": "every 2h", "fetcher": "feed", "params": map[string]any{"url": "https://example.org/" + id}}
}

func open(t *testing.T, service http.Handler, header string) registry.Service {
	t.Helper()
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	s, err := registry.Open(rows.Registry{Name: "house", URL: server.URL, Format: registry.FormatJSON}, header, server.Client())
	require.NoError(t, err)
	return s
}

func TestAllPagesAreRead(t *testing.T) {
	t.Parallel()
	var jobs []replica.Job
	for i := range 2500 {
		jobs = append(jobs, sample(fmt.Sprint(i)))
	}
	service := replica.New(jobs...)
	s := open(t, service, "")
	first, err := s.List(t.Context(), registry.Known{})
	require.NoError(t, err)
	require.Len(t, first.Jobs, 2500)
	require.Equal(t, 3, first.Requests)
	second, err := s.List(t.Context(), registry.Known{ETag: first.ETag})
	require.NoError(t, err)
	require.True(t, second.Unchanged)
	require.Equal(t, 1, second.Requests)
	service.Set("7", "name", "another")
	third, err := s.List(t.Context(), registry.Known{ETag: first.ETag})
	require.NoError(t, err)
	require.False(t, third.Unchanged)
}

// Nonsense is an error and not a short list.
func TestABrokenRegistryIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault replica.Fault
		want  string
	}{
		"down":      {replica.Down(), "503"},
		"HTML":      {replica.HTML(), "got an HTML page instead of JSON"},
		"truncated": {replica.Truncated(), "not JSON"},
		"no list":   {replica.Instead(`{}`), "no list `jobs`"},
		"null":      {replica.Instead(`null`), "no list `jobs`"},
		"endless":   {replica.Instead(`{"jobs":[],"next":"1"}`), "does not end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := replica.New(sample("1"))
			service.Break(c.fault)
			_, err := open(t, service, "").List(t.Context(), registry.Known{})
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestASlowRegistryCostsNoMoreThanItsTime(t *testing.T) {
	t.Parallel()
	service := replica.New(sample("1"))
	service.Break(replica.Slow(time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := open(t, service, "").List(ctx, registry.Known{})
	require.Error(t, err)
}

// What cannot be read is one problem, and the rest is listed.
func TestOneJobDoesNotSpoilTheRest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault replica.Fault
		jobs  int
		want  registry.Problem
	}{
		"unreadable": {replica.Unreadable("2", false), 2, registry.Problem{ID: "2", Text: "cannot be read: enabled is a string, and must be a bool"}},
		"nameless":   {replica.Unreadable("2", true), 2, registry.Problem{Text: "cannot be read: enabled is a string, and must be a bool"}},
		"twice":      {replica.Twice("2"), 2, registry.Problem{ID: "2", Text: "is listed twice, and not alike; it stays as it was"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := replica.New(sample("1"), sample("2"), sample("3"))
			service.Break(c.fault)
			l, err := open(t, service, "").List(t.Context(), registry.Known{})
			require.NoError(t, err)
			require.Len(t, l.Jobs, c.jobs)
			require.Equal(t, []registry.Problem{c.want}, l.Problems)
		})
	}
}

func TestWhatAJobMayNotSay(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"1","fetcher":"feed","enabeld":false}`: `no key "enabeld"; did you mean enabled?`,
		`{"id":"1"}`:                                              "no fetcher",
		`{"id":"","fetcher":"feed"}`:                              "the id is empty",
		`{"id":7,"fetcher":"feed"}`:                               "cannot be read",
		`{"id":"1","fetcher":"feed","on_change":"perhaps"}`:       "keep or restart",
		`{"id":"1","fetcher":"feed","policies":{"notify":["x"]}}`: `policies has no key "notify"`,
		`7`:                                 "cannot be read",
		`{"id":"1\u0000","fetcher":"feed"}`: "control characters",
	} {
		service := replica.New()
		service.Break(replica.Instead(`{"jobs":[` + body + `]}`))
		l, err := open(t, service, "").List(t.Context(), registry.Known{})
		require.NoError(t, err, body)
		require.Empty(t, l.Jobs, body)
		require.Len(t, l.Problems, 1, body)
		require.Contains(t, l.Problems[0].Text, want)
	}
}

func TestReportsAreTakenOneByOne(t *testing.T) {
	t.Parallel()
	service := replica.New(sample("1"))
	service.Protect("s3cret")
	refused, err := open(t, service, "Authorization: Bearer s3cret").Report(t.Context(), []registry.Report{{Job: "1", State: "waiting", Sequence: 3}, {State: "waiting"}})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"": "no job is named"}, refused)
	require.EqualValues(t, 3, service.Last("1")["sequence"])
	_, err = open(t, service, "").Report(t.Context(), []registry.Report{{Job: "1"}})
	require.ErrorContains(t, err, "401")
}
