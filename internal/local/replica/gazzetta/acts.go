package gazzetta

import (
	"fmt"
	stdhtml "html"
	"net/http"
	"strings"
	"time"
)

func (s *Site) issuePage(w http.ResponseWriter, i *Issue, echo bool) {
	if i == nil {
		html(w, loading())
		return
	}
	x, _ := bySlug(i.Series)
	var b strings.Builder
	fmt.Fprintf(&b, "<div id=\"elenco_hp\">\n  <div class=\"riga_t\"><div class=\"colonna_ultima intestazione\">\n\t\t%s n. <span class=\"estremi\">%d</span> del <span class=\"estremi\">%d-%d-%d</span>\n  </div></div>\n  <h2>Sommario</h2>\n",
		x.heading, i.Number, i.Day.Day(), i.Day.Month(), i.Day.Year())
	var rubrica, emettitore string
	var within *Supplement
	for k := range i.Acts {
		a := &i.Acts[k]
		s.mu.Lock()
		gone := s.unlisted[a.Code]
		s.mu.Unlock()
		if gone {
			continue
		}
		if a.Supplement != within && a.Supplement != nil {
			within, rubrica = a.Supplement, ""
			fmt.Fprintf(&b, "<span class=\"rubrica\">%s n. %d</span>\n", within.words(), within.Number)
		}
		if a.Rubrica != rubrica {
			rubrica, emettitore = a.Rubrica, ""
			fmt.Fprintf(&b, "<span class=\"rubrica\"> %s</span>\n", rubrica)
		}
		if a.Emettitore != emettitore {
			emettitore = a.Emettitore
			fmt.Fprintf(&b, "<span class=\"emettitore\">%s</span>\n", emettitore)
		}
		b.WriteString(a.listed(x, echo))
		if a.Twice {
			b.WriteString(a.listed(x, echo))
		}
	}
	html(w, frame("", b.String()+"</div>"))
}

// listed is the act's entry in its issue.
func (a *Act) listed(x serie, echo bool) string {
	code := ""
	if a.Code != "" {
		code = " (" + a.Code + ")"
	}
	first := fmt.Sprintf("<span class=\"data\">\n\t\t\t\t%s\n\n\t\t</span>", strings.ReplaceAll(stdhtml.EscapeString(a.Heading), " ", "\n\t  "))
	second := fmt.Sprintf("%s%s\n<span class=\"riferimento\"> </span>\n<span class=\"pagina\">Pag. %d</span>", stdhtml.EscapeString(a.Title), code, a.Page)
	link := fmt.Sprintf("/atto/%s/caricaDettaglioAtto/originario?atto.dataPubblicazioneGazzetta=%s&atto.codiceRedazionale=%s&elenco30giorni=%t", x.slug, a.Day.Format(time.DateOnly), a.Code, echo)
	if a.Form == Printed {
		link = fmt.Sprintf("/do/gazzetta/%s/3/pdfPaginato?numPagina=%d&dataPubblicazioneGazzetta=%s&numeroGazzetta=%d&tipoSerie=%s&tipoSupplemento=GU&numeroSupplemento=0&progressivo=0&edizione=0",
			x.slug, a.Page, a.Day.Format("20060102"), a.Issue, x.code)
	}
	return fmt.Sprintf("<span class=\"risultato\">\n<a href=\"%s\">\n%s</a>\n<a href=\"%s\">%s</a>\n</span>\n", link, first, link, second)
}

func (a *Act) address(way string) string {
	return fmt.Sprintf("/atto/%s/%s/originario?%s", a.Series, way,
		query("atto.dataPubblicazioneGazzetta", a.Day.Format(time.DateOnly), "atto.codiceRedazionale", a.Code))
}

// shell is the page of an act: its head and titles, not its text.
func (s *Site) shell(w http.ResponseWriter, a *Act) {
	if a == nil || a.Form == Printed {
		html(w, loading())
		return
	}
	x, _ := bySlug(a.Series)
	menu := "/atto/vediMenuHTML?" + query("atto.dataPubblicazioneGazzetta", a.Day.Format(time.DateOnly), "atto.codiceRedazionale", a.Code,
		"tipoSerie", a.Series, "tipoVigenza", "originario")
	body := fmt.Sprintf("<div id=\"testa_atto\">\n<h2 class=\"consultazione\">%s&nbsp;</h2>\n<h3 class=\"consultazione\" style=\"border: none;\">\n%s\n<span class=\"riferimento\"><span class=\"link_gazzetta\">%s</span></span></h3>\n%s</div>\n",
		stdhtml.EscapeString(a.Heading), a.shellTitle(), a.reference(x), a.inForce())
	body += fmt.Sprintf("<a href=\"%s\" title=\"stampa\">\n\tatto completo</a>\n<iframe src=\"%s\"></iframe><iframe name=\"mainFrame\" src=\"%s&atto.tipoProvvedimento=\"></iframe>",
		menu, a.address("caricaAlberoArticoli"), a.address("caricaArticoloDefault"))
	html(w, frame(a.rdfa(), body))
}

func (a *Act) shellTitle() string {
	text := stdhtml.EscapeString(a.Title) + " (" + a.Code + ")"
	if a.Segment != "sg" {
		return text
	}
	return fmt.Sprintf("<span about=\"gu:id/%s/%s/sg/ita\" property=\"eli:title\">%s</span>", a.Day.Format("2006/01/02"), a.Code, text)
}

func (a *Act) reference(x serie) string {
	supplement, way := "", ""
	if a.Supplement != nil {
		word := map[string]string{"so": "Suppl. Ordinario", "ss": "Suppl. Straordinario"}[a.Supplement.Kind]
		supplement = fmt.Sprintf(" - %s n. %d", word, a.Supplement.Number)
		way = fmt.Sprintf("%s/%d/", a.Supplement.Kind, a.Supplement.Number)
	}
	return fmt.Sprintf("<a target=\"_blank\" href=\"https://www.gazzettaufficiale.it/eli/gu/%s/%d/%s%s/pdf\">(GU %s n.%d del %d-%d-%d%s)</a>",
		a.Day.Format("2006/01/02"), a.Issue, way, x.seg, x.heading, a.Issue, a.Day.Day(), a.Day.Month(), a.Day.Year(), supplement)
}

func (a *Act) inForce() string {
	if a.Rubrica != rubricaLaws {
		return ""
	}
	return fmt.Sprintf("<span>Entrata in vigore del provvedimento: %s</span>\n", a.Day.AddDate(0, 0, 15).Format("02/01/2006"))
}

// rdfa is in the head of acts of the Serie Generale alone.
func (a *Act) rdfa() string {
	if a.Segment != "sg" {
		return ""
	}
	about := fmt.Sprintf("gu:id/%s/%s/sg", a.Day.Format("2006/01/02"), a.Code)
	var b strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "\n<meta about=\"%s\" %s />", about, fmt.Sprintf(format, args...))
	}
	line(`property="eli:id_local" content="%s"`, a.Code)
	line(`typeof="eli:LegalResource"`)
	line(`property="eli:type_document" resource="gu:tables/resource-type#%s"`, strings.ReplaceAll(a.Type, " ", "_"))
	if a.Emettitore != "" {
		line(`property="eli:passed_by" resource="gu:tables/issuers#%s"`, strings.ReplaceAll(strings.ReplaceAll(a.Emettitore, " ", "_"), "'", ""))
	}
	line(`property="eli:date_document" content="%s" datatype="xsd:date"`, a.Date.Format(time.DateOnly))
	line(`property="eli:date_publication" content="%s" datatype="xsd:date"`, a.Day.Format(time.DateOnly))
	return b.String()
}
