package activities

import (
	"context"
	"iter"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A line of the ledger goes with the page it was asked for, also when that page
// was asked for while another was committed; what comes to no page is kept with
// the end of the attempt.
func TestLinesOfWhatWasAskedAheadGoWithTheirPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	var record func(visit.Exchange)
	w.Client = func(v visit.Visitor) *http.Client {
		record = v.Record
		return nil
	}
	ask := func(name string, page int) {
		record(visit.Exchange{Method: "GET", URL: "https://x.example/" + name, Host: "x.example", Status: 200, Page: page})
	}
	w.script.on("a", func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			ask("list", 0)
			ask("first", 1)
			ask("second, ahead", 2)
			if !yield(page(1, "a-1"), nil) {
				return
			}
			ask("second", 2)
			ask("third, ahead", 3)
			if !yield(page(2, "a-2"), nil) {
				return
			}
			yield(harvest.Page{}, kindError(harvest.KindGone))
		}
	})
	w.once(steps.Start{Campaign: "news"})
	got := map[string]int{}
	for line, err := range w.store.Ledger(t.Context(), rows.LedgerFilter{}) {
		require.NoError(t, err)
		got[line.URL] = line.Seq
	}
	require.Equal(t, map[string]int{
		"https://x.example/list": 1, "https://x.example/first": 1, "https://x.example/second, ahead": 2, "https://x.example/second": 2,
		"https://x.example/third, ahead": 0,
	}, got)
}
