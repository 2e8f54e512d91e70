package gazzetta_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/gazzetta"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func TestCorrectionsBecomeVersions(t *testing.T) {
	t.Parallel()
	site, issues := june("serie_generale")
	r := first("serie_generale", site, t)
	require.NoError(t, r.err)
	days := issues[len(issues)-1].Day
	old, recent := &issues[0].Acts[0], anArticled(slices.DeleteFunc(slices.Clone(issues), func(i *replica.Issue) bool { return i.Day != days }))
	site.Correct(old.Code)
	site.Correct(recent.Code)
	site.Forget()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("serie_generale", "")})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	for id, versions := range r.shelf.versions {
		if strings.HasPrefix(id, recent.ID()+"/art/") {
			require.Equal(t, 2, versions, id)
			require.Contains(t, r.shelf.docs[id].Fields["text"], "Testo corretto dalla redazione")
			continue
		}
		require.Equal(t, 1, versions, "%s: what was not corrected is the same; what is old is not asked for", id)
	}
	require.Equal(t, 2, site.Asked(replica.IssuePage), "the last two days")
}

// A week of runs, one a day: each new issue once, the last days again.
func TestEveryDay(t *testing.T) {
	t.Parallel()
	site, _ := june("serie_generale")
	s := newShelf()
	for d := range 12 {
		site.Publish(date(time.June, 13+d))
		r := fetch(t, site, s, harvest.Request{Params: params("serie_generale", `,"revisit":1`)})
		require.NoError(t, r.err)
		require.False(t, r.sum.Partial, "%v", s.warnings())
	}
	require.Equal(t, sortedIDs(site.Issues("serie_generale", date(time.May, 14), time.Time{})), s.ids())
	for id, versions := range s.versions {
		require.Equal(t, 1, versions, id)
	}
}

// The office loads an issue after the ones that follow it.
func TestAnIssueThatComesLate(t *testing.T) {
	t.Parallel()
	site, issues := june("serie_generale")
	late := issues[len(issues)-6]
	site.Withhold(late.ID(), true)
	r := first("serie_generale", site, t)
	require.NoError(t, r.err)
	require.NotContains(t, r.shelf.ids(), late.ID())
	site.Withhold(late.ID(), false)
	site.Forget()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("serie_generale", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	require.Equal(t, 2, site.Asked(replica.IssuePage), "that one, and the newest to compare it with the feed")
	site.Forget()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("serie_generale", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.Equal(t, 1, site.Asked(replica.IssuePage))
}

func TestNothingNew(t *testing.T) {
	t.Parallel()
	site, _ := june("regioni")
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	site.Forget()
	before := len(r.shelf.pages)
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.Len(t, r.shelf.pages, before+1)
	require.True(t, r.sum.NotModified)
	require.Positive(t, r.sum.Listed)
	require.Len(t, site.Requests(), 3, "the list, the feed, the newest issue to compare it with")
}

// After a gap of more than thirty days the archive fills it.
func TestAfterAGap(t *testing.T) {
	t.Parallel()
	site, _ := june("regioni")
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	site.Publish(date(time.October, 3))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", "")})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(site.Issues("regioni", date(time.May, 14), time.Time{})), r.shelf.ids())
	require.Equal(t, 1, site.Asked(replica.YearPage))
}

func TestFromAndUntil(t *testing.T) {
	t.Parallel()
	site, _ := june("concorsi")
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("concorsi", `,"from":"2026-02-03","until":"2026-03-03"`)})
	require.NoError(t, r.err)
	want := site.Issues("concorsi", date(time.February, 3), date(time.March, 3))
	require.Equal(t, date(time.February, 3), want[0].Day, "the first day is in it")
	require.Equal(t, sortedIDs(want), r.shelf.ids())
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("concorsi", `,"from":"2026-02-03","until":"2026-03-10"`)})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(site.Issues("concorsi", date(time.February, 3), date(time.March, 10))), r.shelf.ids(), "until may move")
}

// A window leaves the schedule's position as it is, and goes on where it was cut.
func TestWindow(t *testing.T) {
	t.Parallel()
	site, issues := june("concorsi")
	r := first("concorsi", site, t)
	require.NoError(t, r.err)
	live := string(r.shelf.checkpoint)
	rome := time.FixedZone("Rome", 2*3600)
	req := harvest.Request{Params: params("concorsi", ""), Window: harvest.Window{
		From: time.Date(2026, 4, 1, 0, 0, 0, 0, rome), Until: time.Date(2026, 4, 15, 0, 0, 0, 0, rome),
	}}
	site.Break(replica.Where{Page: replica.ActPage, After: 5, Times: 1}, replica.Status(500))
	r = fetch(t, site, r.shelf, req)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	require.Contains(t, string(r.shelf.checkpoint), "2026-04-15")
	site.Forget()
	req.Checkpoint, req.Attempt = nil, 2
	r = fetch(t, site, r.shelf, req)
	require.NoError(t, r.err)
	window := site.Issues("concorsi", date(time.April, 1), date(time.April, 15))
	require.Equal(t, sortedIDs(append(slices.Clone(issues), window...)), r.shelf.ids())
	require.Less(t, site.Asked(replica.ActPage), replica.Acts(window), "not from its beginning")
	require.JSONEq(t, live, string(r.shelf.checkpoint))
	for id, times := range r.shelf.times {
		require.Equal(t, 1, times, id)
	}
}

// What is read again and was cut is read to its end by the next run, even by one
// that was not told to.
func TestAgainGoesOn(t *testing.T) {
	t.Parallel()
	site, issues := june("concorsi")
	r := first("concorsi", site, t)
	require.NoError(t, r.err)
	site.Break(replica.Where{Page: replica.ActPage, After: 7, Times: 1}, replica.Status(500))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("concorsi", ""), ForceRefresh: true})
	require.Error(t, r.err)
	site.Publish(date(time.June, 20))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("concorsi", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(site.Issues("concorsi", date(time.May, 14), time.Time{})), r.shelf.ids())
	for _, id := range replica.IDs(issues) {
		require.Equal(t, 2, r.shelf.times[id], id)
		require.Equal(t, 1, r.shelf.versions[id], id)
	}
	require.NotContains(t, string(r.shelf.checkpoint), "aside")
}

// An act with more articles than a page has room for is several pages, and a cut
// between them repeats none.
func TestVastAct(t *testing.T) {
	t.Parallel()
	site := replica.New(replica.Config{Acts: 1})
	var vast *replica.Act
	all := site.Issues("serie_generale", time.Time{}, time.Time{})
	for _, i := range all {
		for k := range i.Acts {
			if len(i.Acts[k].Articles) == replica.Vast {
				vast = &i.Acts[k]
			}
		}
	}
	require.NotNil(t, vast)
	s := newShelf()
	window := harvest.Window{From: vast.Day, Until: vast.Day.AddDate(0, 0, 1)}
	for n := range replica.Vast {
		site.Break(replica.Where{Page: replica.ArticlePage, Holding: "art.progressivo=", After: n % 17, Times: 1}, replica.Status(500))
		r := fetch(t, site, s, harvest.Request{Params: params("serie_generale", ""), Window: window})
		site.Heal()
		if r.err == nil {
			break
		}
	}
	r := fetch(t, site, s, harvest.Request{Params: params("serie_generale", ""), Window: window, Attempt: 2})
	require.NoError(t, r.err)
	require.Subset(t, s.ids(), []string{vast.ID(), vast.ArticleID(vast.Articles[0]), vast.ArticleID(vast.Articles[replica.Vast-1])})
	require.Equal(t, replica.Vast, s.docs[vast.ID()].Fields["articles"])
	pages := 0
	for _, p := range s.pages {
		require.LessOrEqual(t, len(p.Documents), 16)
		if slices.ContainsFunc(p.Documents, func(d harvest.Document) bool { return strings.HasPrefix(d.ID, vast.ID()) }) {
			pages++
		}
	}
	require.GreaterOrEqual(t, pages, 3)
	last := s.docs[vast.ArticleID(vast.Articles[replica.Vast-1])]
	require.Equal(t, true, last.Fields["annex"])
	require.Equal(t, replica.Vast, last.Fields["order"])
	require.Equal(t, vast.ID(), last.Parent)
}

func TestPDFs(t *testing.T) {
	t.Parallel()
	site, _ := june("serie_generale")
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("serie_generale", `,"pdf":true,"from":"2026-03-01"`)})
	require.NoError(t, r.err)
	issues := site.Issues("serie_generale", date(time.March, 1), time.Time{})
	var want []string
	for _, i := range issues {
		want = append(want, i.ID()+"/pdf")
		for _, x := range i.Supplements {
			want = append(want, strings.Replace(i.ID(), "/sg", fmt.Sprintf("/%s/%d/sg/pdf", x.Kind, x.Number), 1))
		}
	}
	require.Greater(t, len(want), len(issues), "supplements have their own")
	slices.Sort(want)
	var got []string
	for _, d := range r.shelf.of("pdf") {
		got = append(got, d.ID)
		require.True(t, bytes.HasPrefix(d.Body, []byte("%PDF-")))
		require.Equal(t, "application/pdf", d.MediaType)
		require.Equal(t, "issue", r.shelf.docs[d.Parent].Kind)
	}
	require.Equal(t, want, got)
}

func TestActsOfTheUnionAreTheirPDFs(t *testing.T) {
	t.Parallel()
	site := replica.New(replica.Config{Seed: 1, Acts: 4})
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("S2", `,"from":"2026-01-01"`)})
	require.NoError(t, r.err)
	nameless := 0
	for _, d := range r.shelf.of("act") {
		require.Equal(t, "application/pdf", d.MediaType)
		require.True(t, bytes.HasPrefix(d.Body, []byte("%PDF-")))
		if d.Fields["code"] == nil {
			nameless++
			require.Contains(t, d.ID, "/s2/page/")
		}
	}
	require.Positive(t, nameless)
	require.Zero(t, site.Asked(replica.ActPage)+site.Asked(replica.MenuPage))
}

// Every document points to one that is there, and knows its series and day.
func TestLevels(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{"act": "issue", "article": "act"}
	for _, series := range replica.Series() {
		site, _ := june(series)
		r := first(series, site, t)
		require.NoError(t, r.err)
		for _, d := range r.shelf.docs {
			require.Equal(t, kinds[d.Kind], r.shelf.docs[d.Parent].Kind, d.ID)
			require.Equal(t, series, d.Fields["series"])
			require.Equal(t, d.Published.Format(time.DateOnly), d.Fields["publication_date"])
			require.True(t, strings.HasPrefix(d.URL, "https://www.gazzettaufficiale.it/"), d.URL)
			require.NotContains(t, d.URL, "elenco30giorni")
			require.NotEmpty(t, d.Title, d.ID)
		}
	}
}

func checkSupplements(t *testing.T, site *replica.Site, r run) {
	t.Helper()
	seen := map[string]int{}
	for _, i := range site.Issues("serie_generale", time.Time{}, time.Time{}) {
		for k := range i.Acts {
			a := &i.Acts[k]
			got, _ := r.shelf.docs[a.ID()].Fields["supplement"].(map[string]any)
			if a.Supplement == nil {
				require.Nil(t, got, a.ID())
				continue
			}
			seen[a.Supplement.Kind]++
			require.Equal(t, map[string]any{"type": map[string]string{"so": "ordinary", "ss": "extraordinary"}[a.Supplement.Kind], "number": a.Supplement.Number}, got)
		}
	}
	require.Positive(t, seen["so"])
	require.Positive(t, seen["ss"])
}

func TestWhatAnActSays(t *testing.T) {
	t.Parallel()
	site, _ := june("serie_generale")
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("serie_generale", `,"from":"2026-01-01"`)})
	require.NoError(t, r.err)
	checkSupplements(t, site, r)
	forms := map[replica.Form]int{}
	for _, i := range site.Issues("serie_generale", time.Time{}, time.Time{}) {
		for k := range i.Acts {
			a := &i.Acts[k]
			d := r.shelf.docs[a.ID()]
			forms[a.Form]++
			require.Equal(t, a.Title, d.Title)
			require.Equal(t, a.Rubrica, d.Fields["rubrica"])
			require.Equal(t, a.Type, d.Fields["type"])
			require.Equal(t, a.Date.Format(time.DateOnly), d.Fields["date"])
			require.Equal(t, a.Heading, d.Fields["heading"])
			require.Equal(t, a.Page, d.Fields["page"])
			require.Equal(t, a.Code, d.Fields["code"])
			require.Equal(t, a.Emettitore == "", d.Fields["emettitore"] == nil)
			require.Equal(t, a.Form == replica.Articled, d.Fields["text"] == nil)
			require.Equal(t, a.Form == replica.Articled, len(d.Body) == 0)
		}
	}
	require.Len(t, forms, 3)
}

// The Court's decisions have codes of their own, and two dates.
func TestWhatTheCourtDecided(t *testing.T) {
	t.Parallel()
	site, _ := june("corte_costituzionale")
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("corte_costituzionale", `,"from":"2026-01-01"`)})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Done, r.outcome(), "nothing set aside, and the feed agrees: %v", r.shelf.warnings())
	decisions := 0
	for _, d := range r.shelf.of("act") {
		require.NotContains(t, d.Fields["type"], "-", d.Fields["heading"])
		if !strings.HasPrefix(d.Fields["code"].(string), "T-") {
			continue
		}
		decisions++
		require.Contains(t, []any{"SENTENZA", "ORDINANZA"}, d.Fields["type"])
		require.Less(t, d.Fields["date"], d.Fields["deposited"])
	}
	require.Greater(t, decisions, 10)
}

// What could not be read for thirty days is not tried again, and a warning says so.
func TestLateIsGivenUp(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	for _, at := range []string{numbered(issues[0]), issues[0].ID()} {
		site.Break(replica.Where{Page: replica.IssuePage, Holding: at}, replica.Loading())
	}
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", ""), LastAttempt: true})
	require.NoError(t, r.err)
	site.Publish(date(time.July, 25))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", "")})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Contains(t, strings.Join(r.shelf.warnings(), "\n"), "it is not tried again")
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", "")})
	require.NoError(t, r.err)
	require.False(t, r.sum.Partial)
}

func TestResume(t *testing.T) {
	t.Parallel()
	site, _ := june("regioni")
	f, ok := gazzetta.New(nil).(harvest.Resumer)
	require.True(t, ok)
	req := harvest.Request{Params: params("regioni", "")}
	at, err := f.Resume(req, map[string]string{"from": "2026-05-30"})
	require.NoError(t, err)
	req.Checkpoint = at
	r := fetch(t, site, newShelf(), req)
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(site.Issues("regioni", date(time.May, 30), time.Time{})), r.shelf.ids(), "nothing before it, not to read again either")
	for _, bad := range []map[string]string{{}, {"from": "yesterday"}, {"from": "2026-05-30", "set": "x"}} {
		_, err := f.Resume(req, bad)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	}
}

func TestOtherParamsBeginAnew(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"pdf":true`)})
	require.NoError(t, r.err)
	require.Len(t, r.shelf.of("pdf"), len(issues))
}
