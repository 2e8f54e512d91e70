package weather

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func degreesOf(v float64) *float64 { return &v }

func genovaAndLodz() []Place {
	return []Place{
		{Name: "Genova", Latitude: degreesOf(44.41), Longitude: degreesOf(8.93)},
		{Name: "Łódź", Latitude: degreesOf(51.76), Longitude: degreesOf(19.46)},
	}
}

// read fetches a body as the answer of a service.
func read(t testing.TB, p Params, body []byte) ([]report, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) })) // the client may be gone
	defer s.Close()
	p.URL = s.URL
	r := &reading{Fetcher: New(http.DefaultClient).(*Fetcher), ctx: t.Context(), params: p, places: p.places(), cp: checkpoint{Known: make([]*known, len(p.places()))}}
	if p.service() == METNorway {
		return r.metNorway()
	}
	return r.openMeteo()
}

func paramsOf(name string) Params {
	if strings.Contains(name, METNorway) {
		return Params{Service: METNorway, Places: genovaAndLodz()[:1]}
	}
	return Params{
		Places: genovaAndLodz(), Hourly: []string{"temperature_2m", "precipitation"},
		Daily: []string{"temperature_2m_max", "uv_index_max"}, Current: []string{"temperature_2m"},
	}
}

// TestGolden reads every answer under testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Cases{Files: "testdata/*.json", Least: 2, Got: func(t *testing.T, path string) []byte {
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		reports, err := read(t, paramsOf(path), body)
		require.NoError(t, err)
		out := &golden.Lines{}
		for i := range reports {
			for _, d := range reports[i].documents {
				out.Add(t, rows.NewLine(Name, &d))
			}
			for _, r := range reports[i].rejects {
				out.Add(t, map[string]any{"reject": r.ID, "reason": r.Reason, "bytes": string(r.Bytes), "where": r.Where})
			}
			out.Add(t, map[string]any{"partial": reports[i].partial, "warnings": reports[i].warnings})
		}
		return out.Bytes()
	}}.Run(t)
}

// The example in the README is a line that the fetcher writes.
func TestTheReadmeShowsARealDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	lines := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindSubmatch(text)
	require.NotNil(t, lines)
	want, err := os.ReadFile("testdata/open-meteo.json.golden")
	require.NoError(t, err)
	for line := range strings.Lines(string(lines[1])) {
		require.Contains(t, string(want), strings.TrimSpace(line)+"\n")
	}
}
