package campaigns

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNext(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		more  func(*Schedule)
		after string
		want  []string
	}{
		"intervals count from 1970, in UTC": {
			text: "every 7h", after: "2026-05-01T00:00:00Z",
			want: []string{"2026-05-01T04:00:00Z", "2026-05-01T11:00:00Z", "2026-05-01T18:00:00Z"},
		},
		"an offset moves them": {
			text: "every 6h offset 20m", after: "2026-05-01T00:20:00Z",
			want: []string{"2026-05-01T06:20:00Z", "2026-05-01T12:20:00Z"},
		},
		"times of day": {
			text: "mon,thu at 18:00, 22:30 Europe/Rome", after: "2026-05-04T16:00:00Z",
			want: []string{"2026-05-04T22:30:00+02:00", "2026-05-07T18:00:00+02:00", "2026-05-07T22:30:00+02:00"},
		},
		"no 02:30 in spring": {
			text: "daily at 02:30 Europe/Rome", after: "2026-03-28T00:00:00Z",
			want: []string{"2026-03-28T02:30:00+01:00", "2026-03-30T02:30:00+02:00"},
		},
		"two 02:30 in autumn": {
			text: "daily at 02:30 Europe/Rome", after: "2026-10-24T12:00:00Z",
			want: []string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-26T02:30:00+01:00"},
		},
		"the repeated hour in order": {
			text: "*/30 2,3 * * * Europe/Rome", after: "2026-10-24T12:00:00Z",
			want: []string{
				"2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00",
				"2026-10-25T02:30:00+01:00", "2026-10-25T03:00:00+01:00",
			},
		},
		"from within the repeated hour": {
			text: "*/30 2 * * * Europe/Rome", after: "2026-10-25T01:00:00Z",
			want: []string{"2026-10-25T02:30:00+01:00", "2026-10-26T02:00:00+01:00"},
		},
		"both day fields mean OR": {
			text: "0 0 13 * fri", after: "2026-05-08T12:00:00Z",
			want: []string{"2026-05-13T00:00:00Z", "2026-05-15T00:00:00Z", "2026-05-22T00:00:00Z"},
		},
		"a field that begins with a star means AND": {
			text: "0 0 */2 * mon", after: "2026-05-01T00:00:00Z",
			want: []string{"2026-05-11T00:00:00Z", "2026-05-25T00:00:00Z", "2026-06-01T00:00:00Z"},
		},
		"the same on the other side": {
			text: "0 0 1-7 * */7", after: "2026-05-01T00:00:00Z",
			want: []string{"2026-05-03T00:00:00Z", "2026-06-07T00:00:00Z"},
		},
		"seven is Sunday, also at the end of a range": {
			text: "0 0 * * 6-7", after: "2026-05-01T00:00:00Z",
			want: []string{"2026-05-02T00:00:00Z", "2026-05-03T00:00:00Z", "2026-05-09T00:00:00Z"},
		},
		"sun ends a range": {
			text: "0 0 * * sat-sun", after: "2026-05-01T00:00:00Z",
			want: []string{"2026-05-02T00:00:00Z", "2026-05-03T00:00:00Z", "2026-05-09T00:00:00Z"},
		},
		"steps from a value": {
			text: "10/20 0 1 1 *", after: "2026-05-01T00:00:00Z",
			want: []string{"2027-01-01T00:10:00Z", "2027-01-01T00:30:00Z", "2027-01-01T00:50:00Z"},
		},
		"a leap day": {
			text: "0 0 29 2 *", after: "2026-05-01T00:00:00Z",
			want: []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		},
		"never": {text: "0 0 30 2 *", after: "2026-05-01T00:00:00Z"},
		"start and end are included, in the zone": {
			text: "daily at 00:00, 23:59 Europe/Rome", after: "2026-05-01T00:00:00Z",
			more: func(s *Schedule) { s.Start, s.End = "2026-06-01", "2026-06-01" },
			want: []string{"2026-06-01T00:00:00+02:00", "2026-06-01T23:59:00+02:00"},
		},
		"skipped days, one of every year": {
			text: "daily at 06:00 Europe/Rome", after: "2026-12-23T12:00:00Z",
			more: func(s *Schedule) { s.Skip = []string{"12-25", "2026-12-27"} },
			want: []string{"2026-12-24T06:00:00+01:00", "2026-12-26T06:00:00+01:00", "2026-12-28T06:00:00+01:00"},
		},
		"intervals skip days of the zone": {
			text: "every 12h", after: "2026-08-14T11:00:00Z",
			more: func(s *Schedule) { s.Skip, s.TimeZone = []string{"2026-08-15"}, "Pacific/Auckland" },
			want: []string{"2026-08-16T00:00:00+12:00", "2026-08-16T12:00:00+12:00"},
		},
		"at most max_runs": {
			text: "hourly", after: "2026-05-01T00:00:00Z", more: func(s *Schedule) { s.MaxRuns = 2 },
			want: []string{"2026-05-01T01:00:00Z", "2026-05-01T02:00:00Z"},
		},
		"a zone whose days may begin at one": {
			text: "daily at 00:30, 06:00 Africa/Cairo", after: "2026-04-23T12:00:00Z",
			more: func(s *Schedule) { s.Start = "2026-04-24" },
			want: []string{"2026-04-24T06:00:00+03:00", "2026-04-25T00:30:00+03:00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := ParseSchedule(c.text)
			require.NoError(t, err)
			if c.more != nil {
				c.more(&s)
			}
			after, err := time.Parse(time.RFC3339, c.after)
			require.NoError(t, err)
			var got []string
			for _, next := range s.Next(after, max(1, len(c.want)+btoi(s.End != "" || s.MaxRuns > 0))) {
				got = append(got, next.Format(time.RFC3339))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestDoubtful(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{
		"2026-10-25T02:30:00+02:00": true,
		"2026-10-25T02:30:00+01:00": true,
		"2026-10-25T01:59:00+02:00": false,
		"2026-10-25T03:30:00+01:00": true,
		"2026-10-25T04:00:00+01:00": false,
		"2026-03-29T03:30:00+02:00": false,
	} {
		moment, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		require.Equal(t, want, Schedule{At: []string{"02:30"}, TimeZone: "Europe/Rome"}.Doubtful(moment), at)
		require.False(t, Schedule{Every: time.Hour, TimeZone: "Europe/Rome"}.Doubtful(moment), at)
		require.False(t, Schedule{At: []string{"02:30"}}.Doubtful(moment), at)
	}
	cairo := Schedule{At: []string{"06:00"}, TimeZone: "Africa/Cairo"}
	require.True(t, cairo.Doubtful(time.Date(2026, 4, 24, 3, 0, 0, 0, time.UTC)), "a day without midnight")
	require.False(t, cairo.Doubtful(time.Date(2026, 4, 25, 3, 0, 0, 0, time.UTC)))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestGap(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"every 2h":                           2 * time.Hour,
		"daily at 18:00, 22:30":              4*time.Hour + 30*time.Minute,
		"daily at 18:00 Europe/Rome":         23 * time.Hour, // the spring night
		"daily at 02:30 Europe/Rome":         24 * time.Hour, // the autumn repeat does not count
		"mon,thu at 18:00":                   72 * time.Hour,
		"* * * * *":                          time.Minute,
		"0 0 29 2 *":                         0,
		"0 0 30 2 *":                         0,
		"0 0 1 * *":                          28 * 24 * time.Hour,
		"every 500d":                         0,
		"*/45 * * * *":                       15 * time.Minute,
		"30 1 * * *; 0 2 * * * Europe/Paris": 0, // does not parse: two zones
	} {
		s, _ := ParseSchedule(text)
		require.Equal(t, want, s.Gap(from), text)
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	every, _ := ParseSchedule("every 2h")
	seen := map[time.Duration]bool{}
	for _, name := range []string{"news", "gazzetta", "partners", "weather"} {
		d := every.Spread(name)
		require.Equal(t, d, every.Spread(name))
		require.GreaterOrEqual(t, d, time.Minute)
		require.LessOrEqual(t, d, 2*time.Minute)
		seen[d] = true
	}
	require.Greater(t, len(seen), 1, "all names got the same spread")
	short, _ := ParseSchedule("every 1m")
	require.LessOrEqual(t, short.Spread("news"), 15*time.Second)
	second, _ := ParseSchedule("every 1s")
	require.Zero(t, second.Spread("news"))
	ended := every
	ended.End = "2020-01-01"
	require.Equal(t, every.Spread("news"), ended.Spread("news"))
	zero, hour := time.Duration(0), time.Hour
	every.Jitter = &zero
	require.Zero(t, every.Spread("news"))
	short.Jitter = &hour
	require.Equal(t, hour, short.Spread("news"))
}

func TestSpec(t *testing.T) {
	t.Parallel()
	all := func(lo, hi int) []Range { return []Range{{Start: lo, End: hi, Step: 1}} }
	one := func(v int) []Range { return all(v, v) }
	jitter := 30 * time.Minute
	rome, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	got, err := Schedule{
		Cron: []string{"0,5,10 1 13 * fri-sun"}, TimeZone: "Europe/Rome", Jitter: &jitter,
		Start: "2026-01-01", End: "2026-12-31", Skip: []string{"12-25", "2026-08-15"},
	}.Spec()
	require.NoError(t, err)
	require.Equal(t, Spec{
		Calendars: []Calendar{
			{Minute: []Range{{0, 10, 5}}, Hour: one(1), DayOfMonth: one(13), Month: all(1, 12), DayOfWeek: all(0, 6)},
			{Minute: []Range{{0, 10, 5}}, Hour: one(1), DayOfMonth: all(1, 31), Month: all(1, 12), DayOfWeek: []Range{{0, 0, 1}, {5, 6, 1}}},
		},
		SkipDays: []SkipDay{{Month: 12, Day: 25}, {Year: 2026, Month: 8, Day: 15}},
		TimeZone: "Europe/Rome", Jitter: jitter,
		Start: time.Date(2026, 1, 1, 0, 0, 0, 0, rome), End: time.Date(2026, 12, 31, 23, 59, 59, 0, rome),
	}, got)

	got, err = Schedule{Every: 6 * time.Hour, Offset: 20 * time.Minute}.Spec()
	require.NoError(t, err)
	require.Equal(t, Spec{Intervals: []Interval{{Every: 6 * time.Hour, Offset: 20 * time.Minute}}, TimeZone: "UTC"}, got)

	got, err = Schedule{At: []string{"22:30", "18:00", "6:00"}, Days: []string{"sun", "mon"}}.Spec()
	require.NoError(t, err)
	require.Equal(t, []Calendar{
		{Minute: one(0), Hour: []Range{{6, 6, 1}, {18, 18, 1}}, DayOfMonth: all(1, 31), Month: all(1, 12), DayOfWeek: all(0, 1)},
		{Minute: one(30), Hour: one(22), DayOfMonth: all(1, 31), Month: all(1, 12), DayOfWeek: all(0, 1)},
	}, got.Calendars)
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	hours := 2 * time.Hour
	for text, c := range map[string]struct {
		more func(*Schedule)
		want []string
	}{
		"every 2h":           {},
		"daily at 18:00":     {},
		"30 1 * * *":         {},
		"0 0 30 2 *":         {want: []string{`cron "0 0 30 2 *" never fires: there is no such day`}},
		"* 0 * * *":          {want: []string{`cron "* 0 * * *" fires 60 times in each of its hours; once in an hour is: 0 0 * * *`}},
		"* * * * *":          {want: []string{`cron "* * * * *" fires 60 times in each of its hours; once in an hour is: 0 * * * *`}},
		"every 1m":           {want: []string{"every 1m fires 60 times an hour"}},
		"*/45 * * * *":       {want: []string{`cron "*/45 * * * *" starts again at minute 0 after 45: the last gap is 15, not 45`}},
		"0 */30 * * *":       {want: []string{`cron "0 */30 * * *" has a step of 30 in its hour field, which only leaves 0`}},
		"0 0 13 * 5":         {want: []string{`cron "0 0 13 * 5" fires on the given days of the month and on the given days of the week: both set means OR, as in crontab`}},
		"every 10s":          {want: []string{"every 10s is more often than once a minute"}},
		"daily at 09:00":     {more: func(s *Schedule) { s.End = "2026-01-01" }, want: []string{"ended on 2026-01-01: it will not fire again"}},
		"mon at 09:00":       {more: func(s *Schedule) { s.Start, s.End = "2026-06-02", "2026-06-03" }, want: []string{"never fires between 2026-06-02 and 2026-06-03"}},
		"every 1h":           {more: func(s *Schedule) { s.Jitter = &hours }, want: []string{"jitter 2h is longer than the shortest gap between two fires, 1h, and is cut to it"}},
		"daily at 2:30":      {more: func(s *Schedule) { s.TimeZone = "Europe/Rome" }, want: []string{"02:30 comes twice in Europe/Rome on 25 October 2026: one fire or two, as the server has it (Temporal 1.29: one, at the second)", "there is no 02:30 in Europe/Rome on 28 March 2027: no fire on that day"}},
		"sat at 2:30":        {more: func(s *Schedule) { s.TimeZone = "Europe/Rome" }},
		"30 * * * *":         {more: func(s *Schedule) { s.TimeZone = "Europe/Rome" }},
		"daily at 0:15, 3:0": {},
	} {
		s, err := ParseSchedule(text)
		if err != nil {
			require.Empty(t, s.Warnings(from), text)
			continue
		}
		if c.more != nil {
			c.more(&s)
		}
		require.Equal(t, c.want, s.Warnings(from), text)
	}
}
