package values_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "36h": 36 * time.Hour, "14d": 14 * values.Day, "2h30m": 150 * time.Minute, "1.25s": 1250 * time.Millisecond,
		"250ms": 250 * time.Millisecond, "2w": 14 * values.Day, "2y": 730 * values.Day, "0": 0, "0s": 0, "1d12h": 36 * time.Hour,
	} {
		got, err := values.Duration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, err := values.Duration(values.FormatDuration(got))
		require.NoError(t, err, text)
		require.Equal(t, got, again, text)
	}
	for text, want := range map[string]string{
		"90": "90 needs a unit, for example 90s, 90m or 90h", "": "a duration is missing", "soon": `"soon" is no duration`, "5x": `"5x" is no duration`,
		"30m2h": "is no duration", "-5s": "is no duration", "1h1h": "is no duration", "500y": "longer than 292 years", "1..5s": "is no duration",
	} {
		_, err := values.Duration(text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzDuration(f *testing.F) {
	f.Add("2h30m")
	f.Add("1.000000001s")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := values.Duration(text)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, d, time.Duration(0))
		again, err := values.Duration(values.FormatDuration(d))
		require.NoError(t, err, values.FormatDuration(d))
		require.InDelta(t, float64(d), float64(again), 1+float64(d)*1e-15)
	})
}

func TestSizesAndRates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"5GiB": 5 << 30, "300kB": 300_000, "12MB": 12_000_000, "4096B": 4096, "1.5KiB": 1536, "2TiB": 2 << 40} {
		got, err := values.Size(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, err := values.Size(values.FormatSize(got))
		require.NoError(t, err, text)
		require.Equal(t, got, again)
	}
	for text, want := range map[string]string{"5": "5 needs a unit, for example 5MiB", "5 apples": "is no size", "99999999TiB": "too large"} {
		_, err := values.Size(text)
		require.ErrorContains(t, err, want)
	}
	n, per, err := values.Rate("20000/month", false)
	require.NoError(t, err)
	require.Equal(t, []any{int64(20000), "month"}, []any{n, per})
	n, per, err = values.Rate("5GiB/run", true)
	require.NoError(t, err)
	require.Equal(t, []any{int64(5 << 30), "run"}, []any{n, per})
	for _, text := range []string{"500", "500/week", "x/run", "-1/run", "1.5/day"} {
		_, _, err := values.Rate(text, false)
		require.ErrorContains(t, err, "for example 500/run", text)
	}
}

func TestCountsAndShares(t *testing.T) {
	t.Parallel()
	n, share, err := values.Count("20")
	require.NoError(t, err)
	require.Equal(t, []any{20, 0.0}, []any{n, share})
	n, share, err = values.Count("5%")
	require.NoError(t, err)
	require.Equal(t, []any{0, 0.05}, []any{n, share})
	for _, text := range []string{"-1", "x", "1.5", "101%", "-5%", "NaN%", "%"} {
		_, _, err := values.Count(text)
		require.Error(t, err, text)
	}
	for _, text := range []string{"5%", "33.333%", "0.1%", "100%", "12.5%"} {
		share, err := values.Share(text)
		require.NoError(t, err)
		require.Equal(t, text, values.FormatShare(share))
	}
	_, err = values.Share("20")
	require.ErrorContains(t, err, "20 needs a unit, for example 20%")
}

func TestNamesQueuesSecrets(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "gu-serie-generale", "9lives"} {
		require.NoError(t, values.Name(good))
	}
	for _, bad := range []string{"", "-a", "A", "a_b", "a b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		require.Error(t, values.Name(bad), bad)
	}
	require.NoError(t, values.Queue("vendemmia-fetch"))
	require.Error(t, values.Queue("a b"))
	for text, good := range map[string]bool{
		"plain": true, "${secret:env:X_TOKEN}": true, "Bearer ${secret:file:/run/secrets/x y}": true, "${HOME}": true,
		"${secret:X}": false, "${secret:env:}": false, "${secret:env:A}${secret:oops}": false, "${secret:env:A": false,
	} {
		require.Equal(t, good, values.Secrets(text) == nil, text)
	}
}
