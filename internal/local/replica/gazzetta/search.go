package gazzetta

import (
	"fmt"
	stdhtml "html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Bounds of what a search shows.
const (
	hitsPerPage = 100
	hitsAtAll   = 500
)

// SearchFields are those a search must send, all of them.
func SearchFields() []string {
	return []string{
		"numeroProvvedimento", "giornoProvvedimento", "meseProvvedimento", "annoProvvedimento", "attiNumerati", "descrizioneTipoProvvedimento",
		"codiceTipoProvvedimento", "descrizioneEmettitore", "codiceEmettitore", "descrizioneMateria", "codiceMateria", "tipoRicercaTitolo",
		"tipoRicercaTesto", "titolo", "titoloNot", "testo", "testoNot", "giornoPubblicazioneDa", "mesePubblicazioneDa", "annoPubblicazioneDa",
		"giornoPubblicazioneA", "mesePubblicazioneA", "annoPubblicazioneA", "cerca",
	}
}

// search knows the rules of the form: a session is good for one search, whose
// further pages are asked for without the form, and a form that is not whole is
// an error of the server. Of its fields it heeds titolo alone, as one string.
func (s *Site) search(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) == 6 && r.Method == http.MethodPost:
		s.newSearch(w, r, parts[3], parts[5])
	case len(parts) == 6 && r.URL.Query().Has("cerca"):
		s.hits(w, r, parts[3], parts[5])
	default:
		html(w, frame("", `<form method="post" action="/do/ricerca/atto/serie_generale/originario/1"><input name="titolo"></form>`))
	}
}

func (s *Site) newSearch(w http.ResponseWriter, r *http.Request, slug, page string) {
	if r.ParseForm() != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	for _, name := range SearchFields() {
		if !r.PostForm.Has(name) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
	}
	if !s.session(r, true) {
		s.home(w, r)
		return
	}
	c, _ := r.Cookie("JSESSIONID") // there is one: the session is live
	s.mu.Lock()
	s.searches[c.Value] = r.PostForm.Get("titolo")
	s.mu.Unlock()
	s.show(w, r, slug, page, r.PostForm.Get("titolo"))
}

// hits is another page of a session's search.
func (s *Site) hits(w http.ResponseWriter, r *http.Request, slug, page string) {
	c, err := r.Cookie("JSESSIONID")
	if err != nil {
		s.home(w, r)
		return
	}
	s.mu.Lock()
	title, ok := s.searches[c.Value]
	s.mu.Unlock()
	if !ok {
		s.home(w, r)
		return
	}
	s.show(w, r, slug, page, title)
}

// found are the acts of a series whose title holds a text.
func (s *Site) found(slug, title string) (acts []*Act) {
	for _, i := range s.Issues(slug, time.Time{}, time.Time{}) {
		for k := range i.Acts {
			if title != "" && strings.Contains(strings.ToLower(i.Acts[k].Title), strings.ToLower(title)) {
				acts = append(acts, &i.Acts[k])
			}
		}
	}
	return acts
}

// show writes a page of hits: none is said, one leads to the act.
func (s *Site) show(w http.ResponseWriter, r *http.Request, slug, page, title string) {
	acts := s.found(slug, title)
	switch len(acts) {
	case 0:
		html(w, frame("", `<div class="warning"><ul><li>la ricerca effettuata non ha prodotto risultati</li></ul></div>`))
		return
	case 1:
		http.Redirect(w, r, acts[0].address("caricaDettaglioAtto"), http.StatusFound)
		return
	}
	x, _ := bySlug(slug)
	count := fmt.Sprintf("Risultati della ricerca: %d atti", len(acts))
	if len(acts) > hitsAtAll {
		count = fmt.Sprintf("Sono stati trovati %d atti.(È possibile visualizzare solo i primi %d atti)", len(acts), hitsAtAll)
		acts = acts[:hitsAtAll]
	}
	n, _ := strconv.Atoi(page) // what is not a number is the first page, as 0 is
	from := min(max(n-1, 0)*hitsPerPage, len(acts))
	acts = acts[from:min(from+hitsPerPage, len(acts))]
	var b strings.Builder
	fmt.Fprintf(&b, "<div id=\"elenco_hp\"><div class=\"intestazione\">%s (ricerca per atto)</div>\n<div class=\"count_risultati\">%s</div>\n<span class=\"paginatore\"><span class=\"risultato_attivo\">%d</span></span>\n",
		x.title, count, max(n, 1))
	for _, a := range acts {
		if a.Emettitore != "" {
			fmt.Fprintf(&b, "<span class=\"emettitore\">%s</span>\n", a.Emettitore)
		}
		b.WriteString(marked(a.listed(x, false), title))
	}
	html(w, frame("", b.String()+"</div>"))
}

// marked wraps hits as the site does, in elements that HTML has long forgotten.
func marked(entry, title string) string {
	hit := regexp.MustCompile("(?i)" + regexp.QuoteMeta(stdhtml.EscapeString(title)))
	return hit.ReplaceAllString(entry, "<strong><FONT COLOR=#370AED>$0</FONT></strong>")
}
