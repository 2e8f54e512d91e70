package replica

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Counts is what was asked for and how it was answered.
type Counts struct {
	Requests    int
	NotModified int
	Statuses    map[int]int // 0: the connection was closed without an answer
}

// Arrival is one request as the server saw it.
type Arrival struct {
	// Begin is when the request was there. End is taken just before the last
	// write, so it is never later than the end the client saw: what lies between
	// an End and the next Begin is never less than the gap that was kept.
	Begin, End time.Time
	Path       string
	Status     int
}

// Counts returns the counts of one feed.
func (f *Feeds) Counts(name string) Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.feed(name).counts.clone()
}

// HostCounts returns the counts of a host, by its name without port.
func (f *Feeds) HostCounts(host string) Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[bare(host)].clone()
}

// Total returns the counts of all hosts together.
func (f *Feeds) Total() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := Counts{}
	for _, c := range f.counts {
		sum.Requests += c.Requests
		sum.NotModified += c.NotModified
		for status, n := range c.Statuses {
			sum.status(status, n)
		}
	}
	return sum
}

// Arrivals lists the answered requests at a host, with or without port, in the
// order of their beginning.
func (f *Feeds) Arrivals(host string) []Arrival {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []Arrival
	for _, a := range f.arrivals[bare(host)] {
		list = append(list, *a)
	}
	slices.SortStableFunc(list, func(a, b Arrival) int { return a.Begin.Compare(b.Begin) })
	return list
}

// ResetCounts forgets counts and arrivals.
func (f *Feeds) ResetCounts() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.counts)
	clear(f.arrivals)
	for _, feed := range f.feeds {
		feed.counts = Counts{}
	}
}

func (c *Counts) add(status int) {
	c.Requests++
	if status == http.StatusNotModified {
		c.NotModified++
	}
	c.status(status, 1)
}

func (c *Counts) status(status, n int) {
	if c.Statuses == nil {
		c.Statuses = map[int]int{}
	}
	c.Statuses[status] += n
}

func (c Counts) clone() Counts {
	c.Statuses = maps.Clone(c.Statuses)
	return c
}

// watched books every request, also those that end in an abort.
func (f *Feeds) watched(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watch := &watch{ResponseWriter: w, house: f, r: r, arrival: &Arrival{Begin: time.Now(), Path: r.URL.Path}}
		defer watch.book(0)
		h.ServeHTTP(watch, r)
	})
}

// watch sees status and last write of an answer.
type watch struct {
	http.ResponseWriter
	house   *Feeds
	r       *http.Request
	arrival *Arrival
	booked  bool
}

// book books the request once, before anything of the answer leaves: who has
// an answer finds it in the counts. Status 0 is the end of the handler.
func (w *watch) book(status int) {
	w.house.mu.Lock()
	defer w.house.mu.Unlock()
	if w.booked {
		if status != 0 {
			w.arrival.End = time.Now()
		}
		return
	}
	w.booked, w.arrival.Status, w.arrival.End = true, status, time.Now()
	host := bare(w.r.Host)
	w.house.arrivals[host] = append(w.house.arrivals[host], w.arrival)
	counts := w.house.counts[host]
	counts.add(status)
	w.house.counts[host] = counts
	if feed, ok := w.house.byName[strings.TrimPrefix(w.r.URL.Path, "/feed/")]; ok {
		feed.counts.add(status)
	}
}

func (w *watch) WriteHeader(status int) {
	w.book(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *watch) Write(b []byte) (int, error) {
	w.book(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush.
func (w *watch) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func bare(host string) string { return (&url.URL{Host: host}).Hostname() }
