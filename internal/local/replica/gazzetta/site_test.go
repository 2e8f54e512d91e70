package gazzetta_test

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
)

// browser asks a site as a person would.
type browser struct {
	t      *testing.T
	site   *gazzetta.Site
	server *httptest.Server
	client *http.Client
}

func open(t *testing.T, c gazzetta.Config) *browser {
	t.Helper()
	site := gazzetta.New(c)
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	b := &browser{t: t, site: site, server: server}
	b.session()
	return b
}

func (b *browser) session() {
	jar, err := cookiejar.New(nil)
	require.NoError(b.t, err)
	b.client = &http.Client{Jar: jar}
}

func (b *browser) get(path string) (body string, final *url.URL) {
	b.t.Helper()
	resp, err := b.client.Get(b.server.URL + path)
	require.NoError(b.t, err)
	return b.read(resp)
}

func (b *browser) post(path string, form url.Values) (body string, status int) {
	b.t.Helper()
	resp, err := b.client.PostForm(b.server.URL+path, form)
	require.NoError(b.t, err)
	body, _ = b.read(resp)
	return body, resp.StatusCode
}

func (b *browser) read(resp *http.Response) (string, *url.URL) {
	b.t.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	return string(text), resp.Request.URL
}

const stub = "Gazzetta in fase di caricamento"

var may = time.Date(2026, 5, 30, 0, 0, 0, 0, time.UTC)

func TestEqualSeedsGiveEqualSites(t *testing.T) {
	t.Parallel()
	a, b, c := gazzetta.New(gazzetta.Config{Seed: 1}), gazzetta.New(gazzetta.Config{Seed: 1}), gazzetta.New(gazzetta.Config{Seed: 2})
	ids := func(s *gazzetta.Site) []string {
		return gazzetta.IDs(s.Issues("serie_generale", time.Time{}, time.Time{}))
	}
	require.Equal(t, ids(a), ids(b))
	require.NotEqual(t, ids(a), ids(c))
}

// A year of every series has everything that a fetcher must know of.
func TestAYearHasEverything(t *testing.T) {
	t.Parallel()
	site := gazzetta.New(gazzetta.Config{})
	seen, codes := map[string]int{}, map[string]bool{}
	count := func(what string, is bool) {
		if is {
			seen[what]++
		}
	}
	for _, series := range gazzetta.Series() {
		issues := site.Issues(series, time.Time{}, time.Time{})
		ids := gazzetta.IDs(issues)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids))), len(ids), "an id twice in %s", series)
		for n, i := range issues {
			count("two issues on a day", n > 0 && issues[n-1].Day.Equal(i.Day))
			for k := range i.Acts {
				a := &i.Acts[k]
				require.False(t, a.Code != "" && codes[a.Code], a.Code)
				codes[a.Code] = true
				require.Regexp(t, `^([0-9A-Z]{6,12}|T-[0-9]{6,7})?$`, a.Code)
				count("three digits before the letter", regexp.MustCompile(`^\d{3}[A-Z]\d+$`).MatchString(a.Code))
				count("no code", a.Code == "")
				count("no issuing body", series == "serie_generale" && a.Emettitore == "")
				count("listed twice", a.Twice)
				count("inline", a.Form == gazzetta.Inline)
				count("default article", a.Form == gazzetta.Default)
				count("printed", a.Form == gazzetta.Printed)
				count("vast", len(a.Articles) == gazzetta.Vast)
				for _, x := range a.Articles {
					count("annex", x.Flag > 0)
					count("part", x.Part > 0)
				}
				if a.Supplement != nil {
					count(a.Supplement.Kind, true)
				}
			}
		}
	}
	for _, what := range []string{
		"two issues on a day", "three digits before the letter", "no code", "no issuing body", "listed twice", "inline", "default article",
		"printed", "vast", "annex", "part", "so", "ss",
	} {
		require.Positive(t, seen[what], what)
	}
	require.Greater(t, len(site.Issues("serie_generale", time.Time{}, time.Time{})), 290)
}

// From the home page one comes by links alone to every text.
func TestLinksLeadToTheText(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Today: may})
	page, _ := b.get("/")
	for _, step := range []string{
		`href="(/30giorni/regioni)"`, `href="(/gazzetta/regioni/caricaDettaglio\?[^"]*)"`, `href="(/atto/regioni/caricaDettaglioAtto/[^"]*)"`,
		`href="(/atto/vediMenuHTML\?[^"]*)"`,
	} {
		m := regexp.MustCompile(step).FindStringSubmatch(page)
		require.NotNil(t, m, "%s in %s", step, page)
		page, _ = b.get(strings.ReplaceAll(m[1], "&amp;", "&"))
		require.NotContains(t, page, stub)
	}
	require.Contains(t, page, "ATTO COMPLETO")
}

func TestStubsAndTraps(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Today: may})
	issue := b.site.Issues("concorsi", time.Time{}, time.Time{})[3]
	right := "/" + issue.ID() + "/html"
	for path, want := range map[string]string{
		right: "span class=\"risultato\"",
		"/" + strings.TrimSuffix(issue.ID(), "s4") + "S4":                                           "span class=\"risultato\"",
		"/" + strings.TrimSuffix(issue.ID(), "s4") + "sg/html":                                      stub,
		"/gazzetta/concorsi/caricaDettaglio?dataPubblicazioneGazzetta=2026-12-01&numeroGazzetta=90": stub,
		"/30giorni/altro": stub,
		"/atto/concorsi/caricaArticolo?art.codiceRedazionale=26E00600&art.dataPubblicazioneGazzetta=2026-01-16": stub,
		"/altro":                    "ultimelist",
		"/do/gazzetta/downloadPdf?": "Il pdf selezionato non é stato trovato",
		"/" + strings.TrimSuffix(issue.ID(), "s4") + "sg/pdf": "Il pdf selezionato non é stato trovato",
		"/" + issue.ID() + "/pdf":                             "%PDF-1.4",
	} {
		body, _ := b.get(path)
		require.Contains(t, body, want, path)
	}
	_, final := b.get("/ricercaArchivioCompleto/concorsi/1980")
	require.Equal(t, "/archivioCompleto", final.Path)
}

func TestWhatIsNotPublishedIsNotThere(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Today: may})
	before := len(b.site.Issues("regioni", time.Time{}, time.Time{}))
	list, _ := b.get("/30giorni/regioni")
	b.site.Publish(may.AddDate(0, 0, 7))
	after, _ := b.get("/30giorni/regioni")
	require.NotEqual(t, list, after)
	require.Len(t, b.site.Issues("regioni", time.Time{}, time.Time{}), before+1)
}

func TestFeedNamesTheLatestIssueWhole(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Today: may})
	for code, slug := range map[string]string{"SG": "serie_generale", "S1": "corte_costituzionale", "S2": "unione_europea", "P2": "parte_seconda"} {
		body, _ := b.get("/rss/" + code)
		var doc struct {
			Items []struct{} `xml:"channel>item"`
		}
		require.NoError(t, xml.Unmarshal([]byte(body), &doc))
		issues := b.site.Issues(slug, time.Time{}, time.Time{})
		require.Len(t, doc.Items, len(issues[len(issues)-1].Acts), code)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Today: may})
	b.get("/ricerca/atto/serie_generale/originario?reset=true")
	b.get("/")
	asked := b.site.Requests()
	require.False(t, asked[0].Session)
	require.True(t, asked[1].Session)

	form := url.Values{"titolo": {"x"}}
	_, status := b.post("/do/ricerca/atto/serie_generale/originario/1", form)
	require.Equal(t, 500, status, "a form that is not whole")
	for _, name := range gazzetta.SearchFields() {
		form.Set(name, "")
	}
	body, _ := b.post("/do/ricerca/atto/serie_generale/originario/1", form)
	require.Contains(t, body, "non ha prodotto risultati")
	body, _ = b.post("/do/ricerca/atto/serie_generale/originario/1", form)
	require.Contains(t, body, "ultimelist", "a session is good for one search")
	b.session()
	body, _ = b.post("/atto/stampa/regioni/originario", url.Values{})
	require.Contains(t, body, "ultimelist", "the whole act wants a session")
}

// A search finds by title, a hundred a page; one hit leads to its act.
func TestSearch(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Acts: 6})
	form := url.Values{}
	for _, name := range gazzetta.SearchFields() {
		form.Set(name, "")
	}
	search := func(title string) string {
		b.session()
		b.get("/ricerca/atto/serie_generale/originario?reset=true")
		form.Set("titolo", title)
		body, _ := b.post("/do/ricerca/atto/serie_generale/originario/1", form)
		return body
	}
	hits := func(body string) int { return strings.Count(body, `class="risultato"`) }
	one := ""
	for _, i := range b.site.Issues("serie_generale", may, time.Time{}) {
		for k := range i.Acts {
			if one = i.Acts[k].Title; strings.Contains(search(one), "testa_atto") {
				return
			}
			require.Positive(t, hits(search(one)), one)
		}
	}
	require.Fail(t, "every title is there twice")
}

func TestSearchInPages(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Acts: 6})
	form := url.Values{}
	for _, name := range gazzetta.SearchFields() {
		form.Set(name, "")
	}
	form.Set("titolo", "medicinali")
	b.get("/ricerca/atto/serie_generale/originario?reset=true")
	body, _ := b.post("/do/ricerca/atto/serie_generale/originario/1", form)
	require.Contains(t, body, "Risultati della ricerca: ")
	require.Contains(t, body, "<strong><FONT COLOR=#370AED>medicinali</FONT></strong>")
	all := 0
	for page := 1; ; page++ {
		body, _ := b.get("/do/ricerca/atto/serie_generale/originario/" + strconv.Itoa(page) + "?cerca")
		n := strings.Count(body, `class="risultato"`)
		require.LessOrEqual(t, n, 100)
		if all += n; n == 0 {
			break
		}
	}
	require.Greater(t, all, 100)
	require.Contains(t, body, strconv.Itoa(all)+" atti")
	b.session()
	body, _ = b.get("/do/ricerca/atto/serie_generale/originario/2?cerca")
	require.Contains(t, body, "ultimelist", "of another session nothing is known")
}

// Half a page, a slow one, one with other codes, one with more.
func TestFaultsOfBodies(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Today: may})
	right, _ := b.get("/30giorni/regioni")
	for want, f := range map[string]gazzetta.Fault{
		right[:len(right)/2]: gazzetta.Half(),
		right:                gazzetta.Slow(5, time.Millisecond),
		strings.Replace(right, "<body>", "<body><p>more</p>", 1): gazzetta.Beside("<p>more</p>"),
	} {
		b.site.Break(gazzetta.Where{Page: gazzetta.RecentPage}, f)
		body, _ := b.get("/30giorni/regioni")
		require.Equal(t, want, body)
		b.site.Heal()
	}
	issue := b.site.Issues("regioni", time.Time{}, time.Time{})[0]
	b.site.Break(gazzetta.Where{}, gazzetta.Nameless())
	body, _ := b.get("/" + issue.ID())
	require.Contains(t, body, "risultato")
	require.NotContains(t, body, issue.Acts[0].Code)
}

func TestFaultsComeAndGo(t *testing.T) {
	t.Parallel()
	b := open(t, gazzetta.Config{Today: may})
	b.site.Break(gazzetta.Where{Page: gazzetta.RecentPage, Holding: "regioni", After: 1, Times: 1}, gazzetta.Maintenance())
	for _, want := range []bool{false, true, false} {
		body, _ := b.get("/30giorni/regioni")
		require.Equal(t, want, strings.Contains(body, "manutenzione"))
	}
	b.site.Break(gazzetta.Where{}, gazzetta.Rejected())
	body, _ := b.get("/")
	require.Contains(t, body, "Request Rejected")
	b.site.Heal()
	body, _ = b.get("/")
	require.NotContains(t, body, "Request Rejected")
	require.Equal(t, 3, b.site.Asked(gazzetta.RecentPage))
	b.site.Forget()
	require.Empty(t, b.site.Requests())
}
