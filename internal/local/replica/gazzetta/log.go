package gazzetta

import (
	"net/http"
	"slices"
)

// Request is one line of what was asked.
type Request struct {
	Method, URI string
	// Page is what the address is of.
	Page Page
	// Session: a cookie of an earlier answer came with it.
	Session bool
	Status  int
}

// Requests lists what was asked, in the order of arrival.
func (s *Site) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Asked counts the requests for pages of one kind.
func (s *Site) Asked(p Page) (n int) {
	for _, r := range s.Requests() {
		if r.Page == p {
			n++
		}
	}
	return n
}

// Forget empties the log.
func (s *Site) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

func (s *Site) book(p Page, r *http.Request) int {
	_, err := r.Cookie("JSESSIONID")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, Request{Method: r.Method, URI: r.URL.RequestURI(), Page: p, Session: err == nil})
	return len(s.log) - 1
}

// watch books the status of an answer.
type watch struct {
	http.ResponseWriter
	site  *Site
	entry int
}

// WriteHeader is part of http.ResponseWriter.
func (w *watch) WriteHeader(status int) {
	w.site.mu.Lock()
	if w.entry < len(w.site.log) {
		w.site.log[w.entry].Status = status
	}
	w.site.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController flush.
func (w *watch) Unwrap() http.ResponseWriter { return w.ResponseWriter }
