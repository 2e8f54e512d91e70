package worker

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A worker whose Temporal is gone is not ready, says why, and is ready again once
// the server is back.
func TestReadyFollowsTemporal(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	health, _ := v.start("a", nil)
	ready := func() (int, string) {
		resp, err := http.Get("http://" + health + "/ready")
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(text)
	}
	becomes := func(want int) (text string) {
		t.Helper()
		require.Eventually(t, func() bool {
			var code int
			code, text = ready()
			return code == want
		}, time.Minute, 100*time.Millisecond)
		return text
	}
	becomes(http.StatusOK)
	v.server.Kill()
	require.Contains(t, becomes(http.StatusServiceUnavailable), "Temporal at "+v.server.Address)
	require.NoError(t, v.server.Restart(v.ctx))
	becomes(http.StatusOK)
}
