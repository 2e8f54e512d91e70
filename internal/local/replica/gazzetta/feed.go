package gazzetta

import (
	"fmt"
	stdhtml "html"
	"net/http"
	"strings"
	"time"
)

// feed lists the acts of the latest issue, all of them; it has no ids.
func (s *Site) feed(code string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x, ok := serieOf(func(x serie) bool { return x.code == code })
		all := s.published(x.slug)
		if !ok || len(all) == 0 {
			s.home(w, r)
			return
		}
		i := s.issue(all[len(all)-1])
		var b strings.Builder
		fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" version=\"2.0\"><channel>\n<title>Gazzetta Ufficiale - %s - Sommario</title>\n<link>http://www.gazzettaufficiale.it/eli/gu/%s/%d/%s/html</link>\n<description>Gazzetta Ufficiale - %s n. %d del %s</description><language>it</language>\n",
			x.title, i.Day.Format("2006/01/02"), i.Number, x.code, x.title, i.Number, i.Day.Format("02-01-2006"))
		for k := range i.Acts {
			b.WriteString(i.Acts[k].item(x))
		}
		w.Header().Set("Content-Type", "application/rss+xml;charset=UTF-8")
		fmt.Fprint(w, b.String()+"</channel></rss>\n") // the client may be gone
	}
}

func (a *Act) item(x serie) string {
	title, text := a.Heading, a.Title
	if a.Emettitore != "" {
		title = a.Emettitore + " - " + title
	}
	link := fmt.Sprintf("http://www.gazzettaufficiale.it/eli/id/%s/%s/%s", a.Day.Format("2006/01/02"), a.Code, x.code)
	at := a.Day.Add(11 * time.Hour)
	switch x.seg {
	case "s1":
		text, at = strings.Repeat(".", 9), a.Date.Add(-time.Hour)
	case "s2":
		at = a.Day.Add(-time.Hour)
		link = fmt.Sprintf("http://www.gazzettaufficiale.it/do/gazzetta/unione_europea/3/pdfPaginato?numPagina=%d&dataPubblicazioneGazzetta=%s&numeroGazzetta=%d&tipoSerie=S2", a.Page, a.Day.Format("20060102"), a.Issue)
	}
	if a.Code != "" {
		text += " (" + a.Code + ")"
	}
	return fmt.Sprintf("<item><title>%s</title><link>%s</link><content:encoded>%s</content:encoded><pubDate>%s</pubDate></item>\n",
		stdhtml.EscapeString(title), stdhtml.EscapeString(link), stdhtml.EscapeString(text), at.Format("Mon, 02 Jan 2006 15:04:05 GMT"))
}
