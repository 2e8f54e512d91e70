package gazzetta_test

import (
	"context"
	"net/http"
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

// An end that lies before the beginning would look like a gazette without
// issues.
func TestASpanWithoutDaysIsAMistake(t *testing.T) {
	t.Parallel()
	site, _ := june("regioni")
	march := date(time.March, 1)
	for name, req := range map[string]harvest.Request{
		"until of a list that begins later": {Params: params("regioni", `,"until":"2026-03-01"`)},
		"a window without beginning":        {Params: params("regioni", ""), Window: harvest.Window{Until: march}},
		"a window that ends first":          {Params: params("regioni", ""), Window: harvest.Window{From: march, Until: march}},
		"a window before from":              {Params: params("regioni", `,"from":"2026-04-01"`), Window: harvest.Window{Until: march}},
	} {
		r := fetch(t, site, newShelf(), req)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(r.err), name)
		require.ErrorContains(t, r.err, "2026-03-01 is not after", name)
		require.ErrorContains(t, r.err, "from", "what to do next")
		require.Empty(t, r.shelf.pages, name)
	}
}

// An item that came to its until has nothing more to do, and says so.
func TestBehindUntil(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", `,"until":"2026-06-01"`)})
	require.NoError(t, r.err)
	site.Publish(date(time.September, 12))
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"until":"2026-06-01"`)})
	require.NoError(t, r.err)
	require.False(t, r.sum.Partial)
	want := slices.DeleteFunc(issues, func(i *replica.Issue) bool { return !i.Day.Before(date(time.June, 1)) })
	require.Equal(t, sortedIDs(want), r.shelf.ids())
}

// The list of thirty days reaches over the turn of the year: the new year's page
// of the archive need not be there yet.
func TestTurnOfTheYear(t *testing.T) {
	t.Parallel()
	site := replica.New(replica.Config{Seed: 3, First: 2026, Last: 2027, Today: time.Date(2027, 1, 9, 0, 0, 0, 0, time.UTC), Acts: 1})
	site.Break(replica.Where{Page: replica.YearPage, Holding: "2027"}, replica.Loading())
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", `,"from":"2026-11-07"`)})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Done, r.outcome())
	require.Equal(t, sortedIDs(site.Issues("regioni", date(time.November, 7), time.Time{})), r.shelf.ids())
	require.Equal(t, 1, site.Asked(replica.YearPage))
}

func TestLeapDay(t *testing.T) {
	t.Parallel()
	leap := time.Date(2028, time.February, 29, 0, 0, 0, 0, time.UTC)
	site := replica.New(replica.Config{Seed: 3, First: 2028, Acts: 2})
	held := site.Issues("concorsi", leap, leap.AddDate(0, 0, 1))
	require.Len(t, held, 1, "a Tuesday")
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("concorsi", ""), Window: harvest.Window{From: leap, Until: leap.AddDate(0, 0, 1)}})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(held), r.shelf.ids())
	r = fetch(t, site, newShelf(), harvest.Request{Params: params("concorsi", `,"from":"2028-02-29","until":"2028-03-01"`)})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(held), r.shelf.ids())
}

// A window's end in the middle of a day takes the whole day: issues have no hour.
func TestWindowInTheMiddleOfADay(t *testing.T) {
	t.Parallel()
	site, _ := june("concorsi")
	tuesday := date(time.April, 14)
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("concorsi", ""), Window: harvest.Window{
		From: tuesday.Add(18 * time.Hour), Until: tuesday.Add(22 * time.Hour),
	}})
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(site.Issues("concorsi", tuesday, tuesday.AddDate(0, 0, 1))), r.shelf.ids())
}

// Menus and boxes name issues of other series: they are none of the list's.
func TestLinksToOtherSeries(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	const beside = `<a href="/gazzetta/concorsi/caricaDettaglio/home?dataPubblicazioneGazzetta=2026-06-12&numeroGazzetta=45">Concorsi</a>` +
		`<a href="/do/gazzetta/downloadPdf?dataPubblicazioneGazzetta=20260612&numeroGazzetta=45&tipoSerie=S4">PDF</a><a href="/eli/gu/2026/06/12/45/s4/html">ELI</a>`
	site.Break(replica.Where{Page: replica.RecentPage}, replica.Beside(beside))
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	require.Equal(t, len(issues), site.Asked(replica.IssuePage))

	site.Heal()
	site.Break(replica.Where{Page: replica.RecentPage}, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		replica.Empty()(w, r, nil)
	})
	r = first("regioni", site, t)
	requireBroken(t, r)
}

// A list that names other series alone has lost its own issues.
func TestAListOfOtherSeriesAlone(t *testing.T) {
	t.Parallel()
	site, _ := june("regioni")
	site.Break(replica.Where{Page: replica.RecentPage}, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		other := r.Clone(r.Context())
		other.URL.Path = "/30giorni/concorsi"
		replica.New(replica.Config{Today: date(time.June, 13)}).ServeHTTP(w, other)
	})
	requireBroken(t, first("regioni", site, t))
}

// A year that shows another one, at its own address.
func TestAnotherYearInItsPlace(t *testing.T) {
	t.Parallel()
	site, _ := june("regioni")
	site.Break(replica.Where{Page: replica.YearPage, Holding: "/2025"}, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		other := r.Clone(r.Context())
		other.URL.Path = "/ricercaArchivioCompleto/regioni/2026"
		replica.New(replica.Config{Seed: 3, Today: date(time.June, 13)}).ServeHTTP(w, other)
	})
	r := fetch(t, site, newShelf(), harvest.Request{Params: params("regioni", `,"from":"2025-05-01"`)})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Equal(t, []string{"the archive of regioni does not have the year 2025"}, r.shelf.warnings())
	require.Equal(t, sortedIDs(site.Issues("regioni", time.Time{}, time.Time{})), r.shelf.ids())
}

// Half a page looks whole to a parser of HTML: half a list, half a law.
func TestPagesThatBreakOff(t *testing.T) {
	t.Parallel()
	for _, page := range []replica.Page{replica.RecentPage, replica.IssuePage, replica.ActPage, replica.MenuPage, replica.ArticlePage, replica.YearPage} {
		t.Run(string(page), func(t *testing.T) {
			t.Parallel()
			site, _ := june("regioni")
			req := harvest.Request{Params: params("regioni", `,"from":"2026-05-01"`)}
			site.Break(replica.Where{Page: page, Times: 1}, replica.Half())
			r := fetch(t, site, newShelf(), req)
			require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
			require.ErrorContains(t, r.err, "breaks off")
			req.Attempt = 2
			r = fetch(t, site, r.shelf, req)
			require.NoError(t, r.err)
			require.Equal(t, sortedIDs(site.Issues("regioni", date(time.May, 1), time.Time{})), r.shelf.ids())
			for id, versions := range r.shelf.versions {
				require.Equal(t, 1, versions, "%s: nothing was stored by halves", id)
			}
		})
	}
}

// The last days are read again, and on a bad day bring less than they did: what
// was read stays the newest version.
func TestReadingAgainNeverTakesAway(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]replica.Fault{"gone": replica.Status(404), "an error": replica.Status(500), "loading": replica.Loading(), "no page": replica.Empty()} {
		site, issues := june("regioni")
		r := first("regioni", site, t)
		require.NoError(t, r.err)
		site.Break(replica.Where{Page: replica.ActPage, Holding: issues[len(issues)-1].Acts[0].Code}, f)
		for range 2 { // once as one of the last days, once as what was late
			r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", ""), LastAttempt: true})
			require.True(t, r.err != nil || r.sum.Partial, name)
		}
		for id, versions := range r.shelf.versions {
			require.Equal(t, 1, versions, "%s: %s", name, id)
		}
		site.Heal()
		site.Correct(issues[len(issues)-1].Acts[0].Code)
		r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":0`)})
		require.NoError(t, r.err)
		require.False(t, r.sum.Partial, name)
		require.Equal(t, sortedIDs(issues), r.shelf.ids())
		require.NotContains(t, string(r.shelf.checkpoint), "late")
	}
}

func TestAPDFThatIsMissedNeverTakesAway(t *testing.T) {
	t.Parallel()
	site, issues := june("unione_europea")
	r := first("unione_europea", site, t)
	require.NoError(t, r.err)
	site.Break(replica.Where{Page: replica.PDFPage}, replica.NoPDF())
	for _, req := range []harvest.Request{{Params: params("unione_europea", "")}, {Params: params("unione_europea", ""), ForceRefresh: true}} {
		r = fetch(t, site, r.shelf, req)
		require.NoError(t, r.err)
		require.Equal(t, outcomes.Partial, r.outcome())
	}
	for _, id := range replica.IDs(issues) {
		require.Equal(t, 1, r.shelf.versions[id], id)
	}
}

// The PDF of an issue that the site cannot show does not keep the series from
// going on, and is asked for again.
func TestAPDFThatIsAlwaysAnError(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	site.Break(replica.Where{Page: replica.PDFPage, Holding: issues[1].ID()}, replica.Status(500))
	req := harvest.Request{Params: params("regioni", `,"pdf":true`)}
	r := fetch(t, site, newShelf(), req)
	require.Equal(t, harvest.KindServerError, harvest.KindOf(r.err))
	req.Attempt, req.LastAttempt = 6, true
	r = fetch(t, site, r.shelf, req)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Len(t, r.shelf.of("issue"), len(issues))
	require.Len(t, r.shelf.of("pdf"), len(issues)-1)
	site.Heal()
	r = fetch(t, site, r.shelf, harvest.Request{Params: req.Params})
	require.NoError(t, r.err)
	require.False(t, r.sum.Partial)
	require.Len(t, r.shelf.of("pdf"), len(issues))
}

// slow never answers what it is asked for by these addresses.
type slow struct {
	wire
	holding string
}

// RoundTrip is part of http.RoundTripper.
func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.RequestURI(), s.holding) {
		return nil, context.DeadlineExceeded
	}
	return s.wire.RoundTrip(r)
}

// One page that never comes in time does not keep the series from going on;
// a site that never does is not asked a hundred times.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	s := newShelf()
	pump := func(holding string, last bool) error {
		_, err := harvest.Pump(t.Context(), gazzetta.New(&http.Client{Transport: slow{wire{handler: site}, holding}}), harvest.Request{
			Params: params("regioni", ""), Checkpoint: s.checkpoint, Attempt: 1, LastAttempt: last,
		}, s)
		return err
	}
	require.Equal(t, harvest.KindTimeout, harvest.KindOf(pump(numbered(issues[1]), false)), "to be retried")
	require.NoError(t, pump(numbered(issues[1]), true))
	require.True(t, s.pages[len(s.pages)-1].Partial)
	require.Equal(t, sortedIDs(slices.Delete(slices.Clone(issues), 1, 2)), s.ids())
	require.NoError(t, pump("nothing", true))
	require.Equal(t, sortedIDs(issues), s.ids())

	s = newShelf()
	require.Equal(t, harvest.KindTimeout, harvest.KindOf(pump("/atto/", true)))
	acts := s.of("act")
	require.Len(t, acts, 4, "the fifth ends it")
	for _, d := range acts {
		require.Equal(t, true, d.Fields["without_text"])
	}
}

// An act that was late and that its issue does not list any more is told of.
func TestALateActThatLeft(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	act := anArticled(slices.DeleteFunc(slices.Clone(issues), func(i *replica.Issue) bool { return len(i.Acts) < 2 }))
	site.Break(replica.Where{Page: replica.ActPage, Holding: act.Code}, replica.Empty())
	r := first("regioni", site, t)
	requireBroken(t, r)
	site.Omit(act.Code)
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Contains(t, strings.Join(r.shelf.warnings(), "\n"), "act "+act.Code)
	require.Contains(t, strings.Join(r.shelf.warnings(), "\n"), "no longer lists it: it is not tried again")
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("regioni", `,"revisit":0`)})
	require.NoError(t, r.err)
	require.False(t, r.sum.Partial)
}

// An act that is withdrawn stays as it was, and the issue's new version names
// what it lists.
func TestAnActThatIsWithdrawn(t *testing.T) {
	t.Parallel()
	site, _ := june("concorsi")
	r := first("concorsi", site, t)
	require.NoError(t, r.err)
	issues := site.Issues("concorsi", site.Recent(), date(time.June, 12))
	issues = slices.DeleteFunc(issues, func(i *replica.Issue) bool { return len(i.Acts) < 2 })
	gone := &issues[0].Acts[0]
	site.Omit(gone.Code)
	r = fetch(t, site, r.shelf, harvest.Request{Params: params("concorsi", `,"revisit":30`)})
	require.NoError(t, r.err)
	require.Equal(t, 2, r.shelf.versions[issues[0].ID()])
	require.NotContains(t, r.shelf.docs[issues[0].ID()].Fields["codes"], gone.Code)
	require.Len(t, r.shelf.docs[issues[0].ID()].Fields["codes"], len(issues[0].Acts)-1)
	require.Equal(t, 1, r.shelf.versions[gone.ID()])
	require.Contains(t, r.shelf.ids(), gone.ID())
}

// An issue that leaves the list is told of once, and read again when it is back;
// so is a list that is older than what was read.
func TestIssuesThatLeaveTheList(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	r := first("regioni", site, t)
	require.NoError(t, r.err)
	req := harvest.Request{Params: params("regioni", `,"revisit":0`)}
	site.Publish(date(time.June, 6))
	r = fetch(t, site, r.shelf, req)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.Len(t, r.shelf.warnings(), 1)
	require.Contains(t, r.shelf.warnings()[0], "of 2026-06-13 was read, and the list of the last thirty days, which ends with 2026-06-06/")
	r = fetch(t, site, r.shelf, req)
	require.False(t, r.sum.Partial, "told once")
	site.Publish(date(time.June, 13))
	newest := &issues[len(issues)-1].Acts[0]
	site.Correct(newest.Code)
	r = fetch(t, site, r.shelf, req)
	require.NoError(t, r.err)
	require.Equal(t, 2, r.shelf.times[newest.ID()], "read again when it was back")
}

// What the feed names and the issue lacked is there a day later: it is read, be
// it that no days are read again.
func TestWhatTheFeedMissedIsReadNext(t *testing.T) {
	t.Parallel()
	site, issues := june("regioni")
	newest := issues[len(issues)-1]
	site.Break(replica.Where{Page: replica.IssuePage, Holding: numbered(newest), Times: 1}, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		less := replica.New(replica.Config{Seed: 3, Today: date(time.June, 13), Acts: 3})
		less.Omit(newest.Acts[0].Code)
		less.ServeHTTP(w, r)
	})
	req := harvest.Request{Params: params("regioni", `,"revisit":0`)}
	r := fetch(t, site, newShelf(), req)
	require.NoError(t, r.err)
	require.Equal(t, outcomes.Partial, r.outcome())
	require.NotContains(t, r.shelf.ids(), newest.Acts[0].ID())
	r = fetch(t, site, r.shelf, req)
	require.NoError(t, r.err)
	require.False(t, r.sum.Partial)
	require.Equal(t, sortedIDs(issues), r.shelf.ids())
	require.NotContains(t, string(r.shelf.checkpoint), "late")
}
