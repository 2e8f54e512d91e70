package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

func page(head, body string) string {
	return "<!DOCTYPE html><html><head>" + head + "</head><body>" + body + "</body></html>"
}

// TestTraps is what sites in the field do to those who read them: what is sent
// in place of one address, and how the run ends.
func TestTraps(t *testing.T) {
	t.Parallel()
	const one = "/acts/11" // the first page of the first list
	honest := page(`<title>Atto</title><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`,
		`<h1 class="act__title">Atto</h1><div class="body">Testo</div><div class="g-recaptcha"></div><form><input type="password"></form>`)
	for name, c := range map[string]struct {
		at     string
		answer site.Answer
		params string
		// kind of the error; "" is none. docs is how many come; text stands in
		// the error, the warnings or the reasons.
		kind    harvest.Kind
		docs    int
		partial bool
		text    string
	}{
		"challenge as list":              {"/list", site.Answer{Body: site.Challenge}, "", harvest.KindBlocked, 0, false, "challenge"},
		"challenge with status 503":      {"/list", site.Answer{Status: 503, Body: site.Challenge}, "", harvest.KindBlocked, 0, false, "503"},
		"challenge for one page":         {one, site.Answer{Body: site.Challenge}, "", "", 11, true, "challenge"},
		"access denied, status 200":      {"/list", site.Answer{Body: page("<title>Access Denied</title>", "<h1>Access Denied</h1>")}, "", harvest.KindBlocked, 0, false, "challenge"},
		"login in place of the list":     {"/list", site.Answer{Body: site.Login}, "", harvest.KindBlocked, 0, false, "log in"},
		"login in place of one page":     {one, site.Answer{Body: site.Login}, "", "", 11, true, "log in"},
		"marks on an honest page":        {one, site.Answer{Body: honest}, "", "", 12, false, ""},
		"redesigned list":                {"/list", site.Answer{Body: site.Redesign}, "", harvest.KindBroken, 0, false, `links: "ul.acts a" matches nothing`},
		"PDF in place of the list":       {"/list", site.Answer{ContentType: "application/pdf", Body: "%PDF-1.7\x00\x01"}, "", harvest.KindBroken, 0, false, "not text"},
		"a file among pages":             {one, site.Answer{ContentType: "application/pdf", Body: "%PDF-1.7\x00\x01"}, "", "", 12, false, ""},
		"a page without its title":       {one, site.Answer{Body: site.Redesign}, "", "", 11, true, "h1.act__title"},
		"soft 404":                       {one, site.Answer{Body: site.NotFound}, "", "", 11, true, "not there"},
		"404":                            {one, site.Answer{Status: 404}, "", "", 11, true, "not there"},
		"led to the front page":          {one, site.Answer{Status: 302, Header: map[string]string{"Location": "/"}}, "", "", 11, true, "not there"},
		"led to another host":            {one, site.Answer{Status: 302, Header: map[string]string{"Location": "OTHER/x"}}, "", "", 11, true, "another host"},
		"list gone":                      {"/list", site.Answer{Status: 410}, "", harvest.KindGone, 0, false, "410"},
		"second list gone":               {"/list?page=2", site.Answer{Status: 404}, "", "", 5, true, "list"},
		"second list redesigned":         {"/list?page=2", site.Answer{Body: site.Redesign}, "", "", 5, true, "matches nothing"},
		"second list asks a password":    {"/list?page=2", site.Answer{Body: site.Login}, "", "", 5, true, "log in"},
		"next leads back":                {"/list?page=2", site.Answer{Body: page("", `<ul class="acts"><li><a href="/acts/0">x</a></ul><a rel=next href="/list">n</a>`)}, "", "", 6, false, "leads back"},
		"fragments, sessions, repeats":   {"/list", site.Answer{Body: page("", `<ul class="acts"><a href="/acts/1#a">1</a><a href="/acts/1#b">1</a><a href="acts/1;jsessionid=9F?PHPSESSID=2">1</a><a href="javascript:x()">j</a><a href="mailto:a@b.c">m</a><a>no</a><a href="/acts/2%">2</a></ul>`)}, "", "", 1, true, "/acts/2%25"},
		"paths that form loops":          {"/list", site.Answer{Body: page("", `<ul class="acts"><a href="/acts/1">1</a><a href="/x/a/x/b/x/c/x/1">c</a></ul>`)}, "", "", 1, false, "form loops"},
		"all links to another host":      {"/list", site.Answer{Body: page("", `<ul class="acts"><a href="https://other.example.org/1">1</a></ul>`)}, "", harvest.KindMisconfigured, 0, false, "other.example.org"},
		"one link to another host":       {"/list", site.Answer{Body: page("", `<ul class="acts"><a href="https://other.example.org/1">1</a><a href="/acts/1">1</a></ul>`)}, "", "", 1, false, "1 links lead to other hosts"},
		"empty for good reason":          {"/list", site.Answer{Body: page("", `<p class="none">Nessun atto</p>`)}, `,"empty":"p.none"`, "", 0, false, ""},
		"base element":                   {"/list", site.Answer{Body: page(`<base href="/acts/">`, `<ul class="acts"><a href="3">3</a></ul>`)}, "", "", 1, false, ""},
		"include and exclude":            {"/none", site.Answer{}, `,"include":["/acts/1*"],"exclude":["*/10"]`, "", 2, false, ""},
		"calendar without end":           {"/list", site.Answer{Status: 301, Header: map[string]string{"Location": "/calendar"}}, "", "", 1, false, "name nothing new"},
		"maze":                           {"/list", site.Answer{Body: page("", `<ul class="acts"><a href="/acts/1">1</a></ul><a rel="next" href="/maze/">n</a>`)}, "", "", 1, true, "form loops"},
		"max_pages":                      {"/none", site.Answer{}, `,"max_pages":2`, "", 10, false, "max_pages"},
		"max_reads":                      {"/none", site.Answer{}, `,"max_reads":7`, "", 7, false, "max_reads"},
		"meta says another charset":      {one, site.Answer{ContentType: "text/html", Body: page(`<meta charset="iso-8859-2">`, "<h1 class=act__title>perch\xc3\xa9</h1>")}, "", "", 12, false, ""},
		"one byte that is no UTF-8":      {one, site.Answer{Body: page("", "<h1 class=act__title>perch\xc3\xa9 \x80</h1>")}, "", "", 12, false, ""},
		"empty answer":                   {one, site.Answer{Body: " \n"}, "", "", 11, true, "empty"},
		"sitemap: HTML in its place":     {"/sitemap.xml", site.Answer{Body: site.Redesign}, sitemapWay, harvest.KindBroken, 0, false, "not a sitemap"},
		"sitemap: challenge":             {"/sitemap.xml", site.Answer{Body: site.Challenge}, sitemapWay, harvest.KindBlocked, 0, false, "challenge"},
		"sitemap: breaks off":            {"/sitemap.xml", site.Answer{Body: "<urlset><url><loc>http://x/1</loc>"}, sitemapWay, harvest.KindServerError, 0, false, "breaks off"},
		"sitemap: cut gzip":              {"/sitemap.xml", site.Answer{Body: "\x1f\x8b\x08\x00"}, sitemapWay, harvest.KindBroken, 0, false, "compressed"},
		"sitemap: a feed in its place":   {"/sitemap.xml", site.Answer{ContentType: "text/xml", Body: "<rss><channel/></rss>"}, sitemapWay, harvest.KindBroken, 0, false, "<rss>"},
		"sitemap: addresses, one a line": {"/sitemap.xml", site.Answer{ContentType: "text/plain", Body: "BASE/acts/1\nBASE/acts/2\n"}, sitemapWay, "", 2, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := small()
			way := strings.TrimSuffix(listParams, "}") + c.params + "}"
			if c.params == sitemapWay {
				way = `{"url":"BASE/sitemap.xml","sitemap":true,` + pageFields + `}`
			}
			w := newWorld(t, s, way)
			other := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(site.Redesign)) }), "")
			c.answer.Body = strings.ReplaceAll(c.answer.Body, "BASE", w.base)
			if to := c.answer.Header["Location"]; strings.HasPrefix(to, "OTHER") {
				c.answer.Header = map[string]string{"Location": strings.Replace(other.base, "127.0.0.1", "localhost", 1) + "/x"}
			}
			s.Instead(c.at, c.answer)
			got := w.run()
			said := got.warnings()
			if c.kind != "" {
				require.Equal(t, c.kind, harvest.KindOf(got.err), "%v", got.err)
				said = got.err.Error()
				require.NotEmpty(t, harvest.AsError(got.err).Op)
			} else {
				require.NoError(t, got.err)
			}
			for _, r := range got.rejects() {
				said += r.Reason
			}
			require.Contains(t, said, c.text)
			require.Len(t, got.docs, c.docs, said)
			require.Equal(t, c.partial, got.Partial || got.Quarantined > 0, said)
			require.LessOrEqual(t, s.Asked("/calendar"), 4, "three that name nothing new are enough")
			for _, d := range got.docs {
				require.NotContains(t, string(d.Body)+d.Title, "Checking your browser")
			}
		})
	}
}

const sitemapWay = "sitemap"
