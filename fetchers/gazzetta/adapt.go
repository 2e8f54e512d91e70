package gazzetta

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// The kinds of document.
const (
	kindIssue   = "issue"
	kindAct     = "act"
	kindArticle = "article"
	kindPDF     = "pdf"
)

const mediaHTML, mediaPDF = "text/html", "application/pdf"

// adapter makes documents of one issue. Their ids are ELI paths, which the
// gazette promises to keep.
type adapter struct {
	site  *site
	serie serie
	issue key
}

func (a adapter) slashed() string { return strings.ReplaceAll(a.issue.Day, "-", "/") }

// issueID is eli/gu/2026/06/13/135/sg.
func (a adapter) issueID() string {
	return fmt.Sprintf("eli/gu/%s/%d/%s", a.slashed(), a.issue.Number, a.serie.seg)
}

// actID is eli/id/2026/06/13/26A02924/sg; an act without a code is known by the
// page on which it is printed.
func (a adapter) actID(e entry) string {
	if e.code == "" {
		return a.issueID() + "/" + e.id
	}
	return fmt.Sprintf("eli/id/%s/%s/%s", strings.ReplaceAll(e.day, "-", "/"), url.PathEscape(e.code), a.serie.seg)
}

func (a adapter) url(id string) string { return a.site.address("/" + id) }

func (a adapter) published() time.Time {
	t, _ := time.Parse(time.DateOnly, a.issue.Day) // a key's day is one
	return t
}

// base are the fields that every document has.
func (a adapter) base() map[string]any {
	return map[string]any{"series": a.serie.slug, "issue": a.issue.Number, "publication_date": a.issue.Day}
}

func put(fields map[string]any, name, value string) {
	if value != "" {
		fields[name] = value
	}
}

func (a adapter) issueDocument(p issuePage) harvest.Document {
	f := a.base()
	f["acts"], f["codes"] = len(p.entries), p.codes()
	var list []any
	for _, s := range p.supplements {
		list = append(list, s.field())
	}
	if len(list) > 0 {
		f["supplements"] = list
	}
	day := a.published()
	return harvest.Document{
		ID: a.issueID(), URL: a.url(a.issueID()), Kind: kindIssue, Published: day, Fields: f,
		Title: fmt.Sprintf("%s n. %d del %s", a.serie.title, a.issue.Number, day.Format("02-01-2006")),
	}
}

func (s supplement) field() map[string]any {
	word := "ordinary"
	if s.kind == "ss" {
		word = "extraordinary"
	}
	return map[string]any{"type": word, "number": s.number}
}

// pdfIDs names the PDFs of the issue and of its supplements; they are addresses
// as well.
func (a adapter) pdfIDs(p issuePage) []string {
	ids := []string{a.issueID() + "/pdf"}
	for _, s := range p.supplements {
		ids = append(ids, fmt.Sprintf("eli/gu/%s/%d/%s/%d/%s/pdf", a.slashed(), a.issue.Number, s.kind, s.number, a.serie.seg))
	}
	return ids
}

func (a adapter) pdfDocument(id string, body []byte) harvest.Document {
	return harvest.Document{
		ID: id, URL: a.url(id), Kind: kindPDF, Published: a.published(), Parent: a.issueID(),
		Title: fmt.Sprintf("%s n. %d, PDF", a.serie.title, a.issue.Number), MediaType: mediaPDF, Fields: a.base(), Body: body,
	}
}

// actDocument is the act as its issue lists it.
func (a adapter) actDocument(e entry) harvest.Document {
	f := a.base()
	put(f, "code", e.code)
	put(f, "rubrica", e.rubrica)
	put(f, "emettitore", e.emettitore)
	a.heading(f, e.heading)
	if e.page > 0 {
		f["page"] = e.page
	}
	if e.supplement != nil {
		f["supplement"] = e.supplement.field()
	}
	d := harvest.Document{ID: a.actID(e), Kind: kindAct, Title: e.title, Published: a.published(), Parent: a.issueID(), Fields: f}
	if d.URL = a.url(d.ID); e.pdf != "" {
		d.URL = a.site.address(e.pdf)
	}
	return d
}

// heading puts what the first line says. In contratti and parte_seconda it is the
// name of who advertises, in which a date or a number means nothing.
func (a adapter) heading(f map[string]any, text string) {
	h := parseHeading(text)
	put(f, "heading", text)
	put(f, "expires", h.expires)
	if a.serie.slug == "contratti" || a.serie.slug == "parte_seconda" {
		if f["emettitore"] == nil {
			put(f, "emettitore", withoutExpiry(text))
		}
		return
	}
	put(f, "date", h.date)
	put(f, "deposited", h.deposited)
	put(f, "number", h.number)
	put(f, "type", h.kind)
}

// shell lays what the act's own page says over what the list said.
func (a adapter) shell(d *harvest.Document, p actPage) {
	code, _ := d.Fields["code"].(string)
	if title := withoutCode(p.title, code); title != "" {
		d.Title = title
	}
	if p.supplement != nil {
		d.Fields["supplement"] = p.supplement.field()
	}
	put(d.Fields, "in_force", p.inForce)
	put(d.Fields, "eli_type", p.rdfa["type_document"])
	put(d.Fields, "eli_issuer", p.rdfa["passed_by"])
	if date := p.rdfa["date_document"]; len(date) == len(time.DateOnly) {
		put(d.Fields, "date", date)
	}
}

func say(d *harvest.Document, t text) {
	d.MediaType, d.Body = mediaHTML, []byte(t.raw)
	put(d.Fields, "text", t.plain)
	put(d.Fields, "notes", t.notes)
}

// articleDocument is the n-th article of an act, from 1.
func (a adapter) articleDocument(act *harvest.Document, l articleLink, n int, t text) harvest.Document {
	f := a.base()
	for _, name := range []string{"code", "type", "date", "deposited", "number"} {
		if v, ok := act.Fields[name]; ok {
			f[name] = v
		}
	}
	put(f, "label", l.label)
	f["annex"], f["order"] = l.annex, n
	d := harvest.Document{
		ID: act.ID + "/art/" + l.id, URL: a.site.address(l.link), Kind: kindArticle, Title: articleTitle(l),
		Published: a.published(), Parent: act.ID, Fields: f,
	}
	say(&d, t)
	return d
}

func articleTitle(l articleLink) string {
	if l.annex || l.label == "" || l.label[0] < '0' || l.label[0] > '9' {
		return l.label
	}
	return "Art. " + l.label
}

// issueAddress is the page of an issue in the site's own form, and in the form
// of ELI.
func (a adapter) issueAddress() (own, eli string) {
	query := "?dataPubblicazioneGazzetta=" + a.issue.Day + "&numeroGazzetta=" + strconv.Itoa(a.issue.Number)
	return a.site.address("/gazzetta/" + a.serie.slug + "/caricaDettaglio" + query), a.url(a.issueID() + "/html")
}

// actQuery is what the addresses of an act's pages share.
func actQuery(e entry) string {
	return "?atto.dataPubblicazioneGazzetta=" + e.day + "&atto.codiceRedazionale=" + url.QueryEscape(e.code)
}
