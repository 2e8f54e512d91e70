package demo

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/registry"
)

// What the how-to says works: jobs of both dialects are listed, edited and removed.
func TestTheHowToOfTheRegistriesWorks(t *testing.T) {
	t.Parallel()
	r, err := OpenRegistries()
	require.NoError(t, err)
	t.Cleanup(r.Close)
	list := func(format, path string) map[string]registry.Job {
		s, err := registry.Open(rows.Registry{Name: "house", URL: r.url + path, Format: format}, "", http.DefaultClient)
		require.NoError(t, err)
		l, err := s.List(t.Context(), registry.Known{})
		require.NoError(t, err)
		require.Empty(t, l.Problems)
		jobs := map[string]registry.Job{}
		for _, j := range l.Jobs {
			jobs[j.ID] = j
		}
		return jobs
	}
	require.Len(t, list(registry.FormatJSON, "/v1"), 6)
	require.Len(t, list(registry.FormatHarvestables, "/harvester/records"), 6)
	for line := range strings.Lines(r.HowTo("")) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "curl" {
			require.Less(t, curl(t, strings.TrimSpace(line)), 300, line)
		}
	}
	jobs := list(registry.FormatJSON, "/v1")
	require.Len(t, jobs, 6, "one more, one less")
	require.NotContains(t, jobs, "col-1")
	require.Equal(t, "oaipmh", jobs["more"].Fetcher)
	require.NotContains(t, list(registry.FormatHarvestables, "/harvester/records"), "4901")
	require.Equal(t, http.StatusNotFound, curl(t, "curl "+r.url+"/v1/other"))
	require.Equal(t, http.StatusBadRequest, curl(t, "curl -X PUT "+r.url+"/v1/jobs/x -d nonsense"))
}

// curl does what a line of curl says.
func curl(t *testing.T, line string) int {
	t.Helper()
	line, data, _ := strings.Cut(line, " -d ")
	method, address := http.MethodGet, ""
	words := strings.Fields(line)
	for i, w := range words {
		switch {
		case w == "-X":
			method = words[i+1]
		case strings.HasPrefix(w, "http"):
			address = w
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(strings.Trim(data, "'")))
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close() // it is read
	_, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode
}
