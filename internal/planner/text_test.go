package planner

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

const mainFile = `main.yaml
project: law-monitor
hosts:
  "*": { every: 1s, connections: 2 }
  www.gazzettaufficiale.it: { every: 1.25s, connections: 1 }
defaults:
  owner: redazione@example.it
  schedule: { time_zone: Europe/Rome }
campaigns:
  news:
    description: Italian news
    schedule: every 2h
    processors: 6
    fetcher: feed
    params: { max_entries: 100 }
    split: { file: feeds.csv, key: id }
  weather-feed:
    schedule: daily at 06:00, 18:00
    fetcher: feed
    params: { url: "https://weather.example.org/rss" }
`

const gazetteFile = `gu.yaml
project: law-monitor
defaults: { schedule: { time_zone: Europe/Rome }, fetcher: gazzetta }
campaigns:
  gu-concorsi:        { schedule: "tue,fri at 18:00", params: { series: concorsi } }
  gu-serie-generale:  { schedule: "daily at 18:00, 22:30", params: { series: serie_generale } }
`

const feedsFile = "feeds.csv\nid,url\nansa-economia,https://www.ansa.it/economia.xml\nansa-sport,https://www.ansa.it/sport.xml\nold-one,https://old.example.org/rss"

func TestPlanOfEverythingThatCanHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(mainFile, gazetteFile, feedsFile, `web.yaml
project: law-monitor
campaigns:
  x-torino: { schedule: every 4h, fetcher: feed, params: { url: "https://torino.example.org/rss", token: "${secret:env:TORINO}" } }
  oai-nightly:
    schedule: "30 1 * * *"
    fetchers:
      - { name: theses, fetcher: oaipmh, params: { url: "https://repo.example.org/oai" }, split: { ask: sets } }
      - { name: partners, fetcher: oaipmh, params: { url: "https://partner.example.org/oai" } }
`)
	w.golden("new", w.plan())
	w.apply()
	w.settled()

	require.NoError(t, w.Pause(t.Context(), "news", rows.Pause{By: "marta", At: w.in.Now.Add(-3*time.Hour - 20*time.Minute), Note: "feeds.csv under repair"}))
	w.settled()
	w.golden("same", w.plan())

	w.server.byHand("campaign-gu-concorsi", func(s *client.Schedule) { s.Spec.Calendars[0].Hour[0].Start, s.Spec.Calendars[0].Hour[0].End = 19, 19 })
	w.files(strings.NewReplacer("processors: 6", "processors: 10", "max_entries: 100", "max_entries: 200", "daily at 06:00, 18:00", "daily at 06:00").Replace(mainFile),
		feedsFile+"2\nilpost-politica,https://www.ilpost.it/politica/feed/?key=1\nilpost-cultura,https://www.ilpost.it/cultura/feed/",
		strings.TrimSpace(gazetteFile)+"\n  gu-regioni: { schedule: \"sat at 18:00\", processors: 10, split: { items: [ { series: a }, { series: b }, { series: c } ] } }\n",
		`web.yaml
project: law-monitor
campaigns:
  repositories:
    was: oai-nightly
    schedule: { cron: "30 1 * * *", jitter: 30m }
    paused: "new firewall, ask Ilse"
    fetchers:
      - { name: theses, fetcher: oaipmh, params: { url: "https://repo.example.org/oai" }, split: { ask: sets, include: ["col_*"] } }
      - { name: partners, fetcher: oaipmh, params: { url: "https://partner.example.org/oai2" } }
`)
	p := w.plan()
	w.golden("changes", p)
	w.in.Prune = true
	w.golden("prune", w.plan())
	w.apply()
	w.in.Prune = false
	w.settled()
	require.NotContains(t, w.server.schedules, "campaign-oai-nightly")
	require.NotContains(t, w.server.schedules, "campaign-x-torino")
	require.True(t, w.schedule("campaign-repositories").State.Paused)
	require.Contains(t, w.schedule("campaign-repositories").State.Note, "PAUSED by marta 4 May: new firewall, ask Ilse · 30 1 * * * · repositories@")
}

func TestPlanIsReadByPrograms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(mainFile, feedsFile)
	raw, err := json.Marshal(w.plan())
	require.NoError(t, err)
	var back Plan
	require.NoError(t, json.Unmarshal(raw, &back))
	require.Equal(t, "law-monitor", back.Project)
	require.Len(t, back.Changes, 2)
	require.Equal(t, ActionCreate, back.Changes[0].Action)
	require.Equal(t, 3, back.Changes[0].Estimate.Items)
}

func TestFiresLeaveOutWhatIsAsBefore(t *testing.T) {
	t.Parallel()
	at := func(m time.Month, d, h int) time.Time { return time.Date(2026, m, d, h, 0, 0, 0, time.UTC) }
	require.Equal(t, "Sat 9 May 18:00 · Sat 30 · Sat 6 Jun UTC", firesText([]time.Time{at(5, 9, 18), at(5, 30, 18), at(6, 6, 18)}, 62))
	require.Equal(t, "Mon 4 May 18:00 · 22:00 · Tue 5 18:00 UTC", firesText([]time.Time{at(5, 4, 18), at(5, 4, 22), at(5, 5, 18)}, 62))
	require.Equal(t, "Mon 4 May 18:00 · 22:00 UTC", firesText([]time.Time{at(5, 4, 18), at(5, 4, 22), at(5, 5, 18)}, 30))
	require.Equal(t, "Mon 4 May 18:00 UTC", firesText([]time.Time{at(5, 4, 18), at(5, 4, 22)}, 5))
	year := time.Date(2027, 1, 1, 18, 0, 0, 0, time.UTC)
	require.Equal(t, "Thu 31 Dec 18:00 · Fri 1 Jan 2027 UTC", firesText([]time.Time{at(12, 31, 18), year}, 62))
}

func TestNoLineOfAPlanIsWiderThanTheScreen(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60)
	p := Plan{Digest: "4c19ab12", Changes: []Change{
		{Name: "a", Mark: MarkChanged, File: "f.yaml", Line: 1, Differences: []Difference{{Path: "params.a.very.long.path.indeed", Old: long, New: long}}, Paused: long, Why: long},
		{Name: "b", Mark: MarkGone},
		{Name: "c", Mark: MarkSame, Next: []time.Time{time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)}},
	}}
	var b strings.Builder
	require.NoError(t, p.Text(&b, TextOptions{}))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
	}
	p.Changes[0].Blocked = "it belongs to others"
	b.Reset()
	require.NoError(t, p.Text(&b, TextOptions{}))
	require.Contains(t, b.String(), "BLOCKED")
	require.Contains(t, b.String(), "nothing can be applied")
}

func TestDoneInWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "~ news  news@8 · schedule updated · 3 checkpoints moved along", Done{Name: "news", Mark: MarkChanged, Definition: "news@8", Moved: 3, Action: ActionUpdate}.String())
	require.Equal(t, "- x  removed · schedule deleted", Done{Name: "x", Mark: MarkGone, Action: ActionDelete}.String())
	require.Equal(t, "+ y  y@1", Done{Name: "y", Mark: MarkNew, Definition: "y@1"}.String())
}

func TestTheBusiestMinute(t *testing.T) {
	t.Parallel()
	six := time.Date(2026, 5, 4, 18, 0, 0, 0, time.UTC)
	p := Plan{Digest: "4c19ab12"}
	for range 20 {
		p.Changes = append(p.Changes, Change{Name: "x", Mark: MarkSame, Next: []time.Time{six.Add(-time.Hour), six}})
	}
	require.Equal(t, &Crowd{At: six.Add(-time.Hour), Campaigns: 20}, busiest(p.Changes))
	p.Changes[0].Next = p.Changes[0].Next[1:]
	p.Busiest = busiest(p.Changes)
	require.Equal(t, six, p.Busiest.At)
	require.Nil(t, busiest(p.Changes[1:]))
	var b strings.Builder
	require.NoError(t, p.Text(&b, TextOptions{}))
	require.Contains(t, b.String(), "busiest: Mon 4 May 18:00 UTC, 20 campaigns at once")
	require.Contains(t, b.String(), "… and 8 more campaigns")
}
