package gazzetta

import (
	"fmt"
	"net/http"
)

// cookies gives a session to who has none, and turns the balancer's cookie.
func (s *Site) cookies(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	turn := len(s.log)
	s.mu.Unlock()
	if _, err := r.Cookie("JSESSIONID"); err != nil {
		id := fmt.Sprintf("%032X.ntc-as4-guri2a", turn*7919)
		s.mu.Lock()
		s.sessions[id] = true
		s.mu.Unlock()
		w.Header().Add("Set-Cookie", (&http.Cookie{Name: "JSESSIONID", Value: id, Path: "/", HttpOnly: true}).String())
	}
	w.Header().Add("Set-Cookie", (&http.Cookie{Name: "TS01", Value: fmt.Sprintf("%x", turn), Path: "/"}).String())
}

// session reports a live session, and uses it up when it is to be used.
func (s *Site) session(r *http.Request, use bool) bool {
	c, err := r.Cookie("JSESSIONID")
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.sessions[c.Value]
	if use && fresh {
		s.sessions[c.Value] = false
	}
	return fresh
}
