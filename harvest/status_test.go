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
		{403, "60", harvest.KindBlocked, minute},
		{404, "", harvest.KindGone, 0},
		{405, "", harvest.KindMisconfigured, 0},
		{408, "", harvest.KindTimeout, 0},
		{410, "", harvest.KindGone, 0},
		{429, "", harvest.KindThrottled, 0},
		{429, "3600", harvest.KindThrottled, hour},
		{451, "", harvest.KindBlocked, 0},
		{500, "", harvest.KindServerError, 0},
		{503, "", harvest.KindServerError, 0},
		{503, "Sun, 03 May 2026 16:02:00 GMT", harvest.KindThrottled, 2 * minute},
		{599, "", harvest.KindServerError, 0},
	} {
		e := harvest.AsError(harvest.StatusError("get", "https://x.org/?key=s3cr3t", c.status, c.header, now))
		require.Equal(t, c.kind, e.Kind, "%d %q", c.status, c.header)
		require.Equal(t, c.rest, e.RetryAfter, "%d %q", c.status, c.header)
		require.Equal(t, c.status, e.Status)
		require.NotContains(t, e.Error(), "s3cr3t")
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * second, " 120 ": 2 * minute, "-5": 0, "1.5": 0, "soon": 0,
		"99999999999999": (1<<31 - 1) * second, "-99999999999999": 0,
		"Sun, 03 May 2026 16:00:30 GMT":  30 * second,
		"Sunday, 03-May-26 16:00:30 GMT": 30 * second, // RFC 850
		"Sun May  3 16:00:30 2026":       30 * second, // asctime
		"Sun, 03 May 2026 15:00:00 GMT":  0,
		"Sun, 31 Feb 2026 15:00:00 GMT":  0,
	} {
		require.Equal(t, want, harvest.ParseRetryAfter(header, now), "%q", header)
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"7", "-1", "Sun, 03 May 2026 16:00:30 GMT", "99999999999", "\x00"} {
		f.Add(s, int64(1_777_000_000))
	}
	f.Fuzz(func(t *testing.T, header string, now int64) {
		require.GreaterOrEqual(t, harvest.ParseRetryAfter(header, time.Unix(now, 0)), time.Duration(0))
	})
}
