// Package registry is a job registry to try things on: a web service that lists jobs
// and takes reports, as docs/registry-api.yaml has it, with faults on demand.
package registry

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Job is a job as the service writes it: a JSON object with an id.
type Job map[string]any

// Report is a report as it came.
type Report map[string]any

// Service answers as a registry does. It is safe for use by many goroutines.
type Service struct {
	mu       sync.Mutex
	jobs     map[string]Job
	order    []string
	version  int64
	fault    Fault
	token    string
	requests []string
	reports  map[string][]Report
}

// New makes a service with jobs.
func New(jobs ...Job) *Service {
	// From the clock, so that no two services have had the same version.
	s := &Service{jobs: map[string]Job{}, reports: map[string][]Report{}, version: time.Now().UnixNano()}
	s.Put(jobs...)
	return s
}

// Put adds jobs, or changes those that are there.
func (s *Service) Put(jobs ...Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		id, _ := j["id"].(string)
		if _, known := s.jobs[id]; !known {
			s.order = append(s.order, id)
		}
		s.jobs[id] = maps.Clone(j)
	}
	s.version++
}

// Set changes one member of a job; nil takes it away.
func (s *Service) Set(id, key string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value == nil {
		delete(s.jobs[id], key)
	} else {
		s.jobs[id][key] = value
	}
	s.version++
}

// Remove takes jobs away.
func (s *Service) Remove(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.jobs, id)
		s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == id })
	}
	s.version++
}

// Protect makes the service ask for a bearer token; "" takes that away.
func (s *Service) Protect(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// Reports are the reports of a job, in the order in which they came.
func (s *Service) Reports(id string) []Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reports[id])
}

// Last is the last report of a job; nil when there is none.
func (s *Service) Last(id string) Report {
	if all := s.Reports(id); len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// Requests are those that came: "GET /jobs?limit=1000".
func (s *Service) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP is part of http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	fault, token := s.fault, s.token
	s.mu.Unlock()
	if token != "" && r.Header.Get("Authorization") != "Bearer "+token {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	right := http.HandlerFunc(s.serve)
	if fault != nil {
		fault(w, r, right)
		return
	}
	right(w, r)
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "GET /jobs":
		s.list(w, r)
	case "POST /reports":
		s.take(w, r)
	case "GET /reports":
		s.told(w)
	default:
		s.edit(w, r)
	}
}

// edit lets people play: PUT, PATCH and DELETE of /jobs/ID. docs/registry-api.yaml
// has nothing of it.
func (s *Service) edit(w http.ResponseWriter, r *http.Request) {
	id, one := strings.CutPrefix(r.URL.Path, "/jobs/")
	var job Job
	switch {
	case !one || id == "":
		http.NotFound(w, r)
		return
	case r.Method == http.MethodDelete:
		s.Remove(id)
	case r.Method != http.MethodPut && r.Method != http.MethodPatch:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	case json.NewDecoder(r.Body).Decode(&job) != nil:
		http.Error(w, "the job is not a JSON object", http.StatusBadRequest)
		return
	case r.Method == http.MethodPatch:
		whole := s.job(id)
		maps.Copy(whole, job)
		job = whole
		fallthrough
	default:
		job["id"] = id
		s.Put(job)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Service) job(id string) Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if job := maps.Clone(s.jobs[id]); job != nil {
		return job
	}
	return Job{}
}

// told lists the last report of each job.
func (s *Service) told(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := map[string]Report{}
	for id, all := range s.reports {
		last[id] = all[len(all)-1]
	}
	send(w, last)
}

func (s *Service) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	etag := strconv.Quote(strconv.FormatInt(s.version, 10))
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit <= 0 {
		limit = 100
	}
	begin, _ := strconv.Atoi(r.URL.Query().Get("after")) // the first page has none
	end := min(len(s.order), begin+limit)
	page := map[string]any{"jobs": s.page(min(begin, end), end)}
	if end < len(s.order) {
		page["next"] = strconv.Itoa(end)
	}
	send(w, page)
}

func (s *Service) page(begin, end int) []Job {
	out := []Job{}
	for _, id := range s.order[begin:end] {
		out = append(out, s.jobs[id])
	}
	return out
}

// take keeps reports; one of a job that is not known is refused.
func (s *Service) take(w http.ResponseWriter, r *http.Request) {
	var in struct{ Reports []Report }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	refused := []map[string]string{}
	for _, report := range in.Reports {
		id, _ := report["job"].(string)
		if id == "" {
			refused = append(refused, map[string]string{"job": id, "why": "no job is named"})
			continue
		}
		s.reports[id] = append(s.reports[id], report)
	}
	send(w, map[string]any{"refused": refused})
}

func send(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // whoever is gone misses it
}
