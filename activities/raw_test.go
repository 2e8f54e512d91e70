package activities

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Pages are kept as they came, and the ledger names them, where the campaign
// keeps pages and nothing but a trial is made.
func TestRawPagesAreNamedByTheLedger(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keep  bool
		limit int
		kept  bool
	}{"kept": {true, 0, true}, "not kept": {false, 0, false}, "a trial": {true, 1, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, offered := newWorld(t), false
			camp := campaign("news", "a")
			if !c.keep {
				camp.Keep.Raw = campaigns.NeverKept
			}
			w.apply(camp)
			w.Client = func(v visit.Visitor) *http.Client {
				x := visit.Exchange{Method: "GET", URL: "https://x.example/", Host: "x.example", Status: 200}
				if offered = v.Raw != nil; offered {
					var err error
					x.Raw, err = v.Raw([]byte("<html>"))
					require.NoError(t, err)
				}
				v.Record(x)
				return nil
			}
			w.once(steps.Start{Campaign: "news", Limit: c.limit})
			require.Equal(t, c.kept, offered)
			if c.kept {
				require.Equal(t, "<html>", w.raw(t))
			}
		})
	}
}

// raw reads the page that the one line of the ledger names.
func (w *world) raw(t *testing.T) string {
	t.Helper()
	for line, err := range w.store.Ledger(t.Context(), rows.LedgerFilter{}) {
		require.NoError(t, err)
		r, err := w.store.Blob(t.Context(), line.Raw)
		require.NoError(t, err)
		defer r.Close()
		body, err := io.ReadAll(r)
		require.NoError(t, err)
		return string(body)
	}
	return ""
}
