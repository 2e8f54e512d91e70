package gazzetta

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// route finds what an address is of, and who answers.
func (s *Site) route(r *http.Request) (Page, http.HandlerFunc) {
	path, _, _ := strings.Cut(r.URL.Path, ";")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/" || path == "/home":
		return HomePage, s.home
	case parts[0] == "30giorni" && len(parts) == 2:
		return RecentPage, s.recent(parts[1])
	case parts[0] == "ricercaArchivioCompleto" && len(parts) == 3:
		return YearPage, s.year(parts[1], parts[2])
	case path == "/archivioCompleto":
		return OtherPage, s.years
	case parts[0] == "rss" && len(parts) == 2:
		return FeedPage, s.feed(parts[1])
	case parts[0] == "eli":
		return s.routeELI(parts[1:])
	case parts[0] == "gazzetta" && len(parts) >= 3 && parts[2] == "caricaDettaglio":
		return IssuePage, s.issueByQuery(parts[1])
	case path == "/gazzetta/pdf/notFound":
		return OtherPage, func(w http.ResponseWriter, _ *http.Request) {
			html(w, frame("", "<p>Il pdf selezionato non é stato trovato</p>"))
		}
	case strings.Contains(path, "/ricerca/"):
		return SearchPage, s.search
	case strings.HasSuffix(path, "/downloadPdf"), strings.HasSuffix(path, "/pdfPaginato"):
		return PDFPage, s.pdfByQuery
	case parts[0] == "atto":
		return s.routeAct(parts[1:])
	default:
		return OtherPage, s.home // an unknown address is the home page, with 200
	}
}

func (s *Site) routeAct(parts []string) (Page, http.HandlerFunc) {
	join := strings.Join(parts, "/")
	switch {
	case join == "vediMenuHTML":
		return MenuPage, s.menu
	case parts[0] == "stampa":
		return PrintPage, s.print
	case len(parts) < 2:
		return OtherPage, s.home
	case parts[1] == "caricaDettaglioAtto":
		return ActPage, s.actByQuery(parts[0])
	case parts[1] == "caricaArticolo":
		return ArticlePage, s.article(parts[0])
	case parts[1] == "caricaArticoloDefault":
		return DefaultPage, s.defaultArticle(parts[0])
	case parts[1] == "caricaAlberoArticoli":
		return TreePage, s.tree(parts[0])
	default:
		return OtherPage, s.home
	}
}

// routeELI knows id/Y/M/D/CODE/SEG, gu/Y/M/D/N[/so/S]/SEG and the same with
// /html or /pdf.
func (s *Site) routeELI(parts []string) (Page, http.HandlerFunc) {
	last := ""
	if n := len(parts); n > 0 && (parts[n-1] == "html" || parts[n-1] == "pdf") {
		last, parts = parts[n-1], parts[:n-1]
	}
	if len(parts) < 6 {
		return OtherPage, s.home
	}
	date, seg := strings.Join(parts[1:4], "-"), strings.ToLower(parts[len(parts)-1])
	x, _ := serieOf(func(x serie) bool { return x.seg == seg })
	switch {
	case parts[0] == "id":
		return ActPage, func(w http.ResponseWriter, _ *http.Request) { s.shell(w, s.find(x.slug, date, parts[4])) }
	case last == "pdf":
		return PDFPage, func(w http.ResponseWriter, r *http.Request) {
			s.pdf(w, r, s.at(x.slug, date, parts[4]), strings.Join(parts, " "))
		}
	default:
		return IssuePage, func(w http.ResponseWriter, _ *http.Request) { s.issuePage(w, s.at(x.slug, date, parts[4]), false) }
	}
}

// at returns the issue of a day and number, nil when there is none (yet).
func (s *Site) at(series, date, number string) *Issue {
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	all := s.published(series)
	i := slices.IndexFunc(all, func(p plan) bool { return p.number == n && p.day.Format(time.DateOnly) == date })
	if i < 0 {
		return nil
	}
	return s.issue(all[i])
}

// find returns an act by its code and day.
func (s *Site) find(series, date, code string) *Act {
	for _, p := range s.published(series) {
		if p.day.Format(time.DateOnly) != date {
			continue
		}
		i := s.issue(p)
		for k := range i.Acts {
			if i.Acts[k].Code == code && code != "" {
				return &i.Acts[k]
			}
		}
	}
	return nil
}

func (s *Site) issueByQuery(series string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		echo := q.Get("elenco30giorni") == "true"
		s.issuePage(w, s.at(series, q.Get("dataPubblicazioneGazzetta"), q.Get("numeroGazzetta")), echo)
	}
}

func (s *Site) actByQuery(series string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		s.shell(w, s.find(series, q.Get("atto.dataPubblicazioneGazzetta"), q.Get("atto.codiceRedazionale")))
	}
}

var dashless = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})$`)

// pdfByQuery wants the date without dashes, as the site does.
func (s *Site) pdfByQuery(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	m := dashless.FindStringSubmatch(q.Get("dataPubblicazioneGazzetta"))
	x, ok := serieOf(func(x serie) bool { return x.code == q.Get("tipoSerie") })
	if m == nil || !ok {
		NoPDF()(w, r, nil)
		return
	}
	s.pdf(w, r, s.at(x.slug, strings.Join(m[1:], "-"), q.Get("numeroGazzetta")), "page "+q.Get("numPagina"))
}
