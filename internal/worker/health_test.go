package worker

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealthIsOnLoopbackUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		":9090": "127.0.0.1:9090", "127.0.0.1:0": "127.0.0.1:0", "0.0.0.0:9090": "0.0.0.0:9090", "[::]:9090": "[::]:9090", "worker.example:9090": "worker.example:9090",
	} {
		require.Equal(t, want, onLoopback(said))
	}
}

func TestProfilesAreForThisMachine(t *testing.T) {
	t.Parallel()
	profile := fromHere(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for from, want := range map[string]int{
		"127.0.0.1:4711": http.StatusOK, "[::1]:4711": http.StatusOK, "[::ffff:127.0.0.1]:1": http.StatusOK,
		"10.0.0.7:4711": http.StatusForbidden, "[2001:db8::1]:1": http.StatusForbidden, "": http.StatusForbidden,
	} {
		r, w := httptest.NewRequest(http.MethodGet, "/debug/pprof/", nil), httptest.NewRecorder()
		r.RemoteAddr = from
		profile(w, r)
		require.Equal(t, want, w.Code, from)
	}
}
