package x

import (
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// FuzzReply: whatever comes, documents that can be stored, rejects or an error, and
// ids that lead on.
func FuzzReply(f *testing.F) {
	body, err := os.ReadFile("testdata/search.json")
	require.NoError(f, err)
	f.Add(body)
	f.Add([]byte(`{"data":{"id":"9"},"meta":null}`))
	f.Add([]byte(`{"data":[null,7,{"id":"1","created_at":"0000-01-01T00:00:00Z"}],"meta":{"newest_id":"x"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var w reply
		a := &answer.Answer{Body: body, Final: &url.URL{}}
		if a.JSON(&w) != nil {
			return
		}
		r := &reading{Fetcher: &Fetcher{now: time.Now}, seen: map[string]string{}}
		page := r.page(&w)
		require.NoError(t, page.Check())
		fetchertest.Storable(t, page.Documents...)
		_ = w.empty(a)
		_, _ = w.userID()
		r.advance(&w)
		require.True(t, r.cp.sound())
	})
}

// FuzzRefusal: whatever words and headers come, the wait is one that ends.
func FuzzRefusal(f *testing.F) {
	f.Add([]byte(`{"type":"https://api.x.com/2/problems/usage-capped","period":"Daily"}`), "")
	f.Add([]byte(`{"errors":[{"code":88,"message":"Rate limit exceeded"}]}`), "9223372036854775807")
	f.Fuzz(func(t *testing.T, body []byte, reset string) {
		e := harvest.AsError(harvest.StatusError("get", "x", 429, "", time.Now()))
		err := refused(e, &answer.Answer{Body: body, Header: http.Header{"X-Rate-Limit-Reset": {reset}}}, time.Now())
		require.True(t, utf8.ValidString(err.Error()))
		require.LessOrEqual(t, harvest.AsError(err).RetryAfter, 32*24*time.Hour)
	})
}

// FuzzCheckpoint: whatever stands in a checkpoint, it is one or none.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(`{"made":"m","since":"9","poll":{"newest":"9","until":"3","read":-1},"spent":{"month":"2026-11","reads":3}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := restore(harvest.Request{Checkpoint: raw}, "m", time.Now())
		require.True(t, c.sound())
		require.NotEmpty(t, c.raw())
	})
}
