package gazzetta

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const head = "\n\n\n<!--002_053-ACCES- 3.1.1 -LV_A -->\n" +
	`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">` + "\n" +
	`<html xmlns="http://www.w3.org/1999/xhtml" lang="it"><head><META http-equiv="Content-Type" content="text/html; charset=utf-8" />`

const foot = "\n</div></div></body></html>\n"

// loading is the stub of what is not there yet.
func loading() string {
	return frame("", "<div class=\"container_16\"><h2>Gazzetta in fase di caricamento</h2></div>")
}

// frame puts content into the site's frame; meta goes into the head.
func frame(meta, content string) string {
	return head + "\n<title>Gazzetta Ufficiale</title>" + meta + "</head>\n<body><div id=\"top\"><a href=\"/\">Gazzetta Ufficiale</a>\n" +
		"<ul class=\"menu\"><li/><li><a href=\"/archivioCompleto\">Archivio</a></li></ul></div>\n<div class=\"container_16\">" + content + foot
}

func pdfLink(i *Issue, code string) string {
	return fmt.Sprintf("/do/gazzetta/downloadPdf?dataPubblicazioneGazzetta=%s&numeroGazzetta=%d&tipoSerie=%s&tipoSupplemento=GU&numeroSupplemento=0&progressivo=0&estensione=pdf&edizione=0",
		i.Day.Format("20060102"), i.Number, code)
}

func issueLink(i *Issue, way string) string {
	return fmt.Sprintf("/gazzetta/%s/%s?dataPubblicazioneGazzetta=%s&numeroGazzetta=%d", i.Series, way, i.Day.Format(time.DateOnly), i.Number)
}

func (s *Site) home(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	b.WriteString(`<ul class="ultimelist">`)
	for _, x := range series() {
		all := s.published(x.slug)
		if len(all) == 0 {
			continue
		}
		i := s.issue(all[len(all)-1])
		fmt.Fprintf(&b, "<li><span>&nbsp;%s</span><a class=\"download_pdf\" href=\"%s&home=true\">PDF</a>\n<a class=\"ultimeLink\" title=\"Ultima gazzetta\" href=\"%s\">%d del %s</a><a class=\"rssImg\" href=\"rss/%s\">RSS</a></li>\n",
			x.title, pdfLink(i, x.code), issueLink(i, "caricaDettaglio/home"), i.Number, i.Day.Format("02-01-2006"), x.code)
	}
	b.WriteString("</ul><ul class=\"seco\">")
	for _, x := range series() {
		fmt.Fprintf(&b, "<li><a href=\"/30giorni/%s\">%s</a></li>", x.slug, x.title)
	}
	html(w, frame("", b.String()+"</ul>"))
}

func (s *Site) recent(slug string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		x, ok := bySlug(slug)
		if !ok {
			html(w, loading())
			return
		}
		list := s.Issues(slug, s.Recent(), time.Time{})
		slices.Reverse(list)
		var b strings.Builder
		for _, i := range list {
			fmt.Fprintf(&b, "<div class=\"elemento_mese\">\n  <span class=\"titolo_atto\">\n    <a class=\"elenco_ugazzette\"\n       href=\"%s&elenco30giorni=true\">n° %d del %s</a>\n  </span>\n"+
				"  <a href=\"/do/gazzetta/%s/0/pdfPaginato?dataPubblicazioneGazzetta=%s&numeroGazzetta=%d&tipoSerie=%s&tipoSupplemento=GU&numeroSupplemento=0&progressivo=0&numPagina=1&edizione=0&elenco30giorni=true\">Consulta PDF paginato</a>\n"+
				"  <a class=\"download_pdf\" href=\"%s\">Scarica</a>\n</div>\n",
				issueLink(i, "caricaDettaglio"), i.Number, i.Day.Format("02-01-2006"), slug, i.Day.Format("20060102"), i.Number, x.code, pdfLink(i, x.code))
		}
		html(w, frame("", b.String()))
	}
}

func (s *Site) year(slug, year string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		fmt.Fprintf(&b, "<h2>Serie (Formato Testuale)</h2><div id=\"elenco_hp\">\n")
		all := s.Issues(slug, time.Time{}, time.Time{})
		slices.Reverse(all)
		n := 0
		for _, i := range all {
			if i.Day.Format("2006") != year {
				continue
			}
			n++
			link := strings.ReplaceAll(issueLink(i, "caricaDettaglio"), "&", "&amp;")
			fmt.Fprintf(&b, "<a class=\"elenco_gazzette\" href=\"%s\">n&#176; &nbsp;%d del %s</a>\n", link, i.Number, i.Day.Format("02-01-2006"))
			for _, x := range i.Supplements {
				fmt.Fprintf(&b, "<a class=\"elenco_gazzette\" href=\"%s\">%s n° %d del %s</a>\n", link, x.words(), x.Number, i.Day.Format("02-01-2006"))
			}
		}
		if n == 0 {
			http.Redirect(w, r, "/archivioCompleto", http.StatusFound)
			return
		}
		html(w, frame("", b.String()+"</div>"))
	}
}

func (s *Site) years(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	b.WriteString("<div id=\"elenco_hp\"><div class=\"riga_t\"><div class=\"colonna_ultima\">Anni</div></div><div id=\"multi\">")
	for year := s.config.First; year <= s.config.Last; year++ {
		fmt.Fprintf(&b, "<a href=\"/ricercaArchivioCompleto/serie_generale/%d\">%d</a> ", year, year)
	}
	html(w, frame("", b.String()+"</div></div>"))
}

func (x Supplement) words() string {
	if x.Kind == "ss" {
		return "Supplemento straordinario"
	}
	return "Supplemento ordinario"
}
