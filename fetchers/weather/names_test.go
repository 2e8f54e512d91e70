package weather_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/fetchers/weather"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/weather"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

func TestTheFilesAreRight(t *testing.T) {
	t.Parallel()
	l, err := campaigns.Load([]string{"../../examples/weather.yaml", "sample.yaml"}, func(name string) (campaigns.FetcherInfo, error) {
		k, err := fetchers.Builtin().Find(name)
		return campaigns.FetcherInfo{Name: k.Name, Description: k.Description}, err
	})
	require.NoError(t, err)
	require.Empty(t, l.Problems)
	require.Len(t, l.Campaigns, 3)
}

// The fetchers of the system before cannot be translated: what to use instead is
// said, and the checks of a file say it.
func TestRetiredNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"WU", "Netatmo"} {
		_, err := fetchers.Builtin().Find(name)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
		require.ErrorContains(t, err, "use weather with")
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	k, err := fetchers.Builtin().Find("weather")
	require.NoError(t, err)
	const at = `"latitude":1,"longitude":2`
	for raw, want := range map[string]string{
		`{}`:                              "latitude and longitude are needed, or places",
		`{"place":"a"}`:                   "place a: latitude and longitude are needed",
		`{"latitude":91,"longitude":2}`:   "latitude must be",
		`{"latitude":1,"longitude":-181}`: "longitude must be",
		`{` + at + `,"places":[{"name":"a",` + at + `}]}`:                 "one way is enough",
		`{"places":[{"nme":"a",` + at + `}]}`:                             "unknown field",
		`{"places":[{"name":"a",` + at + `},{"name":"a",` + at + `}]}`:    "two places are called a",
		`{"places":[{"name":"a/b",` + at + `}]}`:                          "no slash",
		`{` + at + `,"days":17}`:                                          "days must be",
		`{` + at + `,"past_days":93}`:                                     "past_days must be",
		`{` + at + `,"batch":-1}`:                                         "batch must be",
		`{` + at + `,"product":"complete"}`:                               "product means nothing to open-meteo",
		`{` + at + `,"service":"met-norway","hourly":["temperature_2m"]}`: "hourly means nothing to met-norway",
		`{` + at + `,"service":"wu"}`:                                     "one of open-meteo",
		`{` + at + `,"url":"ftp://x"}`:                                    "url must be",
		`{"service":"met-norway","places":[` + strings.Repeat(`{"name":"a",`+at+`},`, 100) + `{"name":"b",` + at + `}]}`: "at most 100",
	} {
		problems := paramspec.Check([]byte(raw), k.Params)
		require.NotEmpty(t, problems, raw)
		require.Contains(t, problems[0].Text, want, raw)
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	p, ok := weather.New(&http.Client{Transport: agent{}}).(harvest.Prober)
	require.True(t, ok)
	for address, sure := range map[string]int{
		w.base + "/v1/forecast?latitude=44.41&longitude=8.93&hourly=rain":           100,
		w.base + "/weatherapi/locationforecast/2.0/compact?lat=59.913&lon=10.75245": 100,
		w.base + "/v1/forecast":                   60,
		w.base + "/other":                         0,
		w.base + "/nowhere/locationforecast/2.0/": 60,
		"https://api.met.no/":                     60,
		"%zz":                                     0,
	} {
		found, err := p.Probe(t.Context(), address)
		require.NoError(t, err, address)
		require.Equal(t, sure, found.Sure, address)
		if sure == 100 {
			_, err := w.fetch(found.Params)
			require.NoError(t, err)
			require.NotEmpty(t, w.documents())
		}
	}
	_, err := p.Probe(t.Context(), w.base+"/v1/forecast?latitude=Inf&longitude=8")
	require.NoError(t, err)
	_, err = p.Probe(t.Context(), w.base+"/v1/forecast?latitude=99&longitude=8")
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.LessOrEqual(t, len(w.service.Requests()), 4)
}
