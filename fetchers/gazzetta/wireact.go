package gazzetta

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// actPage is the shell of an act: its head and titles, without the text.
type actPage struct {
	heading, title string
	supplement     *supplement
	inForce        string
	// rdfa are the values of eli: properties, of the Serie Generale alone.
	rdfa map[string]string
	// menu and first are the links to the whole act and to its first article.
	menu, first string
}

func isAct(doc *goquery.Document) bool {
	return doc.Find("#testa_atto h2, #testa_atto h3").Length() > 0
}

var (
	supplementOf = regexp.MustCompile(`(?i)suppl\S*\s+(\S+)\s+n\.?\s*(\d+)`)
	inForceOn    = regexp.MustCompile(`(?i)entrata in vigore[^:]{0,40}:\s*(\d{1,2})[/-](\d{1,2})[/-](\d{4})`)
)

func parseAct(doc *goquery.Document) actPage {
	head := doc.Find("#testa_atto").First()
	p := actPage{heading: squeeze(head.Find("h2").First().Text()), rdfa: rdfaOf(doc)}
	title := head.Find("h3").First().Clone()
	reference := squeeze(title.Find(".riferimento").Text())
	title.Find(".riferimento").Remove()
	p.title = squeeze(title.Text())
	if m := supplementOf.FindStringSubmatch(reference); m != nil {
		n, _ := strconv.Atoi(m[2])
		p.supplement = &supplement{kind: supplementKind(m[1]), number: n}
	}
	if m := inForceOn.FindStringSubmatch(squeeze(doc.Text())); m != nil {
		p.inForce = m[3] + "-" + two(m[2]) + "-" + two(m[1])
	}
	p.menu = doc.Find(`a[href*="vediMenuHTML"]`).First().AttrOr("href", "")
	p.first = doc.Find(`iframe[src*="caricaArticoloDefault"]`).First().AttrOr("src", "")
	return p
}

// rdfaOf reads content, else what stands behind the # of resource.
func rdfaOf(doc *goquery.Document) map[string]string {
	values := map[string]string{}
	doc.Find(`meta[property^="eli:"]`).Each(func(_ int, m *goquery.Selection) {
		_, after, _ := strings.Cut(m.AttrOr("resource", ""), "#")
		name := strings.TrimPrefix(m.AttrOr("property", ""), "eli:")
		if v := squeeze(m.AttrOr("content", after)); v != "" && values[name] == "" {
			values[name] = v
		}
	})
	return values
}

// menuPage is the page of the whole act, in one of its two forms.
type menuPage struct {
	articles []articleLink
	text     text
}

// articleLink is one article or annex as the menu names it.
type articleLink struct {
	// id is made of the numbers of its address, which name it for ever.
	id, label, link string
	annex           bool
}

// text is what an act or article says: its HTML as it came, the same without
// typesetting, and the notes below.
type text struct {
	raw, plain, notes string
}

func isMenu(doc *goquery.Document) bool {
	return doc.Find("#albero, #menuExportForm, #testa_atto_preview, div.stampami").Length() > 0
}

// parseMenu reads the links of form A, or, where there are none, the text of
// form B. A menu with neither is no error.
func parseMenu(doc *goquery.Document) (m menuPage) {
	doc.Find(`#albero a[href*="caricaArticolo?"], #albero a[href*="caricaArticolo;"]`).Each(func(_ int, a *goquery.Selection) {
		link, _, _ := strings.Cut(a.AttrOr("href", ""), "#")
		l := articleLink{link: link, label: squeeze(a.Text())}
		l.id, l.annex = articleID(link)
		if l.id != "" && !slices.ContainsFunc(m.articles, func(o articleLink) bool { return o.id == l.id }) {
			m.articles = append(m.articles, l)
		}
	})
	if len(m.articles) == 0 {
		m.text = textOf(doc.Find("div.stampami pre"))
	}
	return m
}

// articleID joins flag, group, article, its subdivisions and part; the version
// is left out, for it is always the original one. What an address does not say is
// 0; one that says something else than numbers is named by its digest, so that
// no article is lost. One that names no article at all is "".
func articleID(link string) (id string, annex bool) {
	u, err := parseLink(link)
	if err != nil || !u.Query().Has("art.idArticolo") {
		return "", false
	}
	var numbers []string
	for _, name := range []string{"flagTipoArticolo", "idGruppo", "idArticolo", "idSottoArticolo", "idSottoArticolo1", "progressivo"} {
		n, err := strconv.Atoi(cmp.Or(u.Query().Get("art."+name), "0"))
		if err != nil || n < 0 {
			return digest(u.RawQuery), false
		}
		numbers = append(numbers, strconv.Itoa(n))
	}
	return strings.Join(numbers, "."), numbers[0] != "0"
}

const articleText = ".dettaglio_atto_testo, .dettaglio_atto_testo_pc"

func isArticle(doc *goquery.Document) bool { return doc.Find(articleText).Length() > 0 }

// parseArticle reads an article; an empty one has a blank text.
func parseArticle(doc *goquery.Document) text {
	at := doc.Find(articleText)
	t := textOf(at.Find("pre:not(.rosso)"))
	if t.empty() {
		t = textOf(at.First())
	}
	t.notes = paragraphs(at.Find("pre.rosso").Text())
	return t
}

func textOf(s *goquery.Selection) (t text) {
	var raw, plain []string
	s.Each(func(_ int, p *goquery.Selection) {
		if h, err := goquery.OuterHtml(p); err == nil && (squeeze(p.Text()) != "" || p.Find("img, a").Length() > 0) {
			raw, plain = append(raw, plainQuotes(h)), append(plain, paragraphs(p.Text()))
		}
	})
	t.raw, t.plain = strings.Join(raw, "\n"), strings.Join(plain, "\n")
	return t
}

// plainQuotes undoes what writing HTML again has made of quotes in texts: they
// need no escape there, and had none. In tags they do.
func plainQuotes(html string) string {
	var b strings.Builder
	for html != "" {
		text, tag, _ := strings.Cut(html, "<")
		b.WriteString(strings.NewReplacer("&#39;", "'", "&#34;", `"`).Replace(text))
		if len(text) == len(html) {
			break
		}
		inside, rest, closed := strings.Cut(tag, ">")
		b.WriteString("<" + inside)
		if closed {
			b.WriteByte('>')
		}
		html = rest
	}
	return b.String()
}

func (t text) empty() bool { return t.raw == "" }

// stub reports a text that says only that it is not there yet.
func (t text) stub() bool { return len(t.plain) < maxStub && isLoading(t.plain) }

const maxStub = 200
