package gazzetta_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/units"
)

func lookup(name string) (campaigns.FetcherInfo, error) {
	k, err := fetchers.Builtin().Find(name)
	return campaigns.FetcherInfo{Name: k.Name, Description: k.Description}, err
}

func load(t *testing.T, path string) *campaigns.Loaded {
	t.Helper()
	l, err := campaigns.Load([]string{path}, lookup)
	require.NoError(t, err)
	return l
}

func TestTheExampleIsRight(t *testing.T) {
	t.Parallel()
	l := load(t, "../../examples/gazzetta.yaml")
	require.Empty(t, l.Problems)
	require.Len(t, l.Campaigns, 6)
	for _, c := range l.Campaigns {
		require.Equal(t, "Europe/Rome", c.Campaign.Schedule.TimeZone, c.Campaign.Name)
	}
	require.Empty(t, load(t, "sample.yaml").Problems)
}

// The class names of the system before bring their series with them.
func TestFormerNamesBringTheirSeries(t *testing.T) {
	t.Parallel()
	for name, series := range map[string]string{
		"GU::SerieGenerale": "serie_generale", "GU::CorteCostituzionale": "corte_costituzionale", "GU::UnioneEuropea": "unione_europea",
		"GU::Regioni": "regioni", "GU::concorsi": "concorsi", "GU::Contratt": "contratti", "GU::Contratti": "contratti",
	} {
		path := filepath.Join(t.TempDir(), "gu.yaml")
		file := "campaigns: { gu: { schedule: daily at 18:00, fetcher: " + `"` + name + `"` + ", params: { pdf: true } } }"
		require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		l := load(t, path)
		require.Empty(t, l.Problems, name)
		e := l.Campaigns[0].Campaign.Entries[0]
		require.Equal(t, "gazzetta", e.Fetcher)
		require.JSONEq(t, `{"series":"`+series+`","pdf":true}`, string(e.Params))
		key, err := units.Key(e.Params, []string{"series"})
		require.NoError(t, err)
		require.Equal(t, series, key)
		origins := ""
		for _, o := range l.Campaigns[0].Origins {
			origins += o.Path + "=" + o.Value + "\n"
		}
		require.Contains(t, origins, "params.series="+series)
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	k, err := fetchers.Builtin().Find("gazzetta")
	require.NoError(t, err)
	for raw, want := range map[string]string{
		`{}`:                                   "is required",
		`{"series":"concorso"}`:                "one of serie_generale",
		`{"series":"SG","from":"3 maggio"}`:    "from must be a day",
		`{"series":"SG","until":"2026-02-30"}`: "until must be a day",
		`{"series":"SG","from":"2026-02-01","until":"2026-02-01"}`: "before until",
		`{"series":"SG","revisit":-1}`:                             "revisit",
		`{"series":"SG","url":"ftp://x"}`:                          "url must be an address",
		`{"series":"SG","pdf":"yes"}`:                              "must be",
	} {
		problems := paramspec.Check([]byte(raw), k.Params)
		require.NotEmpty(t, problems, raw)
		require.Contains(t, problems[0].Text, want, raw)
	}
	for _, series := range strings.Split("serie_generale,SG,S1,S2,S3,S4,S5,P2,parte_seconda", ",") {
		require.Empty(t, paramspec.Check([]byte(`{"series":"`+series+`"}`), k.Params))
	}
}
