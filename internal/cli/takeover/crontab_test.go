package takeover

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
)

func acquired(t *testing.T, crontab, dialect string) Acquisition {
	t.Helper()
	tab := ReadCrontab("crontab", []byte(crontab), dialect)
	a := Acquire(fetchers.Builtin(), time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC), "crontab", tab.Jobs, nil)
	a.NotTaken = append(tab.Notes, a.NotTaken...)
	return a
}

func reported(a Acquisition) string {
	var b strings.Builder
	for _, p := range append(a.NotTaken, a.Doubts...) {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// The same fields fire at other times in other systems (shared dump of 88 lines:
// several have both day fields).
func TestDialectsDifferWhereBothDaysAreGiven(t *testing.T) {
	t.Parallel()
	first := func(dialect, line string) string {
		s, err := ScheduleIn(dialect, strings.Fields(line))
		require.NoError(t, err, dialect)
		require.Empty(t, s.Validate())
		return s.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 1)[0].Format("2006-01-02 15:04")
	}
	for line, want := range map[string][2]string{
		"0 0 17 6 3": {"2026-06-03 00:00", "2026-06-17 00:00"},
		"0 5 30 * 1": {"2026-01-05 05:00", "2026-03-30 05:00"},
		"0 5 30 * *": {"2026-01-30 05:00", "2026-01-30 05:00"},
		"0 5 * * 0":  {"2026-01-04 05:00", "2026-01-04 05:00"},
	} {
		require.Equal(t, want[0], first(Vixie, line), line)
		require.Equal(t, want[0], first(DragonMantank, line), line)
		require.Equal(t, want[1], first(LocalIndices, line), line)
	}
	require.Equal(t, "2026-01-01 05:00", first(DragonMantank, "0 5 ? * *"))
}

func TestLinesThatNeverFireThere(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"0 24 * * *": "24 never fires there", "05 1 * * *": "05 never fires there", "*/5 * * * *": "*/5 never fires there", "0 1 * * 7": "7 never fires there",
		"@daily": "never fires there",
	} {
		_, err := ScheduleIn(LocalIndices, strings.Fields(line))
		require.ErrorContains(t, err, want, line)
	}
	for _, line := range []string{"0 1 L * *", "0 1 15W * *", "0 1 * * 5#2", "0 1 * * 5L"} {
		_, err := ScheduleIn(DragonMantank, strings.Fields(line))
		require.ErrorContains(t, err, "cannot be said here", line)
	}
}

func TestCommandsAsCrontabsHaveThem(t *testing.T) {
	t.Parallel()
	a := acquired(t, `CRON_TZ=Europe/Rome
MAILTO="ops@example.it"
PATH=/usr/bin:/bin
SHELL=/bin/sh
0 18 * * *  mir  cd /opt/mir && perl -I lib bin/mir-acq-scheduler.pl --fetcher=GU::SerieGenerale >> /var/log/mir.log 2>&1
#0 6 * * *  mir-acq-scheduler.pl --fetcher GU::Regioni --processors 0
0 22 * * *  mir-acq-scheduler.pl --fetcher GU::SerieGenerale --config-file /etc/mir.yaml
0 1 17 * 3  mir-acq-scheduler.pl --fetcher RSS --params '{"url":"http://www.example.org/${secret:env:HOME}.xml"}'
@reboot     mir-acq-scheduler.pl --campaign news
@hourly     mir-acq-scheduler.pl --campaign news --campaign other
5 * * * *   mir-acq-scheduler.pl --frobnicate
`, Vixie)
	require.Len(t, a.Campaigns, 5, reported(a))
	require.Equal(t, []string{"0 18 * * *", "0 22 * * *"}, a.Campaigns[0].Schedule.Cron, "two lines of one fetcher are one campaign")
	require.Equal(t, "Europe/Rome", a.Campaigns[0].Schedule.TimeZone)
	require.Equal(t, "commented out in the crontab", a.Campaigns[1].Paused)
	require.Zero(t, a.Campaigns[1].Processors)
	require.JSONEq(t, `"http://www.example.org/$${secret:env:HOME}.xml"`, string(a.Campaigns[2].Entries[0].Params["url"]), "what Mir wrote is no reference here")
	require.Equal(t, "news other", a.Campaigns[3].Name+" "+a.Campaigns[4].Name)
	for _, want := range []string{
		"crontab:2  MAILTO=ops@example.it", "crontab:3  settings of cron's environment are not taken over; the worker has its own (2 lines: 3-4)",
		"crontab:5  where cron sends the output", "crontab:6  --processors 0: not a number from 1 up; left out, so there are 4",
		"crontab:7  --config-file is not taken over", "crontab:8  rss: cron \"0 1 17 * 3\" fires on the given days of the month and on the given",
		"crontab:9  @reboot: there is no such moment here", "crontab:10  news: the list of its fetchers stands in Mir's database",
		`crontab:11  "--frobnicate" is not taken over`, "crontab:11  neither --campaign nor --fetcher",
	} {
		require.Contains(t, reported(a), want)
	}
}

func FuzzReadCrontab(f *testing.F) {
	f.Add("* 0 * * * mir-acq-scheduler.pl --fetcher Twitter --params \"{channel:@Genova}\"\n")
	f.Add("# 0 1 * * * mir-acq-scheduler.pl --campaign 'a b' 2>&1\nTZ=UTC\n@daily x\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, dialect := range Dialects() {
			a := acquired(t, text, dialect)
			if _, err := a.File("mir", "UTC", "mir"); err != nil {
				t.Fatal(err)
			}
			for _, c := range a.Campaigns {
				require.Regexp(t, "^[a-z0-9][a-z0-9-]{0,62}$", c.Name)
			}
		}
	})
}
