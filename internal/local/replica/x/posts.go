package x

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// sendPosts answers with posts, and with their users where they are asked for.
func (a *API) sendPosts(w http.ResponseWriter, r *http.Request, list []Post, meta map[string]any, errors []any) {
	if !a.pay(w, len(list)) {
		return
	}
	answer := map[string]any{}
	var data, users []any
	seen := map[int]bool{}
	for _, p := range list {
		data = append(data, a.object(p, r.URL.Query().Get("tweet.fields")))
		if !seen[p.User] && strings.Contains(r.URL.Query().Get("expansions"), "author_id") {
			seen[p.User], users = true, append(users, a.userObject(p.User))
		}
	}
	if meta != nil {
		if len(list) > 0 {
			meta["newest_id"], meta["oldest_id"] = strconv.FormatUint(list[0].ID, 10), strconv.FormatUint(list[len(list)-1].ID, 10)
		}
		answer["meta"] = meta
	}
	if len(data) > 0 {
		answer["data"] = data
	}
	if len(users) > 0 {
		answer["includes"] = map[string]any{"users": users}
	}
	if len(errors) > 0 {
		answer["errors"] = errors
	}
	send(w, answer)
}

// object is a post with the fields asked for.
func (a *API) object(p Post, fields string) map[string]any {
	id := strconv.FormatUint(p.ID, 10)
	all := map[string]any{
		"created_at": p.Created.UTC().Format("2006-01-02T15:04:05.000Z"), "author_id": strconv.Itoa(100 + p.User), "lang": "it", "conversation_id": id,
		"entities": map[string]any{"hashtags": []any{map[string]any{"start": 0, "end": 1, "tag": "meteo"}}},
	}
	versions := []string{strconv.FormatUint(p.Root, 10)}
	if p.Root != p.ID {
		versions = append(versions, id)
	}
	o := map[string]any{"id": id, "text": p.Text, "edit_history_tweet_ids": versions}
	for name := range strings.SplitSeq(fields, ",") {
		if v, ok := all[name]; ok {
			o[name] = v
		}
	}
	return o
}

// window is a quarter of an hour of one path.
type window struct {
	reset time.Time
	used  int
}

// take counts a request, and refuses it where the window is used up.
func (a *API) take(w http.ResponseWriter, path string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.config.Now()
	at := a.windows[path]
	if at == nil || !now.Before(at.reset) {
		at = &window{reset: now.Add(15 * time.Minute)}
		a.windows[path] = at
	}
	at.used++
	h := w.Header()
	h.Set("x-rate-limit-limit", strconv.Itoa(a.config.Limit))
	h.Set("x-rate-limit-remaining", strconv.Itoa(max(0, a.config.Limit-at.used)))
	h.Set("x-rate-limit-reset", strconv.FormatInt(at.reset.Unix(), 10))
	if at.used <= a.config.Limit {
		return true
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusTooManyRequests)
	send(w, map[string]any{"errors": []any{map[string]any{"code": 88, "message": "Rate limit exceeded"}}})
	return false
}

// pay counts what is read, and refuses it once the cap is reached.
func (a *API) pay(w http.ResponseWriter, posts int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.config.Cap > 0 && a.read >= a.config.Cap {
		problem(w, http.StatusTooManyRequests, "UsageCapExceeded", problems+"usage-capped", nil)
		return false
	}
	a.read += posts
	return true
}
