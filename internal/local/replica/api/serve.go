package api

import (
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ServeHTTP is part of http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.requests = append(a.requests, r.URL.String())
	fault := a.fault
	a.mu.Unlock()
	right := http.HandlerFunc(a.serve)
	if fault == nil {
		right(w, r)
		return
	}
	fault(w, r, right)
}

func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/oauth/token" {
		a.grant(w, r)
		return
	}
	if !a.take(w) {
		refuse(w, http.StatusForbidden, "API rate limit exceeded")
		return
	}
	switch r.URL.Path {
	case Repository:
		a.issues(w, r)
	case Works:
		a.works(w, r)
	case "/pages":
		list, n := a.paged(r, "page", 1, 25)
		send(w, map[string]any{"results": objects(list), "pages": (n + 24) / 25})
	case "/offset":
		list, n := a.paged(r, "offset", 0, 20)
		send(w, map[string]any{"records": objects(list), "total": n})
	case "/links":
		a.links(w, r)
	case "/search":
		a.search(w, r)
	case "/xml":
		a.xml(w)
	case "/secured":
		if r.Header.Get("Authorization") != fmt.Sprintf("Bearer %s-%d", Token, a.Grants()) || a.isExpired() {
			refuse(w, http.StatusUnauthorized, "Bad credentials")
			return
		}
		send(w, objects(a.all()))
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

func (a *API) isExpired() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.expired
}

// grant gives a token for client credentials.
func (a *API) grant(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if id == "" {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != Client || secret != Secret || r.PostFormValue("grant_type") != "client_credentials" {
		w.WriteHeader(http.StatusUnauthorized)
		send(w, map[string]string{"error": "invalid_client", "error_description": "no client has the secret " + secret})
		return
	}
	a.mu.Lock()
	a.grants, a.expired = a.grants+1, false
	n := a.grants
	a.mu.Unlock()
	send(w, map[string]any{"access_token": fmt.Sprintf("%s-%d", Token, n), "token_type": "bearer", "expires_in": 3600})
}

// object is a record as GitHub writes issues, as far as it matters.
func object(r Record) map[string]any {
	return map[string]any{
		"id": r.ID, "number": r.ID - 99, "title": r.Title, "state": map[bool]string{true: "closed", false: "open"}[r.Deleted],
		"html_url": fmt.Sprintf("https://github.example.org/comune/albo/issues/%d", r.ID-99), "body": "Testo di " + r.Title,
		"user": map[string]any{"login": "ufficio"}, "labels": []any{map[string]any{"name": "atto"}, map[string]any{"name": "albo"}},
		"created_at": Beginning().Format(time.RFC3339), "updated_at": r.Updated.Format(time.RFC3339), "deleted": r.Deleted,
	}
}

func objects(list []Record) []any {
	out := make([]any, 0, len(list))
	for _, r := range list {
		out = append(out, object(r))
	}
	return out
}

// issues are those updated since, oldest first unless asked otherwise, with links to the next page and an ETag.
func (a *API) issues(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	since, err := time.Parse(time.RFC3339, q.Get("since"))
	list := slices.DeleteFunc(a.all(), func(rec Record) bool { return err == nil && rec.Updated.Before(since) })
	if q.Get("direction") == "desc" {
		slices.Reverse(list)
	}
	size := atLeast(q.Get("per_page"), 30)
	page := atLeast(q.Get("page"), 1)
	from := min((page-1)*size, len(list))
	to := min(from+size, len(list))
	if to < len(list) {
		q.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=1>; rel="first", <http://%s%s?%s>; rel="next"`, r.Host, r.URL.Path, r.Host, r.URL.Path, q.Encode()))
	}
	body, _ := json.Marshal(objects(list[from:to])) // numbers and texts
	tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(body))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(body) // the client may be gone
}

func atLeast(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// works are the answers of Crossref: its cursor is there on every page, the last one
// included, and may be the same again; the end is a page without items.
func (a *API) works(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	list := a.all()
	if day, ok := strings.CutPrefix(q.Get("filter"), "from-index-date:"); ok {
		since, err := time.Parse(time.DateOnly, day[:min(10, len(day))])
		if err != nil {
			refuse(w, http.StatusBadRequest, "not a valid date")
			return
		}
		list = slices.DeleteFunc(list, func(rec Record) bool { return rec.Updated.Before(since) })
	}
	at := 0
	if c := q.Get("cursor"); c != "*" {
		n, err := strconv.Atoi(strings.TrimPrefix(c, "DnF1ZXJ5"))
		if err != nil || !strings.HasPrefix(c, "DnF1ZXJ5") {
			refuse(w, http.StatusNotFound, "Cursor not found")
			return
		}
		at = min(n, len(list))
	}
	end := min(at+atLeast(q.Get("rows"), 20), len(list))
	items := []any{}
	for _, rec := range list[at:end] {
		items = append(items, map[string]any{
			"DOI": fmt.Sprintf("10.5555/albo.%d", rec.ID), "title": []any{rec.Title}, "type": "journal-article", "URL": fmt.Sprintf("https://doi.example.org/10.5555/albo.%d", rec.ID),
			"indexed": map[string]any{"date-time": rec.Updated.Format(time.RFC3339), "timestamp": rec.Updated.UnixMilli()},
			"author":  []any{map[string]any{"given": "Ada", "family": "Rossi"}, map[string]any{"given": "Ugo", "family": "Bianchi"}},
		})
	}
	send(w, map[string]any{"status": "ok", "message-type": "work-list", "message": map[string]any{
		"total-results": len(list), "items": items, "items-per-page": 20, "next-cursor": "DnF1ZXJ5" + strconv.Itoa(end),
	}})
}

// paged is a part of the list by a number, and how many there are.
func (a *API) paged(r *http.Request, param string, base, size int) ([]Record, int) {
	list := a.all()
	n, _ := strconv.Atoi(r.URL.Query().Get(param))
	from := n
	if base == 1 {
		from = (max(n, 1) - 1) * size
	}
	from = min(from, len(list))
	return list[from:min(from+size, len(list))], len(list)
}

// links has the address of the next page in its body, without a host.
func (a *API) links(w http.ResponseWriter, r *http.Request) {
	list, n := a.paged(r, "from", 0, 15)
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	var next any
	if from+15 < n {
		next = "/links?from=" + strconv.Itoa(from+15)
	}
	send(w, map[string]any{"data": objects(list), "paging": map[string]any{"next": next}})
}

// search is asked by POST, with the cursor in the body.
func (a *API) search(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Query  string `json:"query"`
		Cursor string `json:"cursor"`
		Since  string `json:"since"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&q) != nil || q.Query == "" {
		refuse(w, http.StatusBadRequest, "a query is wanted")
		return
	}
	list := a.all()
	at, _ := strconv.Atoi(q.Cursor)
	at = min(max(at, 0), len(list))
	end := min(at+25, len(list))
	out := map[string]any{"hits": objects(list[at:end]), "more": end < len(list)}
	if end < len(list) {
		out["cursor"] = end
	}
	send(w, out)
}

// xml is the whole list as XML.
func (a *API) xml(w http.ResponseWriter) {
	type record struct {
		ID    int    `xml:"id,attr"`
		Title string `xml:"title"`
		Date  string `xml:"date"`
		Tag   []string
	}
	var out struct {
		XMLName xml.Name `xml:"response"`
		Records []record `xml:"records>record"`
	}
	for _, r := range a.all() {
		out.Records = append(out.Records, record{ID: r.ID, Title: r.Title, Date: r.Updated.Format(time.RFC3339), Tag: []string{"atto", "albo"}})
	}
	body, _ := xml.Marshal(out) // numbers and texts
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	w.Write(append([]byte(xml.Header), body...)) // the client may be gone
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	send(w, map[string]any{"message": message})
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(v) // the client may be gone
}

// Replaced replaces a text in each answer.
func Replaced(old, by string) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		w.Write([]byte(strings.ReplaceAll(rec.Body.String(), old, by))) // the client may be gone
	}
}
