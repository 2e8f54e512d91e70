package registry

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"time"
)

// Fault answers in the place of the service; right is the right answer.
type Fault func(w http.ResponseWriter, r *http.Request, right http.Handler)

// Break sets a fault; nil heals.
func (s *Service) Break(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Down answers 503 to everything.
func Down() Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
	}
}

// Slow answers rightly, after a while.
func Slow(wait time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		select {
		case <-time.After(wait):
			right.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}
}

// HTML answers with a page for people.
func HTML() Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!DOCTYPE html><html><body>Please log in</body></html>"))
	}
}

// Truncated leaves out the end of what is listed.
func Truncated() Fault {
	return lists(func(body []byte) []byte { return body[:len(body)*2/3] })
}

// Empty lists nothing.
func Empty() Fault {
	return lists(func([]byte) []byte { return []byte(`{"jobs":[]}`) })
}

// Instead lists what it is given.
func Instead(body string) Fault {
	return lists(func([]byte) []byte { return []byte(body) })
}

// Unreadable makes one job of the list one that nobody can read; nameless takes its
// id away too.
func Unreadable(id string, nameless bool) Fault {
	return edit(func(jobs []map[string]any) []map[string]any {
		for _, j := range jobs {
			if j["id"] == id {
				j["enabled"] = "perhaps"
				if nameless {
					delete(j, "id")
				}
			}
		}
		return jobs
	})
}

// Twice lists one job a second time, with another name.
func Twice(id string) Fault {
	return edit(func(jobs []map[string]any) []map[string]any {
		for _, j := range jobs {
			if j["id"] == id {
				other := map[string]any{}
				for key, value := range j {
					other[key] = value
				}
				other["name"] = "the other one"
				return append(jobs, other)
			}
		}
		return jobs
	})
}

func edit(change func([]map[string]any) []map[string]any) Fault {
	return lists(func(body []byte) []byte {
		var page map[string]any
		if json.Unmarshal(body, &page) != nil {
			return body
		}
		list, _ := page["jobs"].([]any)
		jobs := make([]map[string]any, 0, len(list))
		for _, one := range list {
			if j, ok := one.(map[string]any); ok {
				jobs = append(jobs, j)
			}
		}
		page["jobs"] = change(jobs)
		out, err := json.Marshal(page)
		if err != nil {
			return body
		}
		return out
	})
}

// lists changes what is listed, under validators of its own; reports are taken.
func lists(change func([]byte) []byte) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		if r.Method != http.MethodGet {
			right.ServeHTTP(w, r)
			return
		}
		r.Header.Del("If-None-Match")
		kept := httptest.NewRecorder()
		right.ServeHTTP(kept, r)
		w.Header().Set("Content-Type", kept.Header().Get("Content-Type"))
		_, _ = w.Write(change(bytes.Clone(kept.Body.Bytes())))
	}
}
