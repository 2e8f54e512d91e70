package polite

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/polite/robots"
)

const (
	// robotsFor is how long a robots.txt is taken for current (RFC 9309, section
	// 2.4: not longer than a day).
	robotsFor = 24 * time.Hour
	// robotsAgain is how soon one that could not be had is asked for again.
	robotsAgain = time.Minute
	// robotsPatience is how long the last good one serves while none can be had.
	robotsPatience = 7 * 24 * time.Hour
	// robotsTimeout bounds each exchange; the wait for the host's turn is as long as
	// that of any request.
	robotsTimeout = time.Minute
	// robotsRedirects is how many are followed (section 2.3.1.2); more, and a circle,
	// are taken for a file that is not there.
	robotsRedirects = 5
	// keepRobots is how many are remembered before old ones are dropped.
	keepRobots = 4096
)

// gate keeps the robots.txt of each origin (scheme, host, port: section 2.3) and
// says who may pass.
type gate struct {
	asking singleflight.Group
	mu     sync.Mutex
	known  map[string]*posted
}

// posted is what an origin says to robots. It is never changed.
type posted struct {
	host    string
	rules   robots.Rules
	failure *harvest.Error // why none could be had; nil: rules hold
	read    time.Time      // when the rules were read
	until   time.Time
}

// pass returns the verdict for the ledger, or why the request must not leave.
func (r *roundTripper) pass(req *http.Request) (string, error) {
	rule := r.client.settings.Rules(Host(req.URL)).Robots
	if r.forRobots || rule == RobotsIgnore || rule != RobotsObey && !r.visitor.Robots {
		return "", nil
	}
	p, err := r.posted(req)
	if err != nil {
		return "", err
	}
	if p.failure != nil {
		return "", p.failure
	}
	v := p.rules.Check(target(req.URL))
	if v.Allowed {
		return "robots: " + v.String(), nil
	}
	return "", &harvest.Error{
		Kind: harvest.KindBlocked, Op: verb(req), On: req.URL.String(), Err: fmt.Errorf("robots.txt: %s", v),
		Advice: "where the owner of the site allows it, say so: hosts: { " + Host(req.URL) + ": { robots: ignore } }",
	}
}

// target is the part of an address that rules are about.
func target(u *url.URL) string {
	if u.RawQuery == "" {
		return cmp.Or(u.EscapedPath(), "/")
	}
	return cmp.Or(u.EscapedPath(), "/") + "?" + u.RawQuery
}

// posted returns what the origin says, asking at most once for all who wait.
func (r *roundTripper) posted(req *http.Request) (*posted, error) {
	g, origin := &r.client.gate, originOf(req.URL)
	last := g.get(origin)
	if last != nil && time.Now().Before(last.until) {
		return last, nil
	}
	asked := g.asking.DoChan(origin, func() (any, error) { return r.learn(req.URL, origin, last) })
	select {
	case answer := <-asked:
		return answer.Val.(*posted), answer.Err
	case <-req.Context().Done():
		kind, err := stopped(req.Context())
		return nil, &harvest.Error{Kind: kind, Op: verb(req), On: req.URL.String(), Err: fmt.Errorf("while waiting for robots.txt: %w", err)}
	}
}

// learn asks an origin and keeps what it says.
func (r *roundTripper) learn(at *url.URL, origin string, last *posted) (p *posted, err error) {
	err = harvest.Safely("read robots.txt of", Host(at), func() error {
		if p, err = r.ask(at, last); err == nil {
			r.client.crawlDelay(p.host, r.client.gate.put(origin, p), time.Until(p.until))
		}
		return err
	})
	return p, err
}

func (g *gate) get(origin string) *posted {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[origin]
}

// originOf names an origin in one way only (section 2.3).
func originOf(u *url.URL) string { return u.Scheme + "://" + net.JoinHostPort(Host(u), port(u)) }

// put keeps what an origin says, and returns the longest Crawl-delay of all origins
// of its host: the gap is the host's.
func (g *gate) put(origin string, p *posted) (delay time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil {
		g.known = map[string]*posted{}
	}
	if len(g.known) >= keepRobots {
		for name, old := range g.known {
			if time.Now().After(old.until) || len(g.known) >= keepRobots {
				delete(g.known, name)
			}
		}
	}
	g.known[origin] = p
	for _, other := range g.known {
		if other.host == p.host {
			delay = max(delay, other.rules.Delay)
		}
	}
	return delay
}
