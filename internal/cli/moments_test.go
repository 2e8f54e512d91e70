package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// TestMomentsAndSpans: an hour is one of today, and lengths of time have the
// grammar of campaign files.
func TestMomentsAndSpans(t *testing.T) {
	t.Parallel()
	p := program.New(program.Env{Now: moment, Zone: rome(t)})
	for text, want := range map[string]string{
		"07:12": "2026-05-03T07:12:00+02:00", "07:12:30": "2026-05-03T07:12:30+02:00", "1.5h": "2026-05-03T16:40:00+02:00", "1d": "2026-05-02T18:10:00+02:00",
		"1y": "2025-05-03T18:10:00+02:00", "2w": "2026-04-19T18:10:00+02:00", "1d12h": "2026-05-02T06:10:00+02:00", "3 May 16:00": "2026-05-03T16:00:00+02:00",
	} {
		got, err := p.Moment("since", text)
		require.NoError(t, err, text)
		require.Equal(t, want, got.In(rome(t)).Format(time.RFC3339), text)
	}
	for _, args := range [][]string{{"runs", "wait", "news", "--timeout", "1.5h"}, {"runs", "wait", "news", "--timeout", "1d"}} {
		require.Equal(t, program.ExitOK, newBench(t).run(args...).code, args)
	}
	r := newBench(t).run("runs", "wait", "news", "--timeout", "90")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "90 needs a unit, for example 90s")
}
