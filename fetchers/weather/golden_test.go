package weather

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
)

func degreesOf(v float64) *float64 { return &v }

func genovaAndLodz() []Place {
	return []Place{
		{Name: "Genova", Latitude: degreesOf(44.41), Longitude: degreesOf(8.93)},
		{Name: "Łódź", Latitude: degreesOf(51.76), Longitude: degreesOf(19.46)},
	}
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

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Answers{Name: Name, New: New, Files: "testdata/*.json", Least: 2, Params: func(path, base string) json.RawMessage {
		p := paramsOf(path)
		p.URL = base
		raw, err := json.Marshal(p)
		require.NoError(t, err)
		return raw
	}}.Run(t)
}

func TestTheReadmeShowsARealDocument(t *testing.T) {
	t.Parallel()
	golden.Readme(t, "testdata/open-meteo.json.golden")
}
