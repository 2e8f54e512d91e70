package exec

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// FuzzLines: whatever a program writes, of any protocol, documents that can be stored,
// rejects, warnings or an error, and a checkpoint that is JSON.
func FuzzLines(f *testing.F) {
	for _, path := range []string{"testdata/tap.singer", "testdata/source.airbyte"} {
		b, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(`{"type":"document","id":"\u0000","published":"0000-00-00","fields":{"a":1e999}}` + "\n" + `{"type":"checkpoint","value":null}`))
	f.Add([]byte(`{"type":"TRACE","trace":{"stream_status":{"status":"INCOMPLETE","reasons":[{"type":"RATE_LIMITED","rate_limited":{"quota_reset":1e300}}]}}}`))
	f.Add([]byte(`{"type":"error","error":"throttled","retry_after":1e300}`))
	f.Fuzz(func(t *testing.T, output []byte) {
		for _, protocol := range []string{ours, singer, airbyte} {
			fetch := func(out *pages.Out) error {
				r := &reading{Fetcher: &Fetcher{now: time.Now}, Out: out, ctx: t.Context(), keys: map[string][]string{}, params: Params{Program: "p", Protocol: protocol, Batch: 2, Published: "date"}}
				err := lines(bytes.NewReader(output), r.take)
				if r.failed != nil {
					require.LessOrEqual(t, r.failed.RetryAfter, 32*24*time.Hour)
				}
				if err == nil && !r.Stopped {
					r.send()
				}
				return err
			}
			for p, err := range pages.From(fetch) {
				if err != nil {
					require.NotEqual(t, harvest.KindInternal, harvest.KindOf(err))
					break
				}
				require.NoError(t, p.Check())
				fetchertest.Storable(t, p.Documents...)
			}
		}
	})
}
