package x

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
)

const problems = "https://api.x.com/2/problems/"

// Fault answers in place of the API; right is what it would say.
type Fault func(w http.ResponseWriter, r *http.Request, right http.Handler)

// Break spoils every answer from now on; nil heals.
func (a *API) Break(f Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fault = f
}

// problem answers with a problem document.
func problem(w http.ResponseWriter, status int, title, kind string, errors []any) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	p := map[string]any{"title": title, "detail": title, "type": kind, "status": status}
	if kind == problems+"usage-capped" {
		p["period"], p["scope"] = "Monthly", "Product"
	}
	if errors != nil {
		p["errors"] = errors
	}
	send(w, p)
}

// Problem answers with a problem of a kind: client-forbidden, invalid-request …
func Problem(status int, kind string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		problem(w, status, kind, problems+kind, nil)
	}
}

// Changed changes the members of each answer.
func Changed(change func(answer map[string]json.RawMessage)) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		answer := map[string]json.RawMessage{}
		if json.Unmarshal(rec.Body.Bytes(), &answer) == nil {
			change(answer)
		}
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		json.NewEncoder(w).Encode(answer) // the client may be gone
	}
}

// Undated takes the date of one post away, and its text.
func Undated(root string) Fault {
	return Changed(func(answer map[string]json.RawMessage) {
		var list []map[string]any
		if json.Unmarshal(answer["data"], &list) != nil {
			return
		}
		for _, p := range list {
			if p["id"] == root {
				p["created_at"] = "soon"
			}
		}
		answer["data"], _ = json.Marshal(list) // it was read from JSON
	})
}

// Incomplete adds an error of a part to each answer.
func Incomplete(user int) Fault {
	return Changed(func(answer map[string]json.RawMessage) {
		answer["errors"], _ = json.Marshal([]any{missing("user", "author_id", strconv.Itoa(user))}) // texts only
	})
}
