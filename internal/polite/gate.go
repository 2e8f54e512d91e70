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
	// robotsFor is how long a robots.txt stays current (RFC 9309, section 2.4: at most
	// a day).
	robotsFor = 24 * time.Hour
	// robotsAgain is the delay before a failed read is repeated.
	robotsAgain = time.Minute
	// robotsPatience is how long the last good file stays in force while reading it
	// fails.
	robotsPatience = 7 * 24 * time.Hour
	// robotsTimeout limits each exchange. It excludes the wait for the rate limit.
	robotsTimeout = time.Minute
	// robotsRedirects is how many redirects are followed (section 2.3.1.2). A longer
	// chain or a loop counts as a missing file.
	robotsRedirects = 5
	// keepRobots is how many files are kept before old ones are dropped.
	keepRobots = 4096
)

// gate caches the robots.txt of each origin (scheme, host, port: section 2.3) and
// decides which requests it allows.
type gate struct {
	asking singleflight.Group
	mu     sync.Mutex
	known  map[string]*posted
}

// posted is the robots.txt of an origin. It is immutable.
type posted struct {
	host    string
	rules   robots.Rules
	failure *harvest.Error // why it could not be read; nil: rules apply
	read    time.Time      // when the rules were read
	until   time.Time
}

// pass returns the decision of robots.txt for the ledger, or an error if the request
// must not be sent.
func (r *roundTripper) pass(req *http.Request) (string, error) {
	rule := r.client.settings.Rules(Host(req.URL)).Robots
	if r.forRobots || r.skipsRobots || rule == RobotsIgnore || rule != RobotsObey && !r.visitor.Robots {
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
		Advice: "if the owner of the site allows it, set hosts: { " + Host(req.URL) + ": { robots: ignore } }",
	}
}

// target is the part of a URL that rules match.
func target(u *url.URL) string {
	if u.RawQuery == "" {
		return cmp.Or(u.EscapedPath(), "/")
	}
	return cmp.Or(u.EscapedPath(), "/") + "?" + u.RawQuery
}

// posted returns the robots.txt of the request's origin. Concurrent callers share one
// read.
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

// learn reads the robots.txt of an origin and caches it.
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

// originOf returns the same name for all spellings of an origin (section 2.3).
func originOf(u *url.URL) string { return u.Scheme + "://" + net.JoinHostPort(Host(u), port(u)) }

// put caches the file of an origin. It returns the longest Crawl-delay of all origins
// of its host, because the gap is the host's.
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
