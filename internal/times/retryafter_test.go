package times_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/times"
)

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 120 ": 2 * time.Minute, "-5": 0, "1.5": 0, "soon": 0,
		"99999999999999": (1<<31 - 1) * time.Second, "-99999999999999": 0,
		"Sun, 03 May 2026 16:00:30 GMT":  30 * time.Second,
		"Sunday, 03-May-26 16:00:30 GMT": 30 * time.Second, // RFC 850
		"Sun May  3 16:00:30 2026":       30 * time.Second, // asctime
		"Sun, 03 May 2026 15:00:00 GMT":  0,
		"Sun, 31 Feb 2026 15:00:00 GMT":  0,
	} {
		require.Equal(t, want, times.ParseRetryAfter(header, now), "%q", header)
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"7", "-1", "Sun, 03 May 2026 16:00:30 GMT", "99999999999", "\x00"} {
		f.Add(s, int64(1_777_000_000))
	}
	f.Fuzz(func(t *testing.T, header string, now int64) {
		require.GreaterOrEqual(t, times.ParseRetryAfter(header, time.Unix(now, 0)), time.Duration(0))
	})
}
