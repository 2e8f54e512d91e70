package webhook_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/webhook"
)

func TestSendPostsJSONWithAKey(t *testing.T) {
	t.Parallel()
	var body, key, kind, method string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, key, kind, method = string(b), r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), r.Method
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	s := webhook.Sender{Client: server.Client()}
	require.NoError(t, s.Send(t.Context(), server.URL+"/hook?token=abc", "7f3a-1", json.RawMessage(`{"event":"failed"}`)))
	require.Equal(t, []string{`{"event":"failed"}`, "7f3a-1", "application/json", "POST"}, []string{body, key, kind, method})
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		code int
		to   string
		kind harvest.Kind
	}{
		{name: "busy", code: 429, kind: harvest.KindThrottled},
		{name: "broken", code: 500, kind: harvest.KindServerError},
		{name: "gone", code: 404, kind: harvest.KindGone},
		{name: "refused", code: 401, kind: harvest.KindBlocked},
		{name: "bad", code: 400, kind: harvest.KindMisconfigured},
		{name: "mail", to: "mailto:ops@example.it", kind: harvest.KindMisconfigured},
		{name: "nonsense", to: "http://a b/", kind: harvest.KindMisconfigured},
		{name: "nobody there", to: "http://127.0.0.1:1/secret-path?token=abc", kind: harvest.KindUnreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(c.code)
			}))
			defer server.Close()
			to := c.to
			if to == "" {
				to = server.URL + "/secret-path?token=abc"
			}
			s := webhook.Sender{Client: server.Client(), Now: time.Now}
			err := s.Send(t.Context(), to, "k", json.RawMessage(`{}`))
			require.Equal(t, c.kind, harvest.KindOf(err), "%v", err)
			require.NotContains(t, err.Error(), "token")
			require.NotContains(t, err.Error(), "secret-path")
			if c.code == 429 {
				require.Equal(t, time.Minute, harvest.AsError(err).RetryAfter)
			}
		})
	}
}
