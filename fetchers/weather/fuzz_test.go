package weather

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

func seed(f *testing.F) {
	f.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	require.NoError(f, err)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(`{"hourly":{"time":[9223372036854775807],"x":[1]},"utc_offset_seconds":-9223372036854775808}`))
	f.Add([]byte(`{"hourly":{"time":null,"":[]},"hourly_units":[]}`))
	f.Add([]byte(`{"reason":"Daily","error":true}`))
}

func at() *url.URL { return &url.URL{Scheme: "https", Host: "api.example.org"} }

// storable: what comes out can be stored.
func storable(t *testing.T, reports []report) {
	t.Helper()
	for _, r := range reports {
		page := harvest.Page{Documents: r.documents[:min(len(r.documents), harvest.MaxPageDocuments)]}
		require.NoError(t, page.Check())
		fetchertest.Storable(t, r.documents...)
	}
}

// FuzzOpenMeteo: whatever comes, documents that can be stored or an error.
func FuzzOpenMeteo(f *testing.F) {
	seed(f)
	p := paramsOf(OpenMeteo)
	f.Fuzz(func(t *testing.T, body []byte) {
		for n := 1; n <= 2; n++ {
			list, err := readLocations(&answer.Answer{Body: body, Final: at()}, n)
			for i := range list {
				of, err := p.adapt(p.Places[i], list[i])
				if err == nil {
					storable(t, []report{of})
				}
			}
			require.True(t, err != nil || len(list) == n)
		}
	})
}

// FuzzMETNorway is the same for the other service.
func FuzzMETNorway(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		of, err := readMET(genovaAndLodz()[0], &answer.Answer{Body: body, Final: at()})
		if err == nil {
			storable(t, []report{of})
		}
	})
}

// FuzzRefusal: whatever reason comes, the wait is one that ends.
func FuzzRefusal(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		e := harvest.AsError(harvest.StatusError("get", "x", 429, "", time.Now()))
		err := refused(e, body, time.Now())
		require.True(t, utf8.ValidString(err.Error()))
		require.LessOrEqual(t, harvest.AsError(err).RetryAfter, 32*24*time.Hour)
	})
}

// FuzzCheckpoint: whatever stands in a checkpoint, it is one or none.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(`{"made":"m","at":7,"began":1,"known":[null,{"hash":"x","listed":-1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := restore(harvest.Request{Checkpoint: raw}, "m", time.Now(), 2)
		require.Len(t, c.Known, 2)
		require.True(t, c.At >= 0 && c.At < 2)
		require.NotEmpty(t, c.raw())
	})
}
