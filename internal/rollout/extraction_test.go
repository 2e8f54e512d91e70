package rollout

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
)

// stocked is a store in which every campaign has documents.
type stocked struct{ *store.Store }

func (stocked) Counts(context.Context, string) (rows.Counts, error) {
	return rows.Counts{Documents: 1204}, nil
}

// TestAChangedSelectorIsTold: what is stored was taken with another one.
func TestAChangedSelectorIsTold(t *testing.T) {
	t.Parallel()
	const file = `web.yaml
project: law-monitor
campaigns:
  albo: { schedule: every 4h, fetcher: web, params: { url: "https://albo.example.org/", fields: { title: h1.titolo } } }
`
	w := newWorld(t)
	w.Rollout = New(stocked{w.store}, w.server, Settings{Lookup: lookup, Instance: workflows.Instance{Store: "7f3a9c12"}})
	warnings := func(file string) []string {
		w.files(file)
		return w.plan().Changes[0].Warnings
	}
	require.Empty(t, warnings(file), "a new campaign has nothing yet")
	w.apply()
	w.settled()
	require.Empty(t, warnings(strings.Replace(file, "every 4h", "every 5h", 1)))
	require.Empty(t, warnings(strings.Replace(file, "/\"", "/atti\"", 1)), "where it is asked for is no matter of extraction")
	require.Equal(t, []string{"1,204 documents were taken with other fields; the next run reads again what it lists"},
		warnings(strings.Replace(file, "h1.titolo", "h1.atto__titolo", 1)))
}
