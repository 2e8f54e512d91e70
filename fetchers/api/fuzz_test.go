package api

import (
	"encoding/json"
	"net/http"
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

func planOf(t testing.TB, raw json.RawMessage) *plan {
	t.Helper()
	p, err := harvest.DecodeParams[Params](raw)
	require.NoError(t, err)
	out, err := p.compile()
	require.NoError(t, err)
	return out
}

// FuzzAnswer: whatever comes, as JSON or XML, documents that can be stored, rejects or
// an error, and a place that leads on.
func FuzzAnswer(f *testing.F) {
	paths, err := filepath.Glob("testdata/*[nl]")
	require.NoError(f, err)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(b, `<https://a.example.org/?page=2>; rel="next"`)
	}
	f.Add([]byte(`[{"id":1e400},{"id":"\u0000","created_at":-1e300},[[[]]],null]`), `<`)
	f.Add([]byte(`<a><b>`), `<>;rel=next,<//b>;rel="next"`)
	var plans []*plan
	for _, name := range []string{"github", "crossref", "albo"} {
		p := planOf(f, paramsOf(name, "https://a.example.org/list"))
		p.Paginator = &Paginator{Type: headerLink}
		plans = append(plans, p)
	}
	f.Fuzz(func(t *testing.T, body []byte, link string) {
		at := &url.URL{Scheme: "https", Host: "a.example.org", Path: "/list"}
		for _, p := range plans {
			a := &answer.Answer{Body: body, Final: at, Header: http.Header{"Link": {link}}}
			root, err := p.read(a)
			if err != nil {
				continue
			}
			r := &reading{Fetcher: &Fetcher{now: time.Now}, plan: p, walk: &walk{}}
			records, _ := p.records(root)
			of := r.adapt(records)
			for _, d := range of.documents[:min(len(of.documents), harvest.MaxPageDocuments)] {
				fetchertest.Storable(t, d)
				require.True(t, d.MediaType == "" || utf8.Valid(d.Body))
			}
			require.Equal(t, len(records), len(of.documents)+len(of.rejects)+of.same)
			next, err := r.next(a, root, len(records), of)
			require.True(t, err == nil || next == nil)
			if next != nil && next.URL != "" {
				to, err := url.Parse(next.URL)
				require.NoError(t, err)
				require.Equal(t, "a.example.org", to.Host)
			}
		}
	})
}

// FuzzPath: whatever stands in a campaign file, a path or an error, and never a panic.
func FuzzPath(f *testing.F) {
	for _, text := range []string{"$", "$.a[*].b", "$..b", "$.a[?@.b>1]", "$['a','b']", "$[", "$.a[?length(@.b)==", "$.a[1:2:0]", "$[?@.a+", "$.a[?@=~/(/]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := compilePath("data_selector", text)
		if err != nil {
			return
		}
		err = harvest.Safely("find", text, func() error {
			p.all(map[string]any{"a": []any{map[string]any{"b": int64(2)}, "x", nil, 1.5}, "b": map[string]any{"b": true}})
			return nil
		})
		require.True(t, err == nil || harvest.KindOf(err) == harvest.KindInternal)
	})
}

// FuzzCheckpoint: whatever stands in a checkpoint, it is one or none.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(`{"made":"m","cursor":{"a":1},"walk":{"began":1,"at":{"n":-1},"skip":-2}}`))
	f.Add([]byte(`{"made":"m","cursor":1e300,"walk":{"high":[1]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := restore(harvest.Request{Checkpoint: raw}, "m", time.Now())
		require.True(t, c.sound())
		require.Equal(t, "m", c.Made)
	})
}
