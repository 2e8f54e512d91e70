package instagram

import (
	"net/http"
	"os"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// FuzzList: whatever comes, documents that can be stored, or an error.
func FuzzList(f *testing.F) {
	body, err := os.ReadFile("testdata/media.json")
	require.NoError(f, err)
	f.Add(body)
	f.Add([]byte(`{"data":[null,7,{"id":"1","timestamp":"0000-01-01T00:00:00+0000"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var list edge
		if (&answer.Answer{Body: body}).JSON(&list) != nil {
			return
		}
		for _, raw := range list.Data {
			id, d, p, err := document(raw, "genova")
			if err != nil {
				continue
			}
			page := harvest.Page{Documents: []harvest.Document{d}}
			require.NoError(t, page.Check())
			require.Equal(t, id, d.ID)
			fetchertest.Storable(t, d)
			require.LessOrEqual(t, len(p.files()), maxChildren)
		}
		_ = idsOf(list.Data)
	})
}

// FuzzRefusal: whatever words and headers come, the wait is one that ends.
func FuzzRefusal(f *testing.F) {
	f.Add([]byte(`{"error":{"code":4,"message":"x"}}`), `{"call_count":1e308}`, `{"1":[{"estimated_time_to_regain_access":1e308}]}`)
	f.Add([]byte(`{"error":{"code":18,"error_subcode":2207034}}`), "", "")
	f.Fuzz(func(t *testing.T, body []byte, app, business string) {
		e := harvest.AsError(harvest.StatusError("get", "x", 400, "", time.Now()))
		err := refused(e, &answer.Answer{Body: body, Header: http.Header{"X-App-Usage": {app}, "X-Business-Use-Case-Usage": {business}}})
		require.True(t, utf8.ValidString(err.Error()))
		require.LessOrEqual(t, harvest.AsError(err).RetryAfter, 8*24*time.Hour)
	})
}

// FuzzCheckpoint: whatever stands in a checkpoint, it is one or none.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(`{"made":"m","done":["a"],"seen":["b"],"again":true}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := restore(harvest.Request{Checkpoint: raw}, "m")
		c.finish(true)
		require.LessOrEqual(t, len(c.Done), maxDone)
		require.NotEmpty(t, c.raw())
	})
}
