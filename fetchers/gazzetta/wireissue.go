package gazzetta

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/vendemmia/vendemmia/harvest"
)

// issuePage is what an issue's page lists.
type issuePage struct {
	supplements []supplement
	entries     []entry
	rejects     []harvest.Reject
}

// supplement of an issue: so (ordinary) or ss (extraordinary).
type supplement struct {
	kind   string
	number int
}

// entry is one act as its issue lists it.
type entry struct {
	// id is the act's within the issue: its code, else what the printed page
	// gives. day is the publication's as the link says.
	id, code, day       string
	rubrica, emettitore string
	heading, title      string
	page                int
	supplement          *supplement
	// link leads to the act's page, pdf to its PDF where it has no page.
	link, pdf string
}

// codes name the acts in their order.
func (p issuePage) codes() []any {
	codes := make([]any, 0, len(p.entries))
	for _, e := range p.entries {
		codes = append(codes, e.id)
	}
	return codes
}

const issueParts = `span.rubrica, span.emettitore, span.risultato, h2, h3`

// parseIssue reads the flat sequence of headings and acts in their order. What
// bears no code that could be one is set aside. A page without acts is no
// issue's.
func parseIssue(doc *goquery.Document) issuePage {
	frame(doc)
	r := issueReader{seen: map[string]bool{}}
	doc.Find(issueParts).Each(func(_ int, s *goquery.Selection) {
		switch {
		case s.HasClass("risultato"):
			if err := harvest.Guard(func() error { r.act(s); return nil }); err != nil {
				r.reject(s, err.Error())
			}
		case s.HasClass("emettitore"):
			r.emettitore = squeeze(s.Text())
		default:
			r.heading(squeeze(s.Text()), s.HasClass("rubrica"))
		}
	})
	return r.page
}

type issueReader struct {
	page                issuePage
	rubrica, emettitore string
	within              *supplement
	seen                map[string]bool
}

var supplementHeading = regexp.MustCompile(`(?i)^suppl\S*\s+(\S+?)?\s*(?:alla gazzetta\s+)?n\D{0,3}(\d+)`)

// heading opens a section; a new rubrica has no issuing body yet.
func (r *issueReader) heading(text string, rubrica bool) {
	if m := supplementHeading.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[2])
		r.within = &supplement{kind: supplementKind(m[1]), number: n}
		r.page.supplements = append(r.page.supplements, *r.within)
		r.rubrica, r.emettitore = "", ""
		return
	}
	if rubrica {
		r.rubrica, r.emettitore = text, ""
	}
}

func supplementKind(word string) string {
	if strings.HasPrefix(strings.ToLower(word), "str") {
		return "ss"
	}
	return "so"
}

func (r *issueReader) act(s *goquery.Selection) {
	e := entry{rubrica: r.rubrica, emettitore: r.emettitore, supplement: r.within}
	e.links(s)
	e.texts(s)
	if e.code != "" && !isCode(e.code) {
		r.reject(s, "the code "+strconv.Quote(clip(e.code))+" is not valid")
		return
	}
	if e.id = e.code; e.id == "" {
		if e.page == 0 || e.pdf == "" {
			r.reject(s, "neither a code nor a page to know it by")
			return
		}
		e.id = "page/" + strconv.Itoa(e.page)
	}
	if r.seen[e.id+e.title] {
		return // listed twice: by its issue and its supplement
	}
	if r.seen[e.id+e.title] = true; e.code == "" && r.seen[e.id] {
		e.id += "/" + digest(e.title) // another one on the same printed page
	} else if r.seen[e.id] {
		return
	}
	r.seen[e.id] = true
	r.page.entries = append(r.page.entries, e)
}

func (r *issueReader) reject(s *goquery.Selection, reason string) {
	raw, _ := goquery.OuterHtml(s) // of a page that was parsed: it cannot fail
	r.page.rejects = append(r.page.rejects, harvest.Reject{ID: firstWords(s.Text()), Reason: reason, Bytes: []byte(raw)})
}

func firstWords(text string) string { return clip(squeeze(text)) }

func clip(text string) string {
	runes := []rune(text)
	return string(runes[:min(80, len(runes))])
}

// texts reads heading, title and page. Where the two links are one, the heading
// is the span of its own.
func (e *entry) texts(s *goquery.Selection) {
	e.heading = squeeze(s.Find("span.data").First().Text())
	if n, err := strconv.Atoi(pageNumber.FindString(s.Find("span.pagina").First().Text())); err == nil {
		e.page = n
	}
	links := s.Find("a")
	if e.heading == "" && links.Length() > 1 {
		e.heading = squeeze(links.First().Text())
	}
	body := s.Clone()
	body.Find(".data, .pagina, .riferimento").Remove()
	e.title = strings.TrimSpace(strings.TrimPrefix(squeeze(body.Text()), e.heading))
	if rest, code := trailingCode(e.title); code != "" && e.code == "" {
		e.code, e.title = code, strings.TrimSpace(rest)
	}
	e.title = withoutCode(e.title, e.code)
}

var pageNumber = regexp.MustCompile(`\d+`)

// links reads code, day and where the act is.
func (e *entry) links(s *goquery.Selection) {
	s.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href := a.AttrOr("href", "")
		u, err := parseLink(href)
		if err != nil {
			return
		}
		q := u.Query()
		switch {
		case codeIn(href) != "" && e.link == "":
			e.link, e.code = href, codeIn(href)
			if k, ok := keyOf(q.Get("atto.dataPubblicazioneGazzetta"), "1"); ok {
				e.day = k.Day
			}
		case strings.Contains(strings.ToLower(u.Path), "pdf") && e.pdf == "":
			e.pdf = href
			if n, err := strconv.Atoi(q.Get("numPagina")); err == nil && e.page == 0 {
				e.page = n
			}
		}
	})
}
