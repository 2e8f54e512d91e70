package answer_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// site answers what an address asks for: /STATUS, /to/STATUS/AGAIN, /cut, /long.
func site(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		for name := range q {
			w.Header().Set(name, q.Get(name))
		}
		switch way, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); way {
		case "to":
			status, to, _ := strings.Cut(rest, "/")
			w.Header().Set("Location", "/"+to)
			w.WriteHeader(number(status))
		case "cut":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half") // the client may be gone
		case "long":
			w.WriteHeader(number(rest))
			io.WriteString(w, strings.Repeat("x", 2*answer.MaxEvidence)) // the same
		default:
			w.WriteHeader(number(way))
			io.WriteString(w, rest) // the same
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func get(t *testing.T, ask answer.Ask) (answer.Answer, error) {
	t.Helper()
	ask.Verb, ask.What = "get", "thing"
	if ask.Most == 0 {
		ask.Most = 1 << 20
	}
	return answer.Get(t.Context(), http.DefaultClient, ask)
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	base := site(t)
	const wall = "<html><title>Just a moment...</title>"
	for path, want := range map[string]struct {
		kind     harvest.Kind
		evidence string
		rest     time.Duration
	}{
		"/200/text":                       {},
		"/203/text":                       {},
		"/204":                            {kind: harvest.KindBroken},
		"/206/part":                       {kind: harvest.KindBroken, evidence: "part"},
		"/300/many":                       {kind: harvest.KindBroken, evidence: "many"},
		"/304":                            {kind: harvest.KindBroken},
		"/400/what":                       {kind: harvest.KindMisconfigured, evidence: "what"},
		"/400/" + wall:                    {kind: harvest.KindBlocked, evidence: wall},
		"/401/no":                         {kind: harvest.KindBlocked, evidence: "no"},
		"/403/no":                         {kind: harvest.KindBlocked, evidence: "no"},
		"/404/" + wall:                    {kind: harvest.KindGone},
		"/410":                            {kind: harvest.KindGone},
		"/408":                            {kind: harvest.KindTimeout},
		"/429/" + wall + "?Retry-After=7": {kind: harvest.KindThrottled, rest: 7 * time.Second},
		"/500/oh":                         {kind: harvest.KindServerError, evidence: "oh"},
		"/503/oh":                         {kind: harvest.KindServerError, evidence: "oh"},
		"/503/" + wall:                    {kind: harvest.KindBlocked, evidence: wall},
		"/503/oh?Retry-After=7":           {kind: harvest.KindThrottled, rest: 7 * time.Second},
	} {
		a, err := get(t, answer.Ask{Address: base + strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20").Replace(path)})
		require.NoError(t, err, path)
		e := a.Refusal()
		if want.kind == "" {
			require.Nil(t, e, path)
			require.Equal(t, "text", string(a.Body))
			continue
		}
		require.NotNil(t, e, path)
		require.Equal(t, want.kind, e.Kind, path)
		require.Equal(t, a.Status, e.Status, path)
		require.Equal(t, want.evidence, string(e.Evidence), path)
		require.Equal(t, want.rest, e.RetryAfter, path)
		require.Contains(t, e.Error(), "HTTP status "+strconv.Itoa(a.Status))
		require.NotContains(t, e.Error(), "Retry-After", "no query in an error")
	}
}

func TestValidators(t *testing.T) {
	t.Parallel()
	known := answer.Validators{ETag: `W/"a"`, LastModified: "Mon, 02 Mar 2026 10:00:00 GMT"}
	var asked http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header
		w.Header().Set("ETag", `"b"`)
		w.WriteHeader(http.StatusNotModified)
	}))
	t.Cleanup(s.Close)
	a, err := get(t, answer.Ask{Address: s.URL, Known: known, Header: http.Header{"Accept": {"text/xml"}}})
	require.NoError(t, err)
	require.Nil(t, a.Refusal())
	require.True(t, a.NotModified)
	require.Equal(t, answer.Validators{ETag: `"b"`}, a.Validators)
	require.Equal(t, []string{known.ETag, known.LastModified, "text/xml"}, []string{asked.Get("If-None-Match"), asked.Get("If-Modified-Since"), asked.Get("Accept")})
	a, err = get(t, answer.Ask{Address: s.URL})
	require.NoError(t, err)
	require.False(t, a.NotModified)
	require.NotNil(t, a.Refusal(), "nobody asked whether it is the same")
	require.NotContains(t, asked, "If-None-Match")
}

func TestBodies(t *testing.T) {
	t.Parallel()
	base := site(t)
	a, err := get(t, answer.Ask{Address: base + "/cut"})
	require.Equal(t, harvest.KindServerError, harvest.KindOf(err))
	require.ErrorContains(t, err, "read thing")
	require.True(t, a.Short)
	require.Equal(t, "half", string(a.Body), "what came is beside the error")

	_, err = get(t, answer.Ask{Address: base + "/long/200", Most: 1000})
	require.Equal(t, harvest.KindBroken, harvest.KindOf(err))
	a, err = get(t, answer.Ask{Address: base + "/long/500", Most: 1 << 20})
	require.NoError(t, err)
	require.Len(t, a.Body, answer.MaxEvidence, "of an error's page no more is read")
	require.Len(t, a.Evidence(), answer.MaxEvidence)

	room := make([]byte, 0, 4096)
	a, err = get(t, answer.Ask{Address: base + "/200/text", Into: room})
	require.NoError(t, err)
	require.Equal(t, "text", string(room[:4]), "the room is used")
	evidence := a.Evidence()
	copy(room[:4], "next")
	require.Equal(t, "text", string(evidence), "evidence is a copy")
	a, err = get(t, answer.Ask{Address: base + "/200/%20%0A"})
	require.NoError(t, err)
	require.True(t, a.Blank())
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for address, kind := range map[string]harvest.Kind{"http://%zz": harvest.KindMisconfigured, "http://127.0.0.1:1/x?token=s3cr3t": harvest.KindUnreachable} {
		a, err := get(t, answer.Ask{Address: address})
		require.Equal(t, kind, harvest.KindOf(err), address)
		require.NotContains(t, err.Error(), "s3cr3t")
		require.Nil(t, a.Refusal(), "there was no answer to refuse anything")
		require.Empty(t, a.ContentType())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := answer.Get(ctx, http.DefaultClient, answer.Ask{Address: site(t) + "/200"})
	require.ErrorIs(t, err, context.Canceled)
}

// Only a chain of nothing but permanent redirects from the beginning is a move.
func TestMoved(t *testing.T) {
	t.Parallel()
	base := site(t)
	for path, moved := range map[string]string{
		"/200":                      "",
		"/to/301/200":               "/200",
		"/to/308/to/301/200":        "/200",
		"/to/302/200":               "",
		"/to/301/to/302/200":        "/to/302/200",
		"/to/302/to/301/200":        "",
		"/to/301/to/307/to/301/200": "/to/307/to/301/200",
	} {
		a, err := get(t, answer.Ask{Address: base + path})
		require.NoError(t, err, path)
		require.Equal(t, base+"/200", a.Final.String(), path)
		require.Equal(t, moved, strings.TrimPrefix(a.Moved, base), path)
	}
}
