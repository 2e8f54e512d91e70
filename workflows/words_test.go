package workflows

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ansa-economia":    "ansa-economia",
		" two\nlines\tof ": "two lines of",
		"get https://u:p@x.example/a?token=s3cret&b=1#c: timeout": "get https://x.example/a timeout",
		"/feed?key=s3cret is gone":                                "/feed is gone",
		"why? because":                                            "why? because",
		"bad \xff byte":                                           "bad byte",
	} {
		require.Equal(t, want, plain(text, 200), text)
	}
}

func TestPlainNeverLeaksAndNeverGrows(t *testing.T) {
	t.Parallel()
	for n := 10; n < 60; n++ {
		got := plain(strings.Repeat("però ", 30), n)
		require.LessOrEqual(t, len(got), n)
		require.True(t, utf8.ValidString(got))
		require.True(t, strings.HasSuffix(got, "…"))
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	rome := time.FixedZone("CEST", 2*3600)
	require.Equal(t, "19:03 UTC", clock(start.Add(3*time.Hour+3*time.Minute).In(rome), start))
	require.Equal(t, "4 May 01:00 UTC", clock(start.Add(9*time.Hour), start))
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500)
	for _, c := range []struct {
		name  string
		items int
		label string
		part  steps.Range
		want  string
	}{
		{"an item", 133, "", steps.Range{Entry: "news", Lo: 1, Hi: 1, First: 1, Labels: []string{"ansa-economia"}}, "ansa-economia · 1 of 133"},
		{"the only item", 1, "Genova", steps.Range{Entry: "news", Lo: 1, Hi: 1, First: 1}, "Genova · 1 of 1"},
		{"a shared queue", 5000, "", steps.Range{Queue: "library", Shared: true, Left: 4711}, "7 at once of 5,000 items"},
		{"an entry of several", 300, "", steps.Range{Entry: "theses", Lo: 51, Hi: 51, First: 251}, "theses · 251 of 300"},
		{"a label that is an address", 9, "", steps.Range{Entry: "news", Lo: 1, Hi: 1, First: 1, Labels: []string{"https://x.example/rss?key=s3cret"}}, "https://x.example/rss · 1 of 9"},
		{"a long label", 9, "", steps.Range{Entry: "news", Lo: 1, Hi: 1, First: 9, Labels: []string{long}}, long[:117] + "… · 9 of 9"},
	} {
		r := &run{in: steps.Start{Campaign: "news"}}
		r.state.Run.Items, r.state.Run.Label, r.state.Entries = c.items, c.label, 1
		if c.part.Entry != "news" {
			r.state.Entries = 2
		}
		got := r.summary(c.part, 7)
		require.Equal(t, c.want, got, c.name)
		require.LessOrEqual(t, len(got), maxSummary)
	}
}

func TestRestSummaries(t *testing.T) {
	t.Parallel()
	until := start.Add(5 * time.Hour)
	nyt := steps.Range{NotBefore: until, Left: 1, Why: "www.nytimes.com rests until 21:03"}
	other := steps.Range{NotBefore: until, Lo: 1, Hi: 30, Why: "budget"}
	due := steps.Range{Lo: 1, Hi: 99}
	require.Equal(t, "www.nytimes.com rests until 21:03 · 1 item", restSummary([]steps.Range{nyt, other, due}, 0, start))
	require.Equal(t, "www.nytimes.com rests until 21:03 · 2 items", restSummary([]steps.Range{nyt, other, due, nyt}, 0, start))
	silent := steps.Range{NotBefore: until, Left: 2}
	require.Equal(t, "33 items until 21:00 UTC", restSummary([]steps.Range{silent, nyt, other}, 0, start))
	several := steps.Range{NotBefore: until, Left: 5, Why: "x.example rests until 21:03 · 5 items"}
	require.Equal(t, several.Why, restSummary([]steps.Range{several}, 0, start))
	nyt.Why = strings.Repeat("w", 400)
	require.LessOrEqual(t, len(restSummary([]steps.Range{nyt}, 0, start)), maxSummary)
}
