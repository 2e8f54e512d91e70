package harvest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestStatusError(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)
	for status := 100; status < 400; status++ {
		require.NoError(t, harvest.StatusError("get", "https://x.org", status, "60", now), status)
	}
	for _, c := range []struct {
		status int
		header string
		kind   harvest.Kind
		rest   time.Duration
	}{
		{400, "", harvest.KindMisconfigured, 0},
		{401, "", harvest.KindBlocked, 0},
		{403, "60", harvest.KindBlocked, time.Minute},
		{404, "", harvest.KindGone, 0},
		{405, "", harvest.KindMisconfigured, 0},
		{408, "", harvest.KindTimeout, 0},
		{410, "", harvest.KindGone, 0},
		{429, "", harvest.KindThrottled, 0},
		{429, "3600", harvest.KindThrottled, time.Hour},
		{451, "", harvest.KindBlocked, 0},
		{500, "", harvest.KindServerError, 0},
		{503, "", harvest.KindServerError, 0},
		{503, "Sun, 03 May 2026 16:02:00 GMT", harvest.KindThrottled, 2 * time.Minute},
		{599, "", harvest.KindServerError, 0},
	} {
		e := harvest.AsError(harvest.StatusError("get", "https://x.org/?key=s3cr3t", c.status, c.header, now))
		require.Equal(t, c.kind, e.Kind, "%d %q", c.status, c.header)
		require.Equal(t, c.rest, e.RetryAfter, "%d %q", c.status, c.header)
		require.Equal(t, c.status, e.Status)
		require.NotContains(t, e.Error(), "s3cr3t")
	}
}
