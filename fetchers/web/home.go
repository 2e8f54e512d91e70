package web

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

// homes are the origins (scheme and host) that start pages were redirected to, with
// those that the file has. Documents are known by the latter: a site that moves to
// https, or to another name, keeps its documents. May be used by many goroutines at
// once.
type homes struct {
	mu    sync.RWMutex
	moved map[string]string
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// learn notes where a start page was redirected to. Without a permanent redirect the
// host must be the same, but for a www.
func (p *plan) learn(asked string, final *url.URL, moved string) {
	at, err := resolve(nil, asked)
	if err != nil || final == nil || originOf(at) == originOf(final) || !slices.Contains(p.starts, asked) {
		return
	}
	same := strings.TrimPrefix(at.Hostname(), "www.") == strings.TrimPrefix(final.Hostname(), "www.")
	if to, err := url.Parse(moved); !same && (moved == "" || err != nil || originOf(to) != originOf(final)) {
		return
	}
	p.note(originOf(final), originOf(at))
}

func (p *plan) note(moved, home string) {
	p.homes.mu.Lock()
	defer p.homes.mu.Unlock()
	if p.homes.moved == nil {
		p.homes.moved = map[string]string{}
	}
	p.homes.moved[moved] = home
}

// relearn notes what learn had noted when a page was set aside.
func (p *plan) relearn(address, key string) {
	at, err := url.Parse(address)
	known, err2 := url.Parse(key)
	if err != nil || err2 != nil || at.Host == "" || known.Host == "" || !slices.ContainsFunc(p.starts, func(s string) bool { return strings.HasPrefix(s, originOf(known)) }) {
		return
	}
	p.note(originOf(at), originOf(known))
}

// home is an address as it is known: at the origin that the file has.
func (p *plan) home(address string) string {
	p.homes.mu.RLock()
	defer p.homes.mu.RUnlock()
	for moved, origin := range p.homes.moved {
		if rest, ok := strings.CutPrefix(address, moved); ok && (rest == "" || strings.ContainsRune("/?", rune(rest[0]))) {
			return origin + rest
		}
	}
	return address
}

// mine reports a host that links may lead to.
func (p *plan) mine(u *url.URL) bool {
	if p.hosts[strings.ToLower(u.Host)] {
		return true
	}
	p.homes.mu.RLock()
	defer p.homes.mu.RUnlock()
	_, ok := p.homes.moved[u.Scheme+"://"+strings.ToLower(u.Host)]
	return ok
}
