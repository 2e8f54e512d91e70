// Package site is a small web site for tests and benchmarks of what reads pages:
// lists with pagination, pages, sitemaps, and on demand the faults and traps of
// sites in the field. The same Config gives the same bytes.
package site

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// Config says what a site is like.
type Config struct {
	// Pages is how many there are, PerList how many a list names; 0 is ten.
	Pages, PerList int
	// Size is about how many bytes a page has; 0 is 4,000.
	Size int
	// Validators: pages and lists have an ETag.
	Validators bool
	// Charset pages are written and declared in: "" is UTF-8, or "windows-1252".
	Charset string
}

// Answer is what is sent in place of a page.
type Answer struct {
	Status      int // 0 is 200
	ContentType string
	Header      map[string]string
	Body        string
}

// Site is a site in memory. It is an http.Handler and may be used by many
// goroutines at once.
type Site struct {
	config Config
	mux    *http.ServeMux

	mu       sync.Mutex
	versions map[int]int
	instead  map[string]Answer
	asked    map[string]int
	pages    map[int][]byte
}

// New makes a site.
func New(c Config) *Site {
	if c.PerList == 0 {
		c.PerList = 10
	}
	if c.Size == 0 {
		c.Size = 4000
	}
	s := &Site{
		config: c, mux: http.NewServeMux(),
		versions: map[int]int{}, instead: map[string]Answer{}, asked: map[string]int{}, pages: map[int][]byte{},
	}
	for path, serve := range map[string]http.HandlerFunc{
		"/list": s.serveList, "/rows": s.serveRows, "/acts/{n}": s.servePage, "/calendar": s.serveCalendar, "/maze/": serveMaze,
		"/sitemap.xml": s.serveSitemap, "/sitemap-index.xml": s.serveIndex, "/parts/{n}": s.servePart, "/{$}": s.serveFront,
	} {
		s.mux.HandleFunc("GET "+path, serve)
	}
	return s
}

// ServeHTTP is part of http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.URL.RequestURI()
	s.mu.Lock()
	s.asked[key]++
	a, spoilt := s.instead[key]
	s.mu.Unlock()
	if spoilt {
		a.send(w)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Instead sends a in place of what stands at a path, query included, from now on.
func (s *Site) Instead(path string, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead[path] = a
}

// Heal ends what Instead began.
func (s *Site) Heal(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.instead, path)
}

// Change writes page n anew.
func (s *Site) Change(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions[n]++
	delete(s.pages, n)
}

// Add appends pages, which stand first on the lists.
func (s *Site) Add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Pages += n
}

// Asked counts the requests for paths that begin so, query included.
func (s *Site) Asked(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := 0
	for path, n := range s.asked {
		if strings.HasPrefix(path, prefix) {
			sum += n
		}
	}
	return sum
}

// Path is the address of page n, without the host.
func Path(n int) string { return "/acts/" + strconv.Itoa(n) }

func (a Answer) send(w http.ResponseWriter) {
	kind := a.ContentType
	if kind == "" {
		kind = "text/html; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(max(a.Status, http.StatusOK))
	w.Write([]byte(a.Body)) // the client may be gone
}

// size is how many pages and lists there are now.
func (s *Site) size() (pages, lists int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config.Pages, (s.config.Pages + s.config.PerList - 1) / s.config.PerList
}

func (s *Site) send(w http.ResponseWriter, r *http.Request, kind string, body []byte) {
	if s.config.Validators {
		tag := `"` + strconv.FormatUint(sum(body), 36) + `"`
		if w.Header().Set("ETag", tag); r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body) // the client may be gone
}

func number(q url.Values, name string) int {
	n, err := strconv.Atoi(q.Get(name))
	if err != nil {
		return 1
	}
	return n
}

func (s *Site) servePage(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if pages, _ := s.size(); err != nil || n < 0 || n >= pages {
		Answer{Status: http.StatusNotFound, Body: NotFound}.send(w)
		return
	}
	s.send(w, r, s.contentType(), s.page(n))
}

func (s *Site) contentType() string {
	if s.config.Charset != "" {
		return "text/html; charset=" + s.config.Charset
	}
	return "text/html; charset=utf-8"
}

// page is page n, written once.
func (s *Site) page(n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages[n] == nil {
		s.pages[n] = s.encode(render(n, s.versions[n], s.config))
	}
	return s.pages[n]
}

func (s *Site) serveFront(w http.ResponseWriter, r *http.Request) {
	s.send(w, r, s.contentType(), s.encode(frame("Comune", `<main><p>Benvenuti.</p><p><a href="/list">Atti</a> <a href="/rows">Albo</a></p></main>`)))
}

// on returns the pages a list names, newest first, and the number of lists.
func (s *Site) on(list int) (numbers []int, lists int) {
	pages, lists := s.size()
	for i := (list - 1) * s.config.PerList; i < list*s.config.PerList && i < pages && i >= 0; i++ {
		numbers = append(numbers, pages-1-i)
	}
	return numbers, lists
}

func more(path string, list, lists int) string {
	if list >= lists {
		return ""
	}
	return fmt.Sprintf(`<nav class="pages"><a rel="next" href="%s?page=%d">avanti</a></nav>`, path, list+1)
}
