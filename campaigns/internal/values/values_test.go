package values_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
)

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
	for text, want := range map[string]string{"5": "5 needs a unit, for example 5MiB", "5 apples": "is not a size", "99999999TiB": "too large"} {
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
