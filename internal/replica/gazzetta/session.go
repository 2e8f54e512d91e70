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

// SearchFields are those a search must send, all of them.
func SearchFields() []string {
	return []string{
		"numeroProvvedimento", "giornoProvvedimento", "meseProvvedimento", "annoProvvedimento", "attiNumerati", "descrizioneTipoProvvedimento",
		"codiceTipoProvvedimento", "descrizioneEmettitore", "codiceEmettitore", "descrizioneMateria", "codiceMateria", "tipoRicercaTitolo",
		"tipoRicercaTesto", "titolo", "titoloNot", "testo", "testoNot", "giornoPubblicazioneDa", "mesePubblicazioneDa", "annoPubblicazioneDa",
		"giornoPubblicazioneA", "mesePubblicazioneA", "annoPubblicazioneA", "cerca",
	}
}

// search knows the rules of the form: a session is good for one search, and a
// form that is not whole is an error of the server. It finds nothing.
func (s *Site) search(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		html(w, frame("", `<form method="post" action="/do/ricerca/atto/serie_generale/originario/1"><input name="titolo"></form>`))
		return
	}
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
	html(w, frame("", `<div class="warning"><ul><li>la ricerca effettuata non ha prodotto risultati</li></ul></div>`))
}
