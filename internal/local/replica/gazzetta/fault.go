package gazzetta

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Page is a kind of page.
type Page string

// The kinds of page.
const (
	HomePage    Page = "home"
	RecentPage  Page = "recent"
	YearPage    Page = "year"
	IssuePage   Page = "issue"
	ActPage     Page = "act"
	MenuPage    Page = "menu"
	ArticlePage Page = "article"
	DefaultPage Page = "default article"
	TreePage    Page = "tree"
	FeedPage    Page = "feed"
	PDFPage     Page = "pdf"
	SearchPage  Page = "search"
	PrintPage   Page = "print"
	OtherPage   Page = "other"
)

// Where says which answers a fault spoils.
type Where struct {
	// Page is the kind; "" is every one.
	Page Page
	// Holding is text that the address, with its query, holds; "" is any.
	Holding string
	// Times is how often; 0 is always. After is how many right answers come first.
	Times, After int
}

// Fault answers in place of the site; right is what the site would say.
type Fault func(w http.ResponseWriter, r *http.Request, right http.Handler)

type fault struct {
	where Where
	seen  int
	serve Fault
}

// Break adds a fault; the first that fits spoils an answer.
func (s *Site) Break(at Where, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fault{where: at, serve: f})
}

// Heal takes all faults away.
func (s *Site) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Site) faultFor(p Page, r *http.Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.faults {
		f := &s.faults[i]
		if f.where.Page != "" && f.where.Page != p || !strings.Contains(r.URL.RequestURI(), f.where.Holding) {
			continue
		}
		if f.seen++; f.seen > f.where.After && (f.where.Times == 0 || f.seen <= f.where.After+f.where.Times) {
			return f.serve
		}
	}
	return nil
}

func instead(body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { html(w, body) }
}

func changed(change func(body []byte) []byte) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		w.Write(change(rec.Body.Bytes())) // the client may be gone
	}
}

// Loading is the stub of what is not there yet, or is asked for wrongly.
func Loading() Fault { return instead(loading()) }

// Stub says the same where an article's text is due.
func Stub() Fault {
	return instead(articlePage("Gazzetta in fase di caricamento", "dettaglio_atto_testo"))
}

// Lost is the home page with status 200, as a lost session gets it.
func (s *Site) Lost() Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) { s.home(w, r) }
}

// NoPDF sends to the page that says so.
func NoPDF() Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, "/gazzetta/pdf/notFound", http.StatusFound)
	}
}

// Empty is the site's frame with nothing in it.
func Empty() Fault { return instead(frame("", "<div id=\"elenco_hp\"></div>")) }

// Rejected is the page of the firewall.
func Rejected() Fault {
	return instead("<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567890</body></html>")
}

// Maintenance is the page of a site at rest, with status 200.
func Maintenance() Fault {
	return instead(frame("", "<h1>Sito in manutenzione</h1><p>Il servizio sar&agrave; ripristinato al pi&ugrave; presto.</p>"))
}

// Status answers with a status alone.
func Status(code int) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(code) }
}

// Renamed gives classes and ids other names, as after a new design.
func Renamed() Fault {
	return changed(func(body []byte) []byte {
		for _, name := range []string{"risultato", "rubrica", "elenco_gazzette", "elenco_ugazzette", "dettaglio_atto_testo", "albero", "caricaDettaglio"} {
			body = bytes.ReplaceAll(body, []byte(name), []byte("x-"+strings.ToUpper(name)))
		}
		return body
	})
}

// Truncated promises the whole body and hangs up in its middle.
func Truncated() Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		w.Header().Set("Content-Length", strconv.Itoa(rec.Body.Len()+1))
		w.Write(rec.Body.Bytes()[:rec.Body.Len()/2]) // the client may be gone
		http.NewResponseController(w).Flush()        // the same
		panic(http.ErrAbortHandler)
	}
}

// Half ends in the middle of the body as if that were all.
func Half() Fault {
	return changed(func(body []byte) []byte { return body[:len(body)/2] })
}

// Slow sends the body in so many pieces, with a pause before each.
func Slow(pieces int, pause time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		body := rec.Body.Bytes()
		for rest := range slices.Chunk(body, len(body)/pieces+1) {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pause):
			}
			w.Write(rest)                         // the client may be gone
			http.NewResponseController(w).Flush() // the same
		}
	}
}

// Nameless leaves out the codes of acts, wherever they stand.
func Nameless() Fault {
	return changed(func(body []byte) []byte {
		return regexp.MustCompile(`codiceRedazionale=[\w-]*| \([\w-]+\)\s*<span class="riferimento">`).ReplaceAll(body, nil)
	})
}

// Beside puts more into the page, before all that it has.
func Beside(html string) Fault {
	return changed(func(body []byte) []byte {
		return bytes.Replace(body, []byte("<body>"), []byte("<body>"+html), 1)
	})
}

// Latin sends the page in ISO-8859-1 under a header that says UTF-8; every
// second line of a mixed one is left as it was.
func Latin(mixed bool) Fault {
	return changed(func(body []byte) []byte {
		var out bytes.Buffer
		for i, line := range strings.SplitAfter(string(body), "\n") {
			for _, r := range line {
				if r < 0x100 && !(mixed && i%2 == 0) {
					out.WriteByte(byte(r))
				} else {
					out.WriteRune(r)
				}
			}
		}
		return out.Bytes()
	})
}

// OldLinks writes links as old pages have them: with http, the public host and a
// session in the path.
func OldLinks() Fault {
	return changed(func(body []byte) []byte {
		for _, way := range []string{"/atto/", "/gazzetta/", "/do/", "/eli/"} {
			body = bytes.ReplaceAll(body, []byte(`href="`+way), []byte(`href="http://www.gazzettaufficiale.it`+way))
		}
		for _, verb := range []string{"/originario?", "caricaArticolo?", "caricaDettaglio?", "vediMenuHTML?"} {
			body = bytes.ReplaceAll(body, []byte(verb), []byte(strings.TrimSuffix(verb, "?")+";jsessionid=0a1b2c.ntc-as4-guri2a?"))
		}
		return body
	})
}

// html writes a page as the site does.
func html(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html;charset=UTF-8")
	w.WriteHeader(http.StatusOK)
	fmt.Fprint(w, body) // the client may be gone
}

func query(values ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(values); i += 2 {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(values[i] + "=" + url.QueryEscape(values[i+1]))
	}
	return b.String()
}

// From answers as another site does.
func From(other http.Handler) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) { other.ServeHTTP(w, r) }
}
