package campaigns

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSpreadLimitIsAQuarterOfTheShortestGap: the limit without enumerating fires is
// the one with.
func TestSpreadLimitIsAQuarterOfTheShortestGap(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"every 1s", "every 1m", "every 7m", "every 2h", "daily at 18:00", "daily at 18:00, 18:05", "daily at 23:58, 00:01",
		"daily at 01:58, 03:01 Europe/Rome", "mon at 23:58 Europe/Rome", "0 * * * *", "0 * * * * Europe/Rome", "*/5 * * * *",
		"30 1 * * * Antarctica/Troll", "0 0 30 2 *", "59 1 * * * Australia/Lord_Howe", "0 0,4 * * * Europe/Rome", "0 12 1 1 *",
		"30 1 1 * mon", "daily at 00:00, 12:00 Pacific/Apia",
	} {
		s, err := ParseSchedule(text)
		require.NoError(t, err, text)
		want := maxSpread
		if gap := s.Gap(spreadEpoch()); gap > 0 {
			want = min(want, gap/4)
		}
		require.Equal(t, want, s.spreadLimit(), text)
	}
	require.Equal(t, maxSpread, Schedule{At: []string{"25:00"}}.spreadLimit(), "a schedule that is not valid")
	require.Equal(t, maxSpread, Schedule{Every: 3660 * 24 * time.Hour}.spreadLimit(), "more than the days that Gap looks at")
}

func TestPerDay(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]float64{
		"every 2h":              12,
		"every 5s":              17280, // more than are looked at
		"daily at 07:12":        1,
		"daily at 06:00, 18:00": 2,
		"sat at 06:00":          52.0 / 365,
		"0 0 30 2 *":            0,
	} {
		s, err := ParseSchedule(text)
		require.NoError(t, err, text)
		require.InDelta(t, want, s.PerDay(from), want/1000, text)
		s.MaxRuns = 1
		require.InDelta(t, want, s.PerDay(from), want/1000, text)
	}
	require.Zero(t, Schedule{At: []string{"25:00"}}.PerDay(from))
}

func BenchmarkSpread(b *testing.B) {
	s, err := ParseSchedule("daily at 18:00, 22:30 Europe/Rome")
	require.NoError(b, err)
	for b.Loop() {
		s.Spread("news")
	}
}
