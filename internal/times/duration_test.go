package times_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/times"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "36h": 36 * time.Hour, "14d": 14 * times.Day, "2h30m": 150 * time.Minute, "1.25s": 1250 * time.Millisecond,
		"250ms": 250 * time.Millisecond, "2w": 14 * times.Day, "2y": 730 * times.Day, "0": 0, "0s": 0, "1d12h": 36 * time.Hour,
	} {
		got, err := times.ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, err := times.ParseDuration(times.FormatDuration(got))
		require.NoError(t, err, text)
		require.Equal(t, got, again, text)
	}
	for text, want := range map[string]string{
		"90": "90 needs a unit, for example 90s, 90m or 90h", "": "a duration is missing", "soon": `"soon" is not a duration`, "5x": `"5x" is not a duration`,
		"30m2h": "is not a duration", "-5s": "is not a duration", "1h1h": "is not a duration", "500y": "longer than 292 years", "1..5s": "is not a duration",
	} {
		_, err := times.ParseDuration(text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzDuration(f *testing.F) {
	f.Add("2h30m")
	f.Add("1.000000001s")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := times.ParseDuration(text)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, d, time.Duration(0))
		again, err := times.ParseDuration(times.FormatDuration(d))
		require.NoError(t, err, times.FormatDuration(d))
		require.InDelta(t, float64(d), float64(again), 1+float64(d)*1e-15)
	})
}
