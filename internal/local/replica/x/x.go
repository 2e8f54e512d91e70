// Package x is a replica of the X API, version 2: users, timelines, recent search and
// look-up of posts, with rate limits, a usage cap and faults on demand.
package x

import (
	"cmp"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Token is the bearer token that the API takes.
const Token = "replica-token"

// Depth is how far back a timeline reaches, in posts.
const Depth = 3200

// Config describes the API; the zero value has the user Genova with 12 posts.
type Config struct {
	// Now is the API's clock; nil stands still at noon of 1 September 2026, UTC.
	Now func() time.Time
	// Posts is how many each user has at the start, an hour apart; 0: 12.
	Posts int
	// Users are the handles; nil: Genova and Savona, who write in turn.
	Users []string
	// Limit is how many requests each path takes in fifteen minutes; 0: 10,000.
	Limit int
	// Cap is how many posts may be read before the usage is capped; 0: none.
	Cap int
}

// Post is one version of a post.
type Post struct {
	ID      uint64
	Root    uint64 // the first version
	User    int    // its place in Config.Users
	Text    string
	Created time.Time
}

// API answers as the X API does. It is safe for use by many goroutines.
type API struct {
	config Config

	mu       sync.Mutex
	posts    []Post // ascending by id
	deleted  map[uint64]bool
	fault    Fault
	requests []*http.Request
	windows  map[string]*window
	read     int
}

// New makes the API.
func New(c Config) *API {
	if c.Now == nil {
		noon := time.Date(2026, time.September, 1, 12, 0, 0, 0, time.UTC)
		c.Now = func() time.Time { return noon }
	}
	if c.Users == nil {
		c.Users = []string{"Genova", "Savona"}
	}
	c.Posts, c.Limit = cmp.Or(c.Posts, 12), cmp.Or(c.Limit, 10000)
	a := &API{config: c, deleted: map[uint64]bool{}, windows: map[string]*window{}}
	for i := c.Posts; i > 0; i-- {
		for user := range c.Users {
			a.add(user, "post "+strconv.Itoa(c.Posts-i+1)+" of "+c.Users[user], c.Now().Add(-time.Duration(i)*time.Hour+time.Duration(user)*time.Minute), 0)
		}
	}
	return a
}

// epoch is the one of the ids, in milliseconds.
const epoch = 1288834974657

// ID is the least id of a moment.
func ID(at time.Time) uint64 { return uint64(at.UnixMilli()-epoch) << 22 }

func (a *API) add(user int, text string, at time.Time, root uint64) Post {
	p := Post{ID: ID(at) | uint64(len(a.posts)), User: user, Text: text, Created: at}
	p.Root = cmp.Or(root, p.ID)
	a.posts = append(a.posts, p)
	return p
}

// Write posts something now.
func (a *API) Write(user int, text string) Post {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.add(user, text, a.config.Now(), 0)
}

// Edit makes a new version of a post, under an id of its own; the old one is listed
// no more.
func (a *API) Edit(p Post, text string) Post {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deleted[p.ID] = true
	return a.add(p.User, text, a.config.Now(), p.Root)
}

// Delete takes a post away.
func (a *API) Delete(id uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deleted[id] = true
}

// Holds are the ids of the documents of a user; -1: of all.
func (a *API) Holds(user int) (ids []string) {
	for _, p := range a.listed(func(p Post) bool { return user < 0 || p.User == user }) {
		ids = append(ids, strconv.FormatUint(p.Root, 10))
	}
	return ids
}

// listed are the posts that fit, newest first.
func (a *API) listed(fits func(Post) bool) (list []Post) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.posts) - 1; i >= 0; i-- {
		if p := a.posts[i]; !a.deleted[p.ID] && fits(p) {
			list = append(list, p)
		}
	}
	return list
}

// Requests are those that came, in their order.
func (a *API) Requests() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]*http.Request(nil), a.requests...)
}
