package activities

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// The ledger tells of every request: also of those that asked for the items, and
// brought none.
func TestAskingForItemsIsInTheLedger(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"a list": nil, "no list": harvest.Errorf(harvest.KindGone, "list sets", "https://x.example/", "HTTP status 410")} {
		w := newWorld(t)
		w.apply(asking("repo"))
		w.script.split = elements(failure, "col_1")
		w.Client = func(v visit.Visitor) *http.Client {
			v.Record(visit.Exchange{At: time.Now(), Method: "GET", URL: "https://x.example/", Host: "x.example", Status: 200})
			return nil
		}
		o, _ := w.expandAll(t, steps.Start{Campaign: "repo"})
		n := 0
		for line, err := range w.store.Ledger(t.Context(), rows.LedgerFilter{Run: o.Run}) {
			require.NoError(t, err)
			require.Equal(t, units.Item{Campaign: "repo", Entry: "scripted", Key: splitKey}, line.Item, name)
			n++
		}
		require.Equal(t, 1, n, name)
		sum, err := do(w, steps.CloseRun, steps.CloseRunIn{RunOf: o.RunOf})
		require.NoError(t, err)
		require.Equal(t, 1, sum.Asked, name)
	}
}
