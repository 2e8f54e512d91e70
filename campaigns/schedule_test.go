package campaigns

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseScheduleReadsWordsAndCron(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Schedule{
		"every 2h":                         {Every: 2 * time.Hour},
		"  Every  90m ":                    {Every: 90 * time.Minute},
		"every 6h offset 20m":              {Every: 6 * time.Hour, Offset: 20 * time.Minute},
		"every 2h30m":                      {Every: 150 * time.Minute},
		"every 1w":                         {Every: 7 * 24 * time.Hour},
		"every 1.5h":                       {Every: 90 * time.Minute},
		"every 1d offset 0.5h":             {Every: 24 * time.Hour, Offset: 30 * time.Minute},
		"every 1y":                         {Every: 365 * 24 * time.Hour},
		"hourly":                           {Every: time.Hour},
		"hourly offset 5m":                 {Every: time.Hour, Offset: 5 * time.Minute},
		"daily at 18:00, 22:30":            {At: []string{"18:00", "22:30"}},
		"daily at 22:30,9:05 and 9:05":     {At: []string{"09:05", "22:30"}},
		"mon,thu at 18:00":                 {Days: []string{"mon", "thu"}, At: []string{"18:00"}},
		"Thursday, mon at 18:00":           {Days: []string{"mon", "thu"}, At: []string{"18:00"}},
		"wed at 18:00":                     {Days: []string{"wed"}, At: []string{"18:00"}},
		"weekdays at 07:00":                {Days: []string{"mon", "tue", "wed", "thu", "fri"}, At: []string{"07:00"}},
		"weekends,fri at 7:00":             {Days: []string{"fri", "sat", "sun"}, At: []string{"07:00"}},
		"fri-mon at 7:00":                  {Days: []string{"mon", "fri", "sat", "sun"}, At: []string{"07:00"}},
		"mon-sun at 7:00":                  {At: []string{"07:00"}},
		"daily at 18:00 Europe/Rome":       {At: []string{"18:00"}, TimeZone: "Europe/Rome"},
		"30 1 * * *":                       {Cron: []string{"30 1 * * *"}},
		"*/5  8-18 * * MON-FRI":            {Cron: []string{"*/5 8-18 * * mon-fri"}},
		"0 0 1 JAN mon/2 America/New_York": {Cron: []string{"0 0 1 jan mon/2"}, TimeZone: "America/New_York"},
		"0 0 17 6 * on wed":                {Cron: []string{"0 0 17 6 *"}, Days: []string{"wed"}},
		"@daily":                           {Cron: []string{"@daily"}},
		"30 1 * * *; 0 12 * * sun":         {Cron: []string{"30 1 * * *", "0 12 * * sun"}},
		"30 1 * * *\ndaily at 18:00\n":     {Cron: []string{"30 1 * * *", "0 18 * * *"}},
		"mon,thu at 18:05; sat at 9:00":    {Cron: []string{"5 18 * * mon,thu", "0 9 * * sat"}},
	} {
		got, err := ParseSchedule(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		require.Empty(t, got.Validate(), text)
	}
}

func TestParseScheduleNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "is empty; for example",
		"every":                       "takes one duration: every 2h",
		"every day":                   `"day" is not a duration; for example 90s`,
		"every 5":                     `5 needs a unit, for example 5s`,
		"every 2h at 9:00":            "takes one duration",
		"every 0s":                    "exactly one of",
		"every 99999d":                "every: at most 3660 days",
		"every 999999d":               "longer than 292 years",
		"every 1.5s":                  "must be whole seconds",
		"every 1h offset 2h":          "offset 2h must be shorter than every 1h",
		"daily":                       "neither words nor a cron line; for example",
		"daily at":                    "a time is missing",
		"daily at 25:00":              `"25:00" is not a time of day`,
		"daily at 6pm":                `"6pm" is not a time of day`,
		"daily at 24:00":              "write that",
		"mon,thr at 18:00":            `"thr" is not a day; did you mean thu?`,
		"xyzzy at 18:00":              `"xyzzy" is not a day: mon tue`,
		"at 18:00":                    "the days are missing",
		"18:00 daily":                 "neither words nor a cron line",
		"0 0 17 6 * on":               "the days are missing",
		"30 1 * *":                    "has five fields (minute hour day-of-month month day-of-week), this one has 4",
		"0 30 1 * * *":                "this one has 6",
		"61 * * * *":                  `minute "61": "61": must be 0 to 59`,
		"0 24 * * *":                  "must be 0 to 23",
		"0 0 0 * *":                   "day of month",
		"0 0 * 13 *":                  "must be 1 to 12, or jan feb",
		"0 0 * * 8":                   "must be 0 to 7, or sun mon",
		"0 0 * * monday":              "must be 0 to 7, or sun mon",
		"0 0 L * *":                   "are not of crontab",
		"0 0 ? * 1":                   "are not of crontab",
		"0 0 * * 5#3":                 "are not of crontab",
		"0 0 15w * *":                 "are not of crontab",
		"*/0 * * * *":                 `the step "0" must be a number from 1 up`,
		"0 7 * * 7/9":                 "7/…: after 7, Sunday, the week has no more days to step to; write 7 alone, or */2 for every second day",
		"0 22-2 * * *":                "the range 22-2 ends before it begins; write it as two: 22-23,0-2",
		"@reboot":                     "there is no boot",
		"@every 2h":                   "write it without the @: every 2h",
		"@fortnightly":                "there are @hourly @daily",
		"CRON_TZ=Europe/Rome 0 0 * *": "time_zone: Europe/Rome",
		"daily at 18:00 Europe/Roma":  `no such time zone: "Europe/Roma"`,
		"every 2h; daily at 18:00":    "cannot stand in a list",
		"daily at 18:00 Europe/Rome; daily at 19:00": "share one time zone",
	} {
		_, err := ParseSchedule(text)
		if text == "every 0s" { // no form but a schedule without a time
			require.NotEmpty(t, Schedule{}.Validate())
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
}

func TestScheduleTextReadsBack(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"every 120m":                      "every 2h",
		"every 36h":                       "every 36h",
		"every 6h offset 1200s":           "every 6h offset 20m",
		"mon-fri at 7:00":                 "weekdays at 07:00",
		"sun,sat at 7:00":                 "weekends at 07:00",
		"thu,mon at 18:00 Europe/Rome":    "mon,thu at 18:00 Europe/Rome",
		"0 1 * * *; 0 2 * * * ":           "0 1 * * *; 0 2 * * *",
		"30 1 * * SUN Europe/Rome":        "30 1 * * sun Europe/Rome",
		"daily at 18:00,  22:30 and 9:00": "daily at 09:00, 18:00, 22:30",
	} {
		s, err := ParseSchedule(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String(), text)
	}
}

func TestValidateNamesEverythingAtOnce(t *testing.T) {
	t.Parallel()
	minus := -time.Second
	wrong := Schedule{
		Every: 1500 * time.Millisecond, Offset: -time.Second, At: []string{"7"}, Days: []string{"mo"}, Cron: []string{"* * *"},
		TimeZone: "Local", Jitter: &minus, Start: "2026-05-01", End: "2026-04-30", Skip: []string{"02-30", "1999-01-01"},
		MaxRuns: -1, Overlap: "bufer_one", CatchUp: time.Second,
	}.Validate()
	require.Equal(t, []string{
		"exactly one of every, at and cron is needed; for example: every: 2h",
		"every 1.5s: must be whole seconds, at least 1s",
		"offset -1s: must be whole seconds, not negative",
		`at: "7" is not a time of day; write hours and minutes of a 24-hour clock: 18:00`,
		`days: "mo" is not a day; did you mean mon?`,
		`cron "* * *": a cron line has five fields (minute hour day-of-month month day-of-week), this one has 3; for example: 30 1 * * *`,
		`time_zone: time zone "Local" differs from machine to machine; name one: Europe/Rome`,
		"end 2026-04-30 is before start 2026-05-01",
		`skip: "02-30" is not a day; write 2026-08-15, or 12-25 for every year`,
		`skip: "1999-01-01" is not a day; write 2026-08-15, or 12-25 for every year`,
		"jitter must not be negative; 0 starts at the very second",
		"max_runs must not be negative",
		"catch_up 1s: must be at least 10s",
		`overlap "bufer_one": one of skip, buffer_one, buffer_all, cancel, terminate, allow; did you mean buffer_one?`,
	}, wrong)
	require.Empty(t, Schedule{Days: []string{"Monday", "weekends"}, At: []string{"7:00"}}.Validate())
	require.Contains(t, Schedule{Days: []string{"mon"}, Every: time.Hour}.Validate()[0], "days goes with at")
	require.Contains(t, Schedule{Offset: time.Hour, Cron: []string{"@daily"}}.Validate()[0], "offset goes with every")
	require.Contains(t, Schedule{Every: time.Hour, Start: "1 May"}.Validate()[0], `start "1 May": write a day`)
	_, err := Schedule{}.Spec()
	require.ErrorContains(t, err, "exactly one of every")
	require.Empty(t, Schedule{}.Next(time.Now(), 3))
	require.Zero(t, Schedule{}.Gap(time.Now()))
}

func FuzzParseSchedule(f *testing.F) {
	for _, seed := range []string{
		"every 2h", "every 6h offset 20m", "daily at 18:00, 22:30", "mon,thu at 18:00 Europe/Rome", "*/5 8-18/2 1,15 jan-mar mon-sun",
		"@daily", "0 0 * * 7; 1 1 1 1 1", "hourly offset 1m", "weekdays at 9:00 and 10:00", "CRON_TZ=UTC * * * * *",
	} {
		f.Add(seed)
	}
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text)
		if err != nil {
			return
		}
		require.Empty(t, s.Validate())
		again, err := ParseSchedule(s.String())
		require.NoError(t, err, "%q was written as %q", text, s.String())
		require.Equal(t, s, again)
		_, err = s.Spec()
		require.NoError(t, err)
		last := from
		for _, next := range s.Next(from, 3) {
			require.True(t, next.After(last))
			last = next
		}
	})
}

// Days restrict crontab lines too: both must fit, which crontab itself cannot say.
func TestDaysRestrictCrontabLines(t *testing.T) {
	t.Parallel()
	s, err := ParseSchedule("0 0 17 6 * on wed UTC")
	require.NoError(t, err)
	require.Equal(t, "0 0 17 6 * on wed UTC", s.String())
	var fires []string
	for _, at := range s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), 2) {
		fires = append(fires, at.Format(time.DateOnly))
	}
	require.Equal(t, []string{"2026-06-17", "2037-06-17"}, fires, "17 June, where it is a Wednesday")
	both := Schedule{Cron: []string{"0 0 17 6 3"}, TimeZone: "UTC"}
	require.Equal(t, "2024-06-05", both.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), 1)[0].Format(time.DateOnly), "crontab: either")

	none := Schedule{Cron: []string{"0 0 * * tue"}, Days: []string{"mon-fri"}}
	require.Empty(t, none.Validate())
	none.Days = []string{"wed"}
	require.Contains(t, none.Validate()[0], "days wed: cron fires on none of them")
	_, err = ParseSchedules([]string{"0 0 17 * * on wed", "0 0 18 * * on thu"})
	require.ErrorContains(t, err, "share the days")
}
