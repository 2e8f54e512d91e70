package gazzetta

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// issueLinks are the forms in which a list names an issue, the best first.
const issueLinks = `a[href*="caricaDettaglio?"], a[href*="caricaDettaglio;"], a[href*="caricaDettaglio/home?"]`

// parseList reads the issues of a series that a list names, each once, in the
// order of publication: the list of thirty days or a year of the archive. Links
// to other series, as menus have them, are no part of it. The texts of links are
// not looked at: those of supplements bear another number.
func parseList(doc *goquery.Document, s serie) []key {
	keys := keysOf(doc, issueLinks, byQuery, s.inPath)
	if len(keys) == 0 {
		keys = keysOf(doc, `a[href*="downloadPdf"], a[href*="pdfPaginato"]`, byQuery, s.inQuery)
	}
	if len(keys) == 0 {
		keys = keysOf(doc, `a[href*="/eli/gu/"]`, byELI, s.inELI)
	}
	return keys
}

func keysOf(doc *goquery.Document, selector string, read func(*url.URL) (key, bool), ours func(*url.URL) bool) (keys []key) {
	doc.Find(selector).Each(func(_ int, a *goquery.Selection) {
		u, err := parseLink(a.AttrOr("href", ""))
		if err != nil || !ours(u) {
			return
		}
		if k, ok := read(u); ok {
			keys = append(keys, k)
		}
	})
	slices.SortFunc(keys, key.compare)
	return slices.Compact(keys)
}

func (s serie) inPath(u *url.URL) bool { return strings.Contains(u.Path, "/"+s.slug+"/") }

func (s serie) inQuery(u *url.URL) bool {
	return s.inPath(u) || strings.EqualFold(u.Query().Get("tipoSerie"), s.code)
}

func (s serie) inELI(u *url.URL) bool {
	return slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return strings.EqualFold(part, s.seg) })
}

// byQuery reads day and number from the query; PDF links have the day without
// dashes.
func byQuery(u *url.URL) (key, bool) {
	q := u.Query()
	return keyOf(q.Get("dataPubblicazioneGazzetta"), q.Get("numeroGazzetta"))
}

var eliIssue = regexp.MustCompile(`/eli/gu/(\d{4})/(\d{1,2})/(\d{1,2})/(\d+)/`)

func byELI(u *url.URL) (key, bool) {
	m := eliIssue.FindStringSubmatch(u.Path + "/")
	if m == nil {
		return key{}, false
	}
	return keyOf(m[1]+two(m[2])+two(m[3]), m[4])
}

func two(digits string) string {
	if len(digits) == 1 {
		return "0" + digits
	}
	return digits
}

func keyOf(day, number string) (key, bool) {
	t, err := time.Parse("20060102", strings.ReplaceAll(day, "-", ""))
	n, err2 := strconv.Atoi(number)
	if err != nil || err2 != nil || n < 1 {
		return key{}, false
	}
	return key{Day: t.Format(time.DateOnly), Number: n}, true
}
