package x

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ServeHTTP is part of http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.requests = append(a.requests, r.Clone(r.Context()))
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
	if r.Header.Get("Authorization") != "Bearer "+Token {
		problem(w, http.StatusUnauthorized, "Unauthorized", "about:blank", nil)
		return
	}
	if !a.take(w, r.URL.Path) {
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) == 5 && strings.Join(parts[:4], "/") == "2/users/by/username":
		a.user(w, parts[4])
	case len(parts) == 4 && parts[1] == "users" && parts[3] == "tweets":
		a.timeline(w, r, parts[2])
	case r.URL.Path == "/2/tweets/search/recent":
		a.search(w, r)
	case r.URL.Path == "/2/tweets":
		a.lookUp(w, r)
	default:
		problem(w, http.StatusNotFound, "Not Found", "about:blank", nil)
	}
}

func (a *API) user(w http.ResponseWriter, name string) {
	i := slices.IndexFunc(a.config.Users, func(u string) bool { return strings.EqualFold(u, name) })
	if i < 0 {
		send(w, map[string]any{"errors": []any{missing("user", "username", name)}})
		return
	}
	send(w, map[string]any{"data": a.userObject(i)})
}

func (a *API) userObject(i int) map[string]any {
	return map[string]any{"id": strconv.Itoa(100 + i), "name": "Città di " + a.config.Users[i], "username": a.config.Users[i]}
}

func missing(kind, parameter, value string) map[string]any {
	return map[string]any{
		"title": "Not Found Error", "type": problems + "resource-not-found", "detail": "Could not find " + kind + " with " + parameter + ": [" + value + "].",
		"resource_type": kind, "resource_id": value, "parameter": parameter, "value": value,
	}
}

func (a *API) timeline(w http.ResponseWriter, r *http.Request, id string) {
	n, err := strconv.Atoi(id)
	if err != nil || n < 100 || n >= 100+len(a.config.Users) {
		send(w, map[string]any{"errors": []any{missing("user", "id", id)}})
		return
	}
	list := a.listed(func(p Post) bool { return p.User == n-100 })
	a.page(w, r, list[:min(len(list), Depth)], "pagination_token", 5)
}

// search knows words, and from: with a handle.
func (a *API) search(w http.ResponseWriter, r *http.Request) {
	week := ID(a.config.Now().Add(-7 * 24 * time.Hour))
	for _, name := range []string{"since_id", "until_id"} {
		if id := number(r.URL.Query().Get(name)); id > 0 && id < week {
			problem(w, http.StatusBadRequest, "Invalid Request", problems+"invalid-request", []any{map[string]any{
				"parameters": map[string]any{name: []string{strconv.FormatUint(id, 10)}},
				"message":    fmt.Sprintf("'%s' must be a tweet id created after [TIMESTAMP]. Please use a '%s' that is larger than %d", name, name, week),
			}})
			return
		}
	}
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("query")))
	a.page(w, r, a.listed(func(p Post) bool { return p.ID >= week && a.fits(p, words) }), "next_token", 10)
}

func (a *API) fits(p Post, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		if from, ok := strings.CutPrefix(word, "from:"); ok {
			return !strings.EqualFold(from, a.config.Users[p.User])
		}
		return !strings.Contains(strings.ToLower(p.Text), word)
	})
}

func number(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

// page sends the part of a list that a request asks for.
func (a *API) page(w http.ResponseWriter, r *http.Request, list []Post, token string, least int) {
	q := r.URL.Query()
	most, err := strconv.Atoi(q.Get("max_results"))
	if q.Get("max_results") == "" {
		most, err = 10, nil
	}
	if err != nil || most < least || most > 100 {
		problem(w, http.StatusBadRequest, "Invalid Request", problems+"invalid-request", []any{map[string]any{"message": "max_results is not between " + strconv.Itoa(least) + " and 100"}})
		return
	}
	list = slices.DeleteFunc(list, func(p Post) bool { return !inside(p, q.Get) })
	at := 0
	if text := q.Get(token); text != "" {
		at = slices.IndexFunc(list, func(p Post) bool { return "t"+strconv.FormatUint(p.ID, 36) == text })
	}
	if at < 0 {
		problem(w, http.StatusBadRequest, "Invalid Request", problems+"invalid-request", nil)
		return
	}
	end := min(len(list), at+most)
	meta := map[string]any{"result_count": end - at}
	if end < len(list) {
		meta["next_token"] = "t" + strconv.FormatUint(list[end].ID, 36)
	}
	a.sendPosts(w, r, list[at:end], meta, nil)
}

func inside(p Post, get func(string) string) bool {
	from, err := time.Parse(time.RFC3339, get("start_time"))
	until, err2 := time.Parse(time.RFC3339, get("end_time"))
	return p.ID > number(get("since_id")) && (get("until_id") == "" || p.ID < number(get("until_id"))) &&
		(err != nil || !p.Created.Before(from)) && (err2 != nil || p.Created.Before(until))
}

func (a *API) lookUp(w http.ResponseWriter, r *http.Request) {
	var found []Post
	var errors []any
	for id := range strings.SplitSeq(r.URL.Query().Get("ids"), ",") {
		list := a.listed(func(p Post) bool { return p.ID == number(id) })
		if found = append(found, list...); len(list) == 0 {
			errors = append(errors, missing("tweet", "ids", id))
		}
	}
	a.sendPosts(w, r, found, nil, errors)
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(v) // the client may be gone
}
