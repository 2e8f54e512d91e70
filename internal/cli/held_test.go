package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// heldBench is a bench with a run whose only item has failed once and waits.
func heldBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	s := b.openStore()
	openWeather(rows.RunItem{Key: "a"}, failOnce)(b, s)
	require.NoError(t, s.Close())
	return b
}

func TestShowOfARunThatWaits(t *testing.T) {
	t.Parallel()
	out := heldBench(t).ok("runs", "show", "weather")
	narrow(t, out)
	golden(t, "runs_show_waits", out)
}

func TestWatchSaysWhatARunWaitsFor(t *testing.T) {
	t.Parallel()
	b := heldBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	said := 0
	b.warned = func() {
		if said++; said == 2 { // why it waits, where it is
			cancel()
		}
	}
	r := b.runIn(ctx, "runs", "watch", "weather")
	require.Equal(t, program.ExitInterrupted, r.code)
	require.Equal(t, 1, strings.Count(r.err, "a waits until 18:15:00 CEST (get https://h.example.org/: HTTP status 502)"), r.err)
	require.Contains(t, r.err, "the run goes on", "whatever it was doing just then")
	require.Contains(t, r.err, "more: starter why weather-1\n", r.err)
}

func TestARunAtWorkWaitsForNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	openWeather(rows.RunItem{Key: "a"}, nil)(b, s)
	require.NoError(t, s.Close())
	require.NotContains(t, b.ok("runs", "show", "weather"), "waits ")
}
