package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/dates"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"2026-05-03T08:30:00Z": {
			"Sun, 03 May 2026 08:30:00 GMT", "Sun, 03 May 2026 08:30:00 Z", "Sun, 03 May 2026 08:30 UT", "03 May 26 08:30 UTC", "Sun, 03 May 2026 08:30:00 Etc/GMT",
			"Sun, 3 May 2026 10:30:00 +0200", "Sun, 3 May 2026 10:30:00 +02:00", "Sun, 3 May 2026 10:30:00+0200", "Sun, 3 May 2026 10:30:00 +02", "Sun, 3 May 2026 10:30 GMT+2",
			"Sun, 03 May 2026 10:30:00 CEST", "Sun, 03 May 2026 10:30:00 MESZ", "Sun, 03 May 2026 10:30:00 Europe/Rome", "Sun, 03 May 2026 10:30:00 (CEST)",
			"Sun, 03 May 2026 10:30:00 +0200 (CET)", "Sun (comment), 03 May 2026 10:30:00 +0200 (Central European (summer) Time)", "Sun, 03 May 2026 04:30:00 EDT",
			"Sun May  3 10:30:00 CEST 2026", "Sun May 3 10:30:00 +0200 2026", "Sun May 03 2026 10:30:00 GMT+0200 (Central European Summer Time)",
			"Sun, 03 May 2026 01:30:00 MST -0700", "Sun, 03 May 2026 01:30:00 -0700 MST", "Sun, 03 May 2026 01:30:00 MST-07:00", "Sun, 03 May 2026 01:30:00 --0700",
			"Sun, 03 May 2026 01:30:00 -700", "Sun, 03 May 2026 14:00:00 IST", "Sunday, 03-May-26 08:30:00 GMT", "03-May-2026 08:30", "2026-May-03 08:30:00",
			"2026-05-03T08:30:00Z", "2026-05-03T10:30+02:00", "2026-05-03 10:30:00 +0200", "2026-05-03 10:30:00.000+02:00", "2026-05-03T08:30:00", "2026-5-3 8:30", "2026/05/03 08:30",
			"2026-05-03T10:30:00:+0200", "2026-05-03 at 08:30:00", "2026-05-03 10:30:00 Europe/Rome", "20260503T083000Z", "2026.05.03. 8:30", "2026-05-03T08:30:00 UTC",
			"May 3, 2026 8:30 AM", "May 3, 2026, 8:30 a.m.", "Sunday, May 3rd, 2026 at 8:30am", "Sun, 03 May 2026 08:30:00 AM GMT", "May 3 2026 4:30 AM EDT", "5/3/2026 8:30 AM", "05/03/2026 08:30:00 UTC",
			"03/05/2026 08:30", "03.05.2026 08:30 Uhr", "03.05.2026, 08.30 Uhr", "So, 03.05.2026 - 08:30 Uhr", "3. Mai 2026 um 8 Uhr 30", "3. Mai 2026 um 8:30 Uhr", "dom, 03 mag 2026 10:30:00 +0200", "domenica 3 maggio 2026 ore 08:30",
			"3 maggio 2026, alle 8.30", "dim., 3 mai 2026 08:30", "dimanche 3 mai 2026 à 8h30", "3 de mayo de 2026 08:30", "domingo, 3 de maio de 2026 às 08h30", "zo, 03 mei 2026 08:30", "sön, 03 maj 2026 08:30",
			"3 мая 2026 г. 08:30", "Вс, 03 май 2026 08:30:00 +0000", "niedz., 3 maja 2026 08:30", "2026. május 3. 8:30", "3. května 2026 8:30", "Paz, 03 May 2026 08:30", "2026年5月3日 08:30", "08:30 03.05.2026", "Κυρ, 03 Μαϊ 2026 08:30",
		},
		"2026-05-03T20:00:00Z": {"Sun, 03 May 2026 10:00 PM +0200", "May 3, 2026 8 PM", "Sun, 03 May 2026 22:00:00 CEST", "Sun, 03 May 2026 10:00 PM CEST", "3 May 2026 8:00:00PM"},
		"2026-05-03T00:00:00Z": {"2026-05-03", "3 maggio 2026", "03.05.2026", "3/5/2026", "Sun, 03 May 2026", "May 3, 2026", "20260503", "3. Mai 2026", "2026-05-03T00:00:00", "2026-05-02T24:00:00Z", "May 3, 2026 12:00 AM", "3 mai 2026"},
		"2026-06-03T10:00:00Z": {"mar, 03 giu 2026 10:00", "Mar. 3 juin 2026 10:00:00", "mer 3 giugno 2026 10.00"},
		"2026-05-31T00:00:00Z": {"31/05/2026", "05/31/2026", "05-31-2026"},
		"2026-07-01T00:00:00Z": {"1er juillet 2026", "1. července 2026", "1 lipca 2026", "2026-07"},
		"2026-01-01T00:00:00Z": {"2026", "1 jan. 2026"},
		"2016-12-31T23:59:59Z": {"Sat, 31 Dec 2016 23:59:59 GMT"},
		"2017-01-01T00:00:00Z": {"Sat, 31 Dec 2016 23:59:60 GMT"},
		"1999-05-03T08:30:00Z": {"03 May 99 08:30 GMT"},
		"2026-05-03T07:00:00Z": {"Sun, 03 May 2026 07 +0000", "Sun, 03 May 2026 00:00 -0700"},
	} {
		for _, text := range texts {
			d, ok := dates.Read(text)
			require.True(t, ok, text)
			require.Equal(t, want, d.At.Format(time.RFC3339Nano), text)
			require.Empty(t, d.Unknown, text)
		}
	}
}

func TestWhatIsNoDate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "31/02/2026", "Sun, 31 Jun 2026 00:00:00 GMT", "0000-00-00 00:00:00", "0001-01-01T00:00:00Z", "Sun, 03 May 2026 25:00:00 GMT", "Sun, 03 May 2026 10:61:00 GMT",
		"1777793400", "10:30", "May 2026 at noon", "yesterday", "3 days ago", "12345-01-01", "99999-12-31T00:00:00Z", "0000", "2026-13", "2026-00", "9999-12-31T23:00:00-05:00", "0001-01-01T01:00:00+02:00",
		"Sun, 03 May", "13/13/2026", "foo bar 2026 1 May", "(", "()", "-", "Mon, 2 Jan 15:04:05 MST",
	} {
		d, ok := dates.Read(text)
		require.False(t, ok, "%q is %v", text, d)
	}
}

func TestUnknownZonesAreSaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Sun, 03 May 2026 10:30:00 XYZ":          "XYZ",
		"Sun, 03 May 2026 10:30:00 A":            "A",
		"Sun May 3 10:30:00 XYZ 2026":            "XYZ",
		"2026-05-03 10:30:00 Europe/Atlantis":    "Europe/Atlantis",
		"2026-05-03T10:30:00 QQT":                "QQT",
		"3 maggio 2026 10:30 ora del pianeta":    "ora pianeta",
		"Sun, 03 May 2026 10:30:00 +9900":        "+9900",
		"Sun, 03 May 2026 10:30:00 ../../secret": "../../secret",
	} {
		d, ok := dates.Read(text)
		require.True(t, ok, text)
		require.Equal(t, want, d.Unknown, text)
		require.Equal(t, "2026-05-03T10:30:00Z", d.At.Format(time.RFC3339), text)
	}
}

func TestAPlaceIsForTimesWithoutZone(t *testing.T) {
	t.Parallel()
	rome, ok := dates.Zone("Europe/Rome")
	require.True(t, ok)
	for text, want := range map[string]string{
		"3 maggio 2026, ore 10:30": "2026-05-03T08:30:00Z", "2026-05-03 10:30": "2026-05-03T08:30:00Z", "Sun, 03 May 2026 10:30 GMT": "2026-05-03T10:30:00Z",
	} {
		d, ok := dates.ReadIn(text, rome)
		require.True(t, ok, text)
		require.Equal(t, want, d.At.Format(time.RFC3339), text)
	}
}

func TestSettleMendsWhatGoMakesUp(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-05-03 10:30 CEST": "2026-05-03T08:30:00Z", "2026-05-03 10:30 GMT": "2026-05-03T10:30:00Z", "2026-05-03 10:30 EST": "2026-05-03T15:30:00Z",
	} {
		at, err := time.Parse("2006-01-02 15:04 MST", text)
		require.NoError(t, err)
		got, unknown := dates.Settle(at)
		require.Empty(t, unknown)
		require.Equal(t, want, got.Format(time.RFC3339), text)
	}
	at, err := time.Parse("2006-01-02 15:04 MST", "2026-05-03 10:30 XYZ")
	require.NoError(t, err)
	_, unknown := dates.Settle(at)
	require.Equal(t, "XYZ", unknown)
}

// FuzzRead: whatever comes, a date that JSON holds or none, and no panic.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"Sun, 03 May 2026 10:30:00 +0200 (CET)", "2026-05-03T10:30Z", "3. Mai 2026 um 8 Uhr", "03/05/26 10 PM EST", "2026年5月3日", "((", "1:1:1:1", "9999-12-31T23:59:60-14:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := dates.Read(text); ok {
			_, err := d.At.MarshalJSON()
			require.NoError(t, err)
			require.Greater(t, d.At.Year(), 1)
		}
	})
}
