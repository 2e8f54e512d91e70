package registry

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

// realLines are the distinct lines of one installation with 104 jobs.
const realLines = `0 9 * * 5
10 10 10 6 *
0 12 * * 4
0 9 15 * 6
0 5 * * 1
0 11 * * 2
0 4 * * 3
0 4 * * 4
18 14 16 3 *
0 9 * * 6
0 0 17 6 3
0 5 30 * 1
0 0 4 2 *
0 0 3 1 6
0 0 * 1 *
0 2 4 3 *
0 22 * * 3
0 0 * * 1
0 11 * * 5
0 3 * * 6
0 0 6 2 *
0 0 7 2 *
0 0 3 3 *
0 0 17 3 *
0 0 18 5 *
10 23 * * *
0 0 2 6 *
0 0 15 * *
0 0 10 2 *
0 0 1 2 *
10 11 * * 3
0 0 4 3 *
0 0 1 * *
0 12 * * *
0 0 8 1 *
0 7 * * 3
12 5 13 6 *
0 0 1 3 *
13 16 15 * *
7 9 25 * *
10 7 6 11 *
0 0 4 10 *
0 0 17 * *
11 7 10 * *
0 0 1 1 1
16 9 2 2 *
13 5 1 2 *
13 5 3 2 *
0 0 * * *
0 0 2 2 *
20 22 * * *
19 23 * * *
10 17 * * *
12 12 22 * *
10 9 * * *
0 0 4 1 *
10 20 * * *
0 0 3 2 *
9 23 * * 4
10 9 * * 5
10 20 * * 3
14 17 13 * *
0 0 3 1 *
20 2 * * 1
16 10 * * 4
0 2 * * 1
0 3 * * 2
0 21 * * 2
10 21 * * *
50 5 19 * *
0 17 18 * *
0 15 17 * *
11 13 * * *
15 15 * * 6
0 0 18 * *
0 0 25 * *
17 14 18 * *
10 11 * * *
15 12 * * *
20 13 * * *
45 23 12 * *
30 10 * * 3
0 0 2 12 *
0 6 * * 6
0 0 14 1 *
30 5 * * *
30 14 * * 2
30 14 * * *`

// there says whether the harvester starts a job in a minute: each field as text.
func there(line string, t time.Time) bool {
	is := []int{t.Minute(), t.Hour(), t.Day(), int(t.Month()), int(t.Weekday())}
	for i, f := range strings.Fields(line) {
		if f != "*" && f != strconv.Itoa(is[i]) {
			return false
		}
	}
	return true
}

// Each line fires when it fires there: of 29 years, which hold every date on every
// weekday, all days are compared. What crontab makes of five of them is another thing.
func TestLinesOfARealInstallationFireWhenTheyFireThere(t *testing.T) {
	t.Parallel()
	lines := strings.Split(realLines, "\n")
	require.Len(t, lines, 88)
	from, until := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)
	var others []string
	for _, line := range lines {
		fields := strings.Fields(line)
		s, err := ParseAnd(fields)
		require.NoError(t, err, line)
		spec, err := s.Spec()
		require.NoError(t, err, line)
		require.Len(t, spec.Calendars, 1, "%s: one calendar, so that the engine wants all fields to fit", line)
		read, err := campaigns.ParseSchedule(s.String())
		require.NoError(t, err, line)
		require.Equal(t, s, read, "%s: a campaign file says the same", line)

		var want []time.Time
		for day := from; day.Before(until); day = day.AddDate(0, 0, 1) {
			at := day.Add(time.Duration(number(fields[1]))*time.Hour + time.Duration(number(fields[0]))*time.Minute)
			if there(line, at) {
				want = append(want, at)
			}
		}
		require.Equal(t, want, s.Next(from.Add(-time.Minute), len(want)), line)
		if crontab, err := campaigns.ParseSchedule(line); err != nil || !sameFires(crontab, s, from) {
			others = append(others, line)
		}
	}
	require.Equal(t, []string{"0 9 15 * 6", "0 0 17 6 3", "0 5 30 * 1", "0 0 3 1 6", "0 0 1 1 1"}, others)
}

func number(field string) int {
	n, _ := strconv.Atoi(field) // * is 0
	return n
}

func sameFires(a, b campaigns.Schedule, from time.Time) bool {
	x, y := a.Next(from, 3), b.Next(from, 3)
	for i := range x {
		if len(x) != len(y) || !x[i].Equal(y[i]) {
			return false
		}
	}
	return true
}

func TestWhatIsDueMoreOftenThanDailyIsMadeDaily(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"0 11 * * 2": "0 11 * * 2 Europe/Rome",
		"0 * * * *":  "daily at 09:42 Europe/Rome",
		"* * 1 * 2":  "daily at 09:42 Europe/Rome",
		"0 0 17 6 3": "0 0 17 6 * on wed Europe/Rome",
	} {
		s, err := schedule(line, "4902", "Europe/Rome")
		require.NoError(t, err, line)
		require.Equal(t, want, s.String(), line)
	}
	none, err := schedule("  ", "1", "")
	require.NoError(t, err)
	require.Nil(t, none, "once now")
	for _, line := range []string{"0 24 * * *", "05 1 * * *", "*/5 * * * *", "0 1 * * 7", "@daily", "0 1 * *", "0 1 0 * *", "0 1 * * mon"} {
		_, err := schedule(line, "1", "")
		require.ErrorContains(t, err, "never fires there", line)
	}
}
