package gazzetta

import (
	"fmt"
	stdhtml "html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func (s *Site) asked(r *http.Request, series string) *Act {
	q := r.URL.Query()
	if series == "" {
		series = q.Get("tipoSerie")
	}
	prefix := "atto."
	if q.Has("art.codiceRedazionale") {
		prefix = "art."
	}
	return s.find(series, q.Get(prefix+"dataPubblicazioneGazzetta"), q.Get(prefix+"codiceRedazionale"))
}

// menu is the page of the whole act, in its two forms.
func (s *Site) menu(w http.ResponseWriter, r *http.Request) {
	a := s.asked(r, "")
	switch {
	case a == nil:
		html(w, loading())
	case a.Form == Inline:
		html(w, fmt.Sprintf("%s<title>*** ATTO COMPLETO ***</title></head><body class=\"stampa\"><div id=\"testa_atto_preview\"><p class=\"grassetto\">%s</p><pre>%s</pre></div>\n<div class=\"stampami\"><div class=\"wrapper_pre\"><PRE>%s</PRE></div></div></body></html>",
			head, stdhtml.EscapeString(a.Heading), stdhtml.EscapeString(a.Title), stdhtml.EscapeString(s.text(a, ""))))
	default:
		html(w, s.menuOfArticles(a))
	}
}

func (s *Site) menuOfArticles(a *Act) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s<title>*** ATTO COMPLETO ***</title></head>\n<body class=\"stampa\"><div id=\"stampa_seleziona_articoli\"><div id=\"testa_atto\">\n<p class=\"grassetto\"> %s&nbsp; </p>\n<h3 class=\"consultazione\">  %s (%s)\n<span class=\"riferimento\"> (GU\n\t\t\tn.%d del %d-%d-%d   ) </span></h3>\n",
		head, stdhtml.EscapeString(a.Heading), stdhtml.EscapeString(a.Title), a.Code, a.Issue, a.Day.Day(), a.Day.Month(), a.Day.Year())
	fmt.Fprintf(&b, "<form id=\"menuExportForm\" action=\"/atto/stampa/%s/originario\" method=\"post\">\n<a class=\"select_all\" href=\"/atto/vediMenuHTML?atto.codiceRedazionale=%s&action=select-all\">tutti</a>\n<div id=\"albero\" class=\"albero_esporta\">\n<ul>", a.Series, a.Code)
	annexes := false
	if len(a.Articles) > 0 {
		b.WriteString("<li class=\"apertura\"/><li class=\"box_articoli\"><span>Articoli</span></li>\n")
	}
	for _, x := range a.Articles {
		if x.Flag > 0 && !annexes {
			annexes = true
			b.WriteString("<li class=\"chiusura\"></li></li></ul>\n<div class=\"allegati_lista\"><h2>Allegati</h2>\n<ul><li class=\"box_allegati_small\"><span>Allegato</span></li>")
		}
		q := a.articleQuery(x)
		fmt.Fprintf(&b, "<li><input name=\"articoliSelected\" type=\"checkbox\" value=\"%s&\" checked=\"checked\"/><input name=\"_articoliSelected\" type=\"hidden\" value=\"1\">\n<a href=\"/atto/%s/caricaArticolo?%s#art\" target=\"mainFrame\">%s</a></input>\n", q, a.Series, q, x.Label)
	}
	fmt.Fprintf(&b, "<li class=\"chiusura\"></li></ul></div>\n<input type=\"hidden\" name=\"annoVigenza\" value=\"%d\"/>\n<input type=\"hidden\" name=\"dataPubblicazioneGazzetta\" value=\"%s\"/>\n<input type=\"hidden\" name=\"codiceRedazionale\" value=\"%s\"/>\n</form></div></div></body></html>",
		a.Day.Year(), a.Day.Format(time.DateOnly), a.Code)
	return b.String()
}

func (a *Act) articleQuery(x Article) string {
	return fmt.Sprintf("art.versione=1&art.idGruppo=%d&art.flagTipoArticolo=%d&art.codiceRedazionale=%s&art.idArticolo=%d&art.idSottoArticolo=%d&art.idSottoArticolo1=%d&art.dataPubblicazioneGazzetta=%s&art.progressivo=%d",
		x.Group, x.Flag, a.Code, x.ID, x.Sub, x.Sub1, a.Day.Format(time.DateOnly), x.Part)
}

func (s *Site) article(series string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if a := s.asked(r, series); a != nil {
			for _, x := range a.Articles {
				if fits(x, r.URL.Query()) {
					html(w, articlePage(s.text(a, x.Label), "dettaglio_atto_testo"))
					return
				}
			}
		}
		html(w, loading())
	}
}

func fits(x Article, q url.Values) bool {
	for name, want := range map[string]int{
		"art.flagTipoArticolo": x.Flag, "art.idGruppo": x.Group, "art.idArticolo": x.ID,
		"art.idSottoArticolo": x.Sub, "art.idSottoArticolo1": x.Sub1, "art.progressivo": x.Part,
	} {
		if n, err := strconv.Atoi(q.Get(name)); err != nil || n != want {
			return false
		}
	}
	return true
}

func articlePage(text, class string) string {
	return fmt.Sprintf("%s<title></title></head><body>\n <div class=\"prima_atto\"><span class=\"aggiornamenti\"> </span></div>\n <span class=\"%s\">\n   <pre>%s</pre>\n   </div>\n   <div class=\"righetta_wrapper\"></div>\n   <pre class=\"rosso\"></pre>\n </span></body></html>",
		head, class, stdhtml.EscapeString(text))
}

func (s *Site) defaultArticle(series string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := s.asked(r, series)
		switch {
		case a == nil:
			html(w, loading())
		case a.Series == "contratti":
			html(w, articlePage(s.text(a, ""), "dettaglio_atto_testo_pc"))
		default:
			html(w, articlePage(s.text(a, "1"), "dettaglio_atto_testo"))
		}
	}
}

func (s *Site) tree(series string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := s.asked(r, series)
		if a == nil {
			html(w, loading())
			return
		}
		var b strings.Builder
		for _, x := range a.Articles {
			fmt.Fprintf(&b, "<li><a href=\"/atto/%s/caricaArticolo?%s#art\">%s</a></li>\n", series, a.articleQuery(x), x.Label)
		}
		html(w, head+"<title></title></head><body><ul>"+b.String()+"</ul></body></html>")
	}
}

// print is the whole act as one page; it needs the session of its menu.
func (s *Site) print(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.ParseForm() != nil || !s.session(r, false) {
		s.home(w, r)
		return
	}
	parts := strings.Split(r.URL.Path, "/")
	a := s.find(parts[3], r.PostForm.Get("dataPubblicazioneGazzetta"), r.PostForm.Get("codiceRedazionale"))
	if a == nil {
		html(w, loading())
		return
	}
	var b strings.Builder
	for _, x := range a.Articles {
		b.WriteString(stdhtml.EscapeString(s.text(a, x.Label)))
	}
	html(w, head+"</head><body class=\"stampa\"><div class=\"stampami\"><div class=\"wrapper_pre\"><PRE>"+b.String()+"</PRE></div></div></body></html>")
}
