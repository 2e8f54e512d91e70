// Package instagram is a replica of the Instagram Graph API: business discovery,
// hashtags, own media and the files they name, with usage headers, limits and faults on
// demand.
package instagram

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Token and User are whom the API answers.
const (
	Token = "replica-access-token"
	User  = "17841405309211844"
)

// MaxHashtags is how many different ones an account may ask for in a week.
const MaxHashtags = 30

// Config describes the API; the zero value has twelve posts.
type Config struct {
	// Now is the API's clock; nil stands still at noon of 1 September 2026, UTC.
	Now func() time.Time
	// Posts is how many there are at the start, an hour apart; 0: 12.
	Posts int
	// Searched are hashtags that the account has asked for this week.
	Searched []string
}

// Post is one medium.
type Post struct {
	ID, Caption string
	At          time.Time
	// Children makes an album of so many pictures.
	Children int
	// Withheld has no address of its file.
	Withheld bool
}

// API answers as the Graph API does. It is safe for use by many goroutines.
type API struct {
	config Config

	mu       sync.Mutex
	posts    []Post // newest first
	fault    Fault
	usage    int
	requests []*http.Request
	searched []string
}

// New makes the API.
func New(c Config) *API {
	if c.Now == nil {
		noon := time.Date(2026, time.September, 1, 12, 0, 0, 0, time.UTC)
		c.Now = func() time.Time { return noon }
	}
	a := &API{config: c, searched: c.Searched}
	c.Posts = cmp.Or(c.Posts, 12)
	for i := range c.Posts {
		a.posts = append([]Post{{ID: id(i), Caption: "foto " + strconv.Itoa(i), At: c.Now().Add(time.Duration(i-c.Posts) * time.Hour)}}, a.posts...)
	}
	return a
}

func id(n int) string { return strconv.Itoa(18000000000000000 + n) }

// Publish adds a post, which gets an id and the present.
func (a *API) Publish(p Post) Post {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.ID, p.At = id(len(a.posts)), a.config.Now()
	a.posts = append([]Post{p}, a.posts...)
	return p
}

// Use sets how much of the hour's calls the headers say is used, in per cent.
func (a *API) Use(percent int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage = percent
}

// Holds are the ids of the documents of all posts, their files included.
func (a *API) Holds() (ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.posts {
		ids = append(ids, p.ID)
		for i := range p.Children {
			ids = append(ids, p.ID+"/"+child(p, i))
		}
		if p.Children == 0 && !p.Withheld {
			ids = append(ids, p.ID+"/media")
		}
	}
	return ids
}

func child(p Post, i int) string { return p.ID + strconv.Itoa(100+i) }

// Requests are those that came, in their order.
func (a *API) Requests() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]*http.Request(nil), a.requests...)
}

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
	if name, ok := strings.CutPrefix(r.URL.Path, "/files/"); ok {
		w.Header().Set("Content-Type", "image/jpeg")
		w.Write([]byte("picture of " + name)) // the client may be gone
		return
	}
	if r.URL.Query().Get("access_token") != Token {
		Refused(http.StatusBadRequest, 190, 463, "Error validating access token: session has expired")(w, r, nil)
		return
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/") // behind the version
	a.route(w, r, path)
}

// Delete takes a post away.
func (a *API) Delete(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.posts = slices.DeleteFunc(a.posts, func(p Post) bool { return p.ID == id })
}
