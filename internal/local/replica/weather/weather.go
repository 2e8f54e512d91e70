// Package weather is a replica of two weather services, Open-Meteo and MET Norway,
// with their limits, their refusals and faults on demand.
package weather

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// Config describes the services; the zero value is the 1st of September 2026 with
// the limits of the free plan.
type Config struct {
	// Seed makes the content; equal seeds give equal bytes.
	Seed uint64
	// Now is the services' clock; nil stands still at noon of 1 September 2026, UTC.
	Now func() time.Time
	// Limits are the weights that Open-Meteo takes from all callers together.
	Limits Limits
	// Hold is how long a forecast of MET Norway holds.
	Hold time.Duration
}

// Service is both services in one. It is safe for use by many goroutines.
type Service struct {
	config Config

	mu       sync.Mutex
	fault    Fault
	requests []*http.Request
	used     []call
	updated  time.Time
}

// New makes the services.
func New(c Config) *Service {
	if c.Now == nil {
		noon := time.Date(2026, time.September, 1, 12, 0, 0, 0, time.UTC)
		c.Now = func() time.Time { return noon }
	}
	return &Service{config: c, updated: c.Now().Truncate(time.Hour)}
}

// Update makes a new forecast: MET Norway's Last-Modified moves.
func (s *Service) Update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updated = s.updated.Add(time.Hour)
	s.config.Seed++
}

// Requests are the queries that came, in their order.
func (s *Service) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

// ServeHTTP is part of http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Clone(r.Context()))
	fault := s.fault
	s.mu.Unlock()
	right := http.HandlerFunc(s.serve)
	if fault == nil {
		right(w, r)
		return
	}
	fault(w, r, right)
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	product, met := strings.CutPrefix(r.URL.Path, "/weatherapi/locationforecast/2.0/")
	switch {
	case r.URL.Path == "/v1/forecast":
		s.openMeteo(w, r)
	case met && (product == "compact" || product == "complete"):
		s.metNorway(w, r, product)
	default:
		http.NotFound(w, r)
	}
}
