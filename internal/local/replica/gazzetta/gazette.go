package gazzetta

import (
	"cmp"
	"net/http"
	"sync"
	"time"
)

// Config describes a site; the zero value is the year 2026 on its last day.
type Config struct {
	// Seed makes the content; equal seeds give equal bytes.
	Seed uint64
	// First and Last are the years of the archive; 0: 2026.
	First, Last int
	// Today is the day of the newest issue there may be; zero: the last day of
	// the last year. It moves with Publish.
	Today time.Time
	// Acts is how many acts an issue holds, about; 0: 4. The first article of a
	// special few is followed by many more: see Vast.
	Acts int
}

// Vast is how many articles the longest act of a year of the Serie Generale has.
const Vast = 45

// Site is the gazette's site. It is safe for use by many goroutines.
type Site struct {
	config Config
	plans  map[string][]plan // issues to come, by series; ascending

	mu        sync.Mutex
	today     time.Time
	made      map[plan]*Issue
	corrected map[string]int  // by code
	unlisted  map[string]bool // by code
	withheld  map[string]bool // issues, by id
	faults    []fault
	log       []Request
	sessions  map[string]bool   // false: a search has used it up
	searches  map[string]string // the title a session has searched for
}

// New makes a site.
func New(c Config) *Site {
	c.First = cmp.Or(c.First, c.Last, 2026)
	c.Last = max(c.First, c.Last)
	c.Acts = cmp.Or(c.Acts, 4)
	if c.Today.IsZero() {
		c.Today = time.Date(c.Last, time.December, 31, 0, 0, 0, 0, time.UTC)
	}
	s := &Site{
		config: c, today: day(c.Today), plans: map[string][]plan{}, made: map[plan]*Issue{},
		corrected: map[string]int{}, unlisted: map[string]bool{}, withheld: map[string]bool{}, sessions: map[string]bool{}, searches: map[string]string{},
	}
	for _, x := range series() {
		for year := c.First; year <= c.Last; year++ {
			s.plans[x.slug] = append(s.plans[x.slug], s.planYear(x, year)...)
		}
	}
	return s
}

// Publish moves the site to a day: issues of later days do not exist yet.
func (s *Site) Publish(today time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.today = day(today)
}

// Correct changes the text of a published act, as the gazette's office does now
// and then, without a trace in any list.
func (s *Site) Correct(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.corrected[code]++
}

// Omit leaves an act out of its issue's page; the feed goes on naming it.
func (s *Site) Omit(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unlisted[code] = true
}

// Withhold takes an issue off the site, and puts it there again: the office
// does not always load issues in their order.
func (s *Site) Withhold(id string, withheld bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.withheld[id] = withheld
}

// ServeHTTP is part of http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, serve := s.route(r)
	entry := s.book(page, r)
	watched := &watch{ResponseWriter: w, site: s, entry: entry}
	s.cookies(watched, r)
	right := http.HandlerFunc(serve)
	if f := s.faultFor(page, r); f != nil {
		f(watched, r, right)
		return
	}
	right(watched, r)
}

func day(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
