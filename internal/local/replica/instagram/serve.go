package instagram

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (a *API) route(w http.ResponseWriter, r *http.Request, path string) {
	q := r.URL.Query()
	switch parts := strings.Split(path, "/"); {
	case path == User && strings.HasPrefix(q.Get("fields"), "business_discovery"):
		a.discover(w, r, q.Get("fields"))
	case path == User+"/media":
		a.edge(w, r, a.all(), q.Get("after"), q.Get("limit"))
	case path == User+"/recently_searched_hashtags":
		a.searchedHashtags(w)
	case path == "ig_hashtag_search":
		a.findHashtag(w, r, q.Get("q"))
	case len(parts) == 2 && strings.HasPrefix(parts[0], "hashtag") && (parts[1] == "recent_media" || parts[1] == "top_media"):
		day := a.config.Now().Add(-24 * time.Hour)
		list := slices.DeleteFunc(a.all(), func(p Post) bool { return parts[1] == "recent_media" && p.At.Before(day) })
		a.edge(w, r, list, q.Get("after"), q.Get("limit"))
	default:
		Refused(http.StatusBadRequest, 100, 33, "Unsupported get request. Object does not exist")(w, r, nil)
	}
}

func (a *API) all() []Post {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.posts)
}

var discovery = regexp.MustCompile(`^business_discovery\.username\((\w[\w.]*)\)\{.*media(?:\.after\((\w+)\))?\.limit\((\d+)\)\{`)

func (a *API) discover(w http.ResponseWriter, r *http.Request, fields string) {
	m := discovery.FindStringSubmatch(fields)
	if m == nil {
		Refused(http.StatusBadRequest, 100, 0, "Syntax error")(w, r, nil)
		return
	}
	if m[1] != "genova" {
		Refused(http.StatusBadRequest, 110, 2207013, "Invalid user id")(w, r, nil)
		return
	}
	media, after := a.part(r, a.all(), m[2], m[3])
	paging := map[string]any{"cursors": map[string]string{"after": after}}
	if after == "" {
		paging = map[string]any{"cursors": map[string]string{}}
	}
	a.send(w, map[string]any{"business_discovery": map[string]any{
		"followers_count": 267793, "media_count": len(a.all()), "media": map[string]any{"data": media, "paging": paging}, "id": "17841401441775531",
	}, "id": User})
}

// edge is a list with an address of the next page, in which the token stands.
func (a *API) edge(w http.ResponseWriter, r *http.Request, list []Post, after, limit string) {
	media, next := a.part(r, list, after, limit)
	answer := map[string]any{"data": media}
	if next != "" {
		answer["paging"] = map[string]any{"cursors": map[string]string{"after": next}, "next": "http://" + r.Host + r.URL.Path + "?access_token=" + Token + "&after=" + next}
	}
	a.send(w, answer)
}

// part are the posts behind a cursor, and the cursor behind them.
func (a *API) part(r *http.Request, list []Post, after, limit string) (media []any, next string) {
	n, err := strconv.Atoi(limit)
	if err != nil {
		n = 25
	}
	at, _ := strconv.Atoi(strings.TrimPrefix(after, "c"))
	at = min(at, len(list))
	end := min(at+n, len(list))
	media = []any{}
	for _, p := range list[at:end] {
		media = append(media, object(r, p))
	}
	if end < len(list) {
		next = "c" + strconv.Itoa(end)
	}
	return media, next
}

func object(r *http.Request, p Post) map[string]any {
	files := "http://" + r.Host + "/files/"
	o := map[string]any{
		"id": p.ID, "caption": p.Caption, "media_type": "IMAGE", "permalink": "https://www.instagram.com/p/" + p.ID + "/",
		"timestamp": p.At.UTC().Format("2006-01-02T15:04:05-0700"), "media_url": files + p.ID + ".jpg",
	}
	if p.Withheld || p.Children > 0 {
		delete(o, "media_url")
	}
	if p.Children > 0 {
		var list []any
		for i := range p.Children {
			list = append(list, map[string]any{"id": child(p, i), "media_type": "IMAGE", "media_url": files + child(p, i) + ".jpg"})
		}
		o["media_type"], o["children"] = "CAROUSEL_ALBUM", map[string]any{"data": list}
	}
	return o
}

func (a *API) searchedHashtags(w http.ResponseWriter) {
	a.mu.Lock()
	list := []any{}
	for _, tag := range a.searched {
		list = append(list, map[string]string{"id": "hashtag" + tag})
	}
	a.mu.Unlock()
	a.send(w, map[string]any{"data": list})
}

func (a *API) findHashtag(w http.ResponseWriter, r *http.Request, tag string) {
	a.mu.Lock()
	known := slices.Contains(a.searched, tag)
	full := !known && len(a.searched) >= MaxHashtags
	if !known && !full {
		a.searched = append(a.searched, tag)
	}
	a.mu.Unlock()
	if full {
		Refused(http.StatusBadRequest, 18, 2207034, "You have exceeded the limit of 30 unique hashtags")(w, r, nil)
		return
	}
	a.send(w, map[string]any{"data": []any{map[string]string{"id": "hashtag" + tag}}})
}

func (a *API) send(w http.ResponseWriter, v any) {
	a.mu.Lock()
	used := a.usage
	a.mu.Unlock()
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=UTF-8")
	h.Set("X-App-Usage", `{"call_count":`+strconv.Itoa(used)+`,"total_cputime":5,"total_time":5}`)
	h.Set("X-Business-Use-Case-Usage", `{"1":[{"type":"instagram","call_count":`+strconv.Itoa(used)+`,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":0}]}`)
	json.NewEncoder(w).Encode(v) // the client may be gone
}

// Fault answers in place of the API; right is what it would say.
type Fault func(w http.ResponseWriter, r *http.Request, right http.Handler)

// Break spoils every answer from now on; nil heals.
func (a *API) Break(f Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fault = f
}

// Refused answers with an error of the Graph API.
func Refused(status, code, subcode int, message string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{ // the client may be gone
			"message": message, "type": "OAuthException", "code": code, "error_subcode": subcode, "is_transient": code == 2, "fbtrace_id": "Az8or2yhqkZfEZ-_4Qn_Bam",
		}})
	}
}

// Without takes the files away: their addresses have expired.
func Without() Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		if strings.HasPrefix(r.URL.Path, "/files/") {
			http.Error(w, "URL signature expired", http.StatusForbidden)
			return
		}
		right.ServeHTTP(w, r)
	}
}

// Undated takes the date of one post away.
func Undated(id string) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		at := regexp.MustCompile(`("id":"` + id + `".*?"timestamp":)"[^"]*"`)
		w.Write(at.ReplaceAll(rec.Body.Bytes(), []byte(`$1"soon"`))) // the client may be gone
	}
}
