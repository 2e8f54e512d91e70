package diagnose

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// TestNotDue finds the part of a schedule that says no.
func TestNotDue(t *testing.T) {
	t.Parallel()
	rome, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	daily := campaigns.Schedule{At: []string{"18:00"}, TimeZone: "Europe/Rome"}
	with := func(change func(*campaigns.Schedule)) campaigns.Schedule {
		s := daily
		change(&s)
		return s
	}
	at := time.Date(2026, 5, 1, 18, 0, 0, 0, rome) // a Friday
	for name, c := range map[string]struct {
		schedule campaigns.Schedule
		because  string
	}{
		"another hour": {with(func(s *campaigns.Schedule) { s.At = []string{"19:00"} }), ""},
		"skip":         {with(func(s *campaigns.Schedule) { s.Skip = []string{"05-01"} }), "the schedule skips that day"},
		"end":          {with(func(s *campaigns.Schedule) { s.End = "2026-04-30" }), "the schedule ended on 2026-04-30"},
		"start":        {with(func(s *campaigns.Schedule) { s.Start = "2026-05-02" }), "the schedule began on 2026-05-02"},
		"day":          {with(func(s *campaigns.Schedule) { s.Days = []string{"sat"} }), "not on that day of the week"},
		"zone":         {with(func(s *campaigns.Schedule) { s.TimeZone = "UTC" }), "its clock is UTC: 18:00 there is Fri 1 May 20:00 CEST here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := Facts{Subject: "gu", Clock: print.Clock{Zone: rome, Now: func() time.Time { return at.AddDate(0, 0, 3) }}}
			a := WhyThen(f, Then{At: at, Definition: rows.Definition{Version: 1}, Effective: campaigns.Campaign{Name: "gu", Schedule: &c.schedule}})
			require.Equal(t, "not due", a.Cause)
			because := ""
			for _, l := range a.Lines {
				if l.Name == "because" {
					because = l.Text
				}
			}
			require.Equal(t, c.because, because)
		})
	}
	f := Facts{Subject: "gu", Clock: print.Clock{Zone: rome, Now: func() time.Time { return at.AddDate(0, 0, 3) }}}
	require.Equal(t, "missed", WhyThen(f, Then{At: at, Definition: rows.Definition{Version: 1}, Effective: campaigns.Campaign{Schedule: &daily}}).Cause)
}
