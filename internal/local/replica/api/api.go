// Package api is a local copy of what APIs of records do: issues as GitHub answers
// (Link headers, since, limits), works as Crossref does (cursors, filters), and the other
// ways to page, JSON and XML.
package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// The names that GitHub's paths have, and what grants and answers want to see.
const (
	Repository = "/repos/comune/albo/issues"
	Works      = "/works"
	Client     = "harvester"
	Secret     = "canary-client-secret"
	Token      = "canary-api-token"
)

// Record is one of what the API holds.
type Record struct {
	ID      int
	Title   string
	Updated time.Time
	Deleted bool
}

// Config says what an API holds: so many records, an hour apart.
type Config struct{ Records int }

// API is a copy of an API. It may be used by many goroutines at once.
type API struct {
	mu       sync.Mutex
	records  []Record
	fault    Fault
	requests []string
	grants   int
	expired  bool
	left     int
	limited  bool
}

// Fault answers in place of the API; right is what it would say.
type Fault func(w http.ResponseWriter, r *http.Request, right http.Handler)

// Beginning is when the first record was updated.
func Beginning() time.Time { return time.Date(2026, time.September, 1, 8, 0, 0, 0, time.UTC) }

// New makes an API.
func New(c Config) *API {
	a := &API{}
	for n := range c.Records {
		a.records = append(a.records, Record{ID: 100 + n, Title: fmt.Sprintf("Atto n. %d, è così", n+1), Updated: Beginning().Add(time.Duration(n) * time.Hour)})
	}
	return a
}

// Put adds a record, or replaces the one with its id.
func (a *API) Put(rec Record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.records = slices.DeleteFunc(a.records, func(r Record) bool { return r.ID == rec.ID })
	a.records = append(a.records, rec)
	slices.SortStableFunc(a.records, func(x, y Record) int { return x.Updated.Compare(y.Updated) })
}

// Delete takes a record away.
func (a *API) Delete(id int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.records = slices.DeleteFunc(a.records, func(r Record) bool { return r.ID == id })
}

// Holds are the ids of all records.
func (a *API) Holds() (ids []string) {
	for _, r := range a.all() {
		ids = append(ids, strconv.Itoa(r.ID))
	}
	return ids
}

func (a *API) all() []Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.records)
}

// Break spoils every answer from now on; nil heals.
func (a *API) Break(f Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fault = f
}

// Limit allows so many requests more; then it refuses, with the headers of GitHub.
func (a *API) Limit(left int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left, a.limited = left, true
}

// Expire makes the tokens that were given so far worthless.
func (a *API) Expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expired = true
}

// Grants counts tokens that were given; Requests are the addresses asked for.
func (a *API) Grants() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.grants
}

// Requests are the addresses that were asked for, with their queries.
func (a *API) Requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// take counts a request against the limit.
func (a *API) take(w http.ResponseWriter) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.limited {
		return true
	}
	ok := a.left > 0
	a.left = max(a.left-1, 0)
	w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(a.left))
	w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(10*time.Minute).Unix(), 10))
	return ok
}
