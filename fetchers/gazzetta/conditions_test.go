package gazzetta_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// TestConditions has a subtest for every condition of the site that a fetcher
// must tell apart: what kind or outcome it ends with, what is stored, what was
// asked.
func TestConditions(t *testing.T) {
	t.Parallel()
	for row, check := range map[string]func(*testing.T){
		"an issue that is being loaded":         issueLoading,
		"an issue that is never loaded":         issueNeverLoaded,
		"an issue whose own address is a stub":  issueByELI,
		"a list that is a stub":                 listLoading,
		"an article that is being loaded":       articleLoading,
		"an article that is never loaded":       articleNeverLoaded,
		"home page once":                        homeOnce,
		"home page always":                      homeAlways,
		"home page now and then":                homeNowAndThen,
		"a stub in the place of an article":     articleStub,
		"a page where a PDF was expected":       pageForPDF,
		"a redirect to notFound":                pdfNotFound,
		"an act of the UE without its PDF":      actWithoutPDF,
		"a list with no issues":                 emptyList,
		"an issue with no acts":                 emptyIssue,
		"a new design":                          renamed,
		"a new design of every issue":           allIssuesBroken,
		"Request Rejected":                      rejected,
		"Request Rejected on an act":            rejectedLater,
		"500 on search":                         search,
		"a year that is another":                yearElsewhere,
		"no year at all":                        noYear,
		"an act listed twice":                   twice,
		"maintenance":                           maintenance,
		"an act that is gone":                   actGone,
		"an act that is always an error":        actAlwaysError,
		"acts that are no acts any more":        actsBroken,
		"a body that is cut":                    cut,
		"ISO-8859-1 under UTF-8":                func(t *testing.T) { charset(t, replica.Latin(false)) },
		"ISO-8859-1 and UTF-8 in one page":      func(t *testing.T) { charset(t, replica.Latin(true)) },
		"links with http, host and session":     func(t *testing.T) { charset(t, replica.OldLinks()) },
		"a feed that names an act that lacks":   feedLacks,
		"a feed that is ahead of the list":      feedAhead,
		"a feed that cannot be read":            feedUnreadable,
		"a feed of an issue without some codes": feedWithoutCodes,
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// june is a site on 13 June 2026, a Saturday, and the issues of its list.
func june(series string) (*replica.Site, []*replica.Issue) {
	site := replica.New(replica.Config{Seed: 3, Today: date(time.June, 13), Acts: 3})
	return site, site.Issues(series, site.Recent(), time.Time{})
}

func sortedIDs(issues []*replica.Issue) []string {
	return slices.Sorted(slices.Values(replica.IDs(issues)))
}

func numbered(i *replica.Issue) string { return "numeroGazzetta=" + strings.Split(i.ID(), "/")[5] }

func first(series string, site *replica.Site, t *testing.T) run {
	t.Helper()
	return fetch(t, site, newShelf(), harvest.Request{Params: params(series, "")})
}

func issueLoading(t *testing.T) {
	site, issues := june("regioni")
	newest := issues[len(issues)-1]
	site.Break(replica.Where{Page: replica.IssuePage, Holding: numbered(newest), Times: 1}, replica.Loading())
	site.Break(replica.Where{Page: replica.IssuePage, Holding: newest.ID(), Times: 1}, replica.Loading())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err), "to be retried")
	require.Equal(t, 10*time.Minute, harvest.AsError(r.err).RetryAfter)
	require.ErrorContains(t, r.err, "being loaded")
	require.Equal(t, sortedIDs(issues[:len(issues)-1]), r.shelf.ids(), "the others are there, of the stub nothing")
	site.Forget()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", ""), Attempt: 2})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	require.Equal(t, 1, site.Asked(replica.IssuePage), "the retry asks for what was late alone")
}

func issueNeverLoaded(t *testing.T) {
	site, issues := june("regioni")
	late := issues[1]
	site.Break(replica.Where{Page: replica.IssuePage, Holding: numbered(late)}, replica.Loading())
	site.Break(replica.Where{Page: replica.IssuePage, Holding: late.ID()}, replica.Loading())
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", ""), LastAttempt: true})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Equal(t, sortedIDs(slices.Delete(slices.Clone(issues), 1, 2)), r.shelf.ids())
	require.Contains(t, strings.Join(r.shelf.warnings(), "\n"), "could not be read: the site says that it is being loaded")
	site.Heal()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids(), "the next run asks again")
	require.NotContains(t, string(r.shelf.checkpoint), "late")
}

func issueByELI(t *testing.T) {
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.IssuePage, Holding: "caricaDettaglio"}, replica.Loading())
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Done, r.outcome())
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	require.Equal(t, 2*len(issues), site.Asked(replica.IssuePage))
}

func listLoading(t *testing.T) {
	site, _ := june("regioni")
	site.Break(replica.Where{Page: replica.RecentPage}, replica.Loading())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	require.Empty(t, r.shelf.pages)
	require.Len(t, site.Requests(), 1)
}

func anArticled(issues []*replica.Issue) *replica.Act {
	for _, i := range issues {
		for k := range i.Acts {
			if len(i.Acts[k].Articles) > 1 {
				return &i.Acts[k]
			}
		}
	}
	panic("no act with articles")
}

func without(ids []string, act *replica.Act) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return strings.HasPrefix(id, act.ID()) })
}

func articleLoading(t *testing.T) {
	site, issues := june("regioni")
	act := anArticled(issues)
	site.Break(replica.Where{Page: replica.ArticlePage, Holding: act.Code, After: 1, Times: 1}, replica.Loading())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	require.Equal(t, without(sortedIDs(issues), act), r.shelf.ids(), "never an act without one of its articles")
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", ""), Attempt: 2})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
}

func articleNeverLoaded(t *testing.T) {
	site, issues := june("regioni")
	act := anArticled(issues)
	site.Break(replica.Where{Page: replica.ArticlePage, Holding: act.Code}, replica.Loading())
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", ""), LastAttempt: true})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Equal(t, true, r.shelf.docs[act.ID()].Fields["without_text"], "what the issue says of it is kept")
	site.Heal()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	require.Nil(t, r.shelf.docs[act.ID()].Fields["without_text"])
	require.Equal(t, 2, r.shelf.versions[act.ID()])
}

func homeOnce(t *testing.T) {
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.ActPage, After: 2, Times: 1}, site.Lost())
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	asked := site.Requests()
	i := slices.IndexFunc(asked, func(q replica.Request) bool { return q.Page == replica.ActPage })
	again := slices.IndexFunc(asked[i:], func(q replica.Request) bool { return !q.Session })
	require.Positive(t, again, "the same address, in a new session")
	require.Equal(t, asked[i+again-1].URI, asked[i+again].URI)
	for n, q := range asked[1:] {
		require.True(t, q.Session || n+1 == i+again, "cookies are kept within a session")
	}
}

func homeAlways(t *testing.T) {
	site, _ := june("regioni")
	site.Break(replica.Where{Page: replica.IssuePage}, site.Lost())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindBroken, harvest.KindOf(r.err))
	require.Contains(t, string(harvest.AsError(r.err).Evidence), "ultimelist")
	require.Empty(t, r.shelf.pages)
	require.Len(t, site.Requests(), 7, "the list, five issues, the first of them in a new session too")
}

func homeNowAndThen(t *testing.T) {
	site, issues := june("regioni")
	for n := range 3 {
		site.Break(replica.Where{Page: replica.MenuPage, After: 2 * n, Times: 1}, site.Lost())
	}
	r := first("regioni", site, t)
	require.NoError(t, r.err, "each time a new session")
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
}

func articleStub(t *testing.T) {
	site, issues := june("regioni")
	act := anArticled(issues)
	site.Break(replica.Where{Page: replica.ArticlePage, Holding: act.Code}, replica.Stub())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	require.Equal(t, without(sortedIDs(issues), act), r.shelf.ids())
}

func pageForPDF(t *testing.T) {
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.PDFPage}, replica.Empty())
	noPDFs(t, site, issues)
}

func pdfNotFound(t *testing.T) {
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.PDFPage}, replica.NoPDF())
	noPDFs(t, site, issues)
}

func noPDFs(t *testing.T, site *replica.Site, issues []*replica.Issue) {
	t.Helper()
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", `,"pdf":true`)})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Equal(t, sortedIDs(issues), r.shelf.ids(), "no PDF, and nothing in its place")
	require.Equal(t, len(issues), site.Asked(replica.PDFPage))
	require.Len(t, r.shelf.warnings(), len(issues))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"pdf":true`)})
	require.NoError(t, r.err)
	require.Equal(t, len(issues), site.Asked(replica.PDFPage), "permanent: never asked for again")
}

func actWithoutPDF(t *testing.T) {
	site, issues := june("unione_europea")
	act := &issues[0].Acts[0]
	site.Break(replica.Where{Page: replica.PDFPage, Holding: "numeroGazzetta=" + strings.Split(issues[0].ID(), "/")[5] + "&", Times: 1}, replica.NoPDF())
	r := first("unione_europea", site, t)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	require.Equal(t, true, r.shelf.docs[act.ID()].Fields["without_text"])
	require.Empty(t, r.shelf.docs[act.ID()].Body)
}

func emptyList(t *testing.T) {
	site, _ := june("regioni")
	site.Break(replica.Where{Page: replica.RecentPage}, replica.Empty())
	r := first("regioni", site, t)
	requireBroken(t, r)
	require.Empty(t, r.shelf.pages)
	require.Len(t, site.Requests(), 1)
}

func emptyIssue(t *testing.T) {
	for name, f := range map[string]replica.Fault{"nothing": replica.Empty(), "no codes": replica.Nameless()} {
		site, issues := june("regioni")
		site.Break(replica.Where{Page: replica.IssuePage, Holding: numbered(issues[1])}, f)
		r := first("regioni", site, t)
		requireBroken(t, r)
		require.Equal(t, sortedIDs(slices.Delete(slices.Clone(issues), 1, 2)), r.shelf.ids(), "%s: one does not stop the others", name)
		r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":1`)})
		requireBroken(t, r)
		site.Heal()
		r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":0`)})
		require.NoError(t, r.err)
		require.Equal(t, sortedIDs(issues), r.shelf.ids(), "it was asked for again")
	}
}

// Where no page of an issue is one it is the site, and nothing moves, however
// long it lasts.
func allIssuesBroken(t *testing.T) {
	site, issues := june("regioni")
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	before := string(r.shelf.checkpoint)
	site.Break(replica.Where{Page: replica.IssuePage}, replica.Renamed())
	for week := range 8 {
		site.Publish(date(time.June, 20+7*week))
		r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", "")})
		requireBroken(t, r)
		require.Equal(t, before, string(r.shelf.checkpoint))
	}
	site.Heal()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", "")})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(site.Issues("regioni", issues[0].Day, time.Time{})), r.shelf.ids())
}

func requireBroken(t *testing.T, r run) {
	t.Helper()
	e := harvest.AsError(r.err)
	require.NotNil(t, e)
	require.Equal(t, harvest.KindBroken, e.Kind)
	require.Contains(t, string(e.Evidence), "<html", "the page is kept as evidence")
	require.NotContains(t, e.Error(), "<html")
}

func renamed(t *testing.T) {
	for _, p := range []replica.Page{replica.RecentPage, replica.IssuePage} {
		site, _ := june("regioni")
		site.Break(replica.Where{Page: p}, replica.Renamed())
		r := first("regioni", site, t)
		if p == replica.RecentPage { // other links of the list still name the issues
			require.NoError(t, r.err)
			continue
		}
		requireBroken(t, r)
	}
}

func rejected(t *testing.T) {
	site, _ := june("regioni")
	site.Break(replica.Where{}, replica.Rejected())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindBlocked, harvest.KindOf(r.err))
	require.Contains(t, string(harvest.AsError(r.err).Evidence), "Request Rejected")
	require.Empty(t, r.shelf.pages)
	require.Len(t, site.Requests(), 1, "not a request more")
}

func rejectedLater(t *testing.T) {
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.ActPage, After: 1}, replica.Rejected())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindBlocked, harvest.KindOf(r.err))
	require.Equal(t, 2, site.Asked(replica.ActPage))
	site.Heal()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", "")})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
}

// The search wants a whole form and a session of its own, and answers 500
// otherwise: this fetcher has no use for it. Any other 500 is the server's.
func search(t *testing.T) {
	site, _ := june("regioni")
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	require.Zero(t, site.Asked(replica.SearchPage))
	for _, q := range site.Requests() {
		require.Equal(t, "GET", q.Method)
		require.NotContains(t, q.URI, "/ricerca/")
	}
	site.Break(replica.Where{}, replica.Status(500))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", "")})
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
}

func yearElsewhere(t *testing.T) {
	site, _ := june("regioni")
	all := site.Issues("regioni", time.Time{}, time.Time{})
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", `,"from":"2024-05-01"`)})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Equal(t, sortedIDs(all), r.shelf.ids(), "2026 is there")
	require.Equal(t, 3, site.Asked(replica.YearPage))
	require.Equal(t, []string{"the archive of regioni does not have the year 2024", "the archive of regioni does not have the year 2025"}, r.shelf.warnings())
}

func noYear(t *testing.T) {
	site, _ := june("regioni")
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", ""), Window: harvest.Window{
		From: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(1981, 6, 1, 0, 0, 0, 0, time.UTC),
	}})
	require.Equal(t, harvest.KindGone, harvest.KindOf(r.err))
	require.ErrorContains(t, r.err, "the texts of the archive begin with 1986")
	require.Len(t, site.Requests(), 1, "no year is asked for")
	window := harvest.Window{From: date(time.January, 1).AddDate(-46, 0, 0), Until: date(time.January, 1)}
	for range 2 { // a window that is asked for again goes on, and ends alike
		r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", ""), Window: window})
		require.Equal(t, harvest.KindGone, harvest.KindOf(r.err))
		require.ErrorContains(t, r.err, "does not have this year")
	}
	require.Len(t, r.shelf.warnings(), 39, "the last year is in the error")
	require.Equal(t, 40+1, site.Asked(replica.YearPage))
	require.Empty(t, r.shelf.docs)
}

func twice(t *testing.T) {
	site, _ := june("serie_generale")
	all := site.Issues("serie_generale", date(time.March, 1), time.Time{})
	doubled := 0
	for _, i := range all {
		for _, a := range i.Acts {
			if a.Twice {
				doubled++
			}
		}
	}
	require.Positive(t, doubled)
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("serie_generale", `,"from":"2026-03-01"`)})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Done, r.outcome())
	require.Equal(t, sortedIDs(all), r.shelf.ids())
	require.Equal(t, replica.Acts(all), site.Asked(replica.ActPage), "asked for once")
}

func maintenance(t *testing.T) {
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.ActPage, After: 3}, replica.Maintenance())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	require.ErrorContains(t, r.err, "maintained")
	site.Heal()
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", ""), Attempt: 2})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
}

func actGone(t *testing.T) {
	site, issues := june("regioni")
	act := anArticled(issues)
	site.Break(replica.Where{Page: replica.ActPage, Holding: act.Code}, replica.Status(404))
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Equal(t, act.Title, r.shelf.docs[act.ID()].Title)
	require.Len(t, r.shelf.of("issue"), len(issues))
}

// One act that the site cannot show must not keep the series from going on.
func actAlwaysError(t *testing.T) {
	site, issues := june("regioni")
	act := anArticled(issues)
	site.Break(replica.Where{Page: replica.MenuPage, Holding: act.Code}, replica.Status(500))
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", ""), Attempt: 6, LastAttempt: true})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Len(t, r.shelf.of("issue"), len(issues))
}

func actsBroken(t *testing.T) {
	site, issues := june("regioni")
	act := anArticled(issues)
	site.Break(replica.Where{Page: replica.ActPage, Holding: act.Code}, replica.Empty())
	r := first("regioni", site, t)
	requireBroken(t, r)
	require.Equal(t, without(sortedIDs(issues), act), r.shelf.ids(), "one does not stop the others")

	site, _ = june("regioni")
	site.Break(replica.Where{Page: replica.ActPage}, replica.Empty())
	r = first("regioni", site, t)
	requireBroken(t, r)
	require.Equal(t, 5, site.Asked(replica.ActPage), "five are enough to see it")
}

func cut(t *testing.T) {
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.IssuePage, After: 2, Times: 1}, replica.Truncated())
	r := first("regioni", site, t)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", ""), Attempt: 2})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
}

// charset is for faults that change bytes and no meaning: every document is the
// same as of a healthy site.
func charset(t *testing.T, f replica.Fault) {
	t.Helper()
	site, issues := june("serie_generale")
	right := first("serie_generale", site, t)
	require.NoError(t, right.err)
	require.Equal(t, sortedIDs(issues), right.shelf.ids())
	site.Break(replica.Where{}, f)
	r := first("serie_generale", site, t)
	require.NoError(t, r.err)
	require.Equal(t, right.shelf.docs, r.shelf.docs)
}

func feedLacks(t *testing.T) {
	site, issues := june("regioni")
	newest := issues[len(issues)-1]
	lacks := newest.Acts[0].Code
	require.Greater(t, len(newest.Acts), 1)
	site.Omit(lacks)
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Contains(t, strings.Join(r.shelf.warnings(), "\n"), lacks)
}

func feedAhead(t *testing.T) {
	site, _ := june("regioni")
	other := replica.New(replica.Config{Seed: 3, Today: date(time.June, 20), Acts: 3})
	site.Break(replica.Where{Page: replica.FeedPage}, replica.From(other))
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Contains(t, strings.Join(r.shelf.warnings(), "\n"), "of 2026-06-20 already")
}

func feedUnreadable(t *testing.T) {
	for _, f := range []replica.Fault{replica.Status(404), replica.Empty(), replica.Rejected(), replica.Truncated()} {
		site, issues := june("regioni")
		site.Break(replica.Where{Page: replica.FeedPage}, f)
		r := first("regioni", site, t)
		require.NoError(t, r.err)
		require.Equal(t, outcomes.Done, r.outcome())
		require.Equal(t, sortedIDs(issues), r.shelf.ids())
		require.Contains(t, strings.Join(r.shelf.warnings(), "\n"), "the feed could not be read")
	}
}

func feedWithoutCodes(t *testing.T) {
	site, issues := june("unione_europea")
	r := first("unione_europea", site, t)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Done, r.outcome())
	require.Empty(t, r.shelf.warnings())
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
}
