package polite

import (
	"cmp"
	"context"
	"fmt"
	"io"
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
	// robotsTimeout bounds asking for one, all redirects together.
	robotsTimeout = time.Minute
	// robotsRedirects is how many are followed (section 2.3.1.2); more are taken
	// for a file that is not there.
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
	g, origin := &r.client.gate, req.URL.Scheme+"://"+req.URL.Host
	last := g.get(origin)
	if last != nil && time.Now().Before(last.until) {
		return last, nil
	}
	asked := g.asking.DoChan(origin, func() (any, error) {
		p := r.ask(origin, Host(req.URL), last)
		g.put(origin, p)
		return p, nil
	})
	select {
	case answer := <-asked:
		return answer.Val.(*posted), nil
	case <-req.Context().Done():
		kind, err := stopped(req.Context())
		return nil, &harvest.Error{Kind: kind, Op: verb(req), On: req.URL.String(), Err: fmt.Errorf("while waiting for robots.txt: %w", err)}
	}
}

func (g *gate) get(origin string) *posted {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[origin]
}

func (g *gate) put(origin string, p *posted) {
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
}

// ask reads an origin's robots.txt. When none can be had, the last good one
// serves for some days; without one, nothing may be asked (section 2.3.1.4).
func (r *roundTripper) ask(origin, host string, last *posted) *posted {
	ctx, stop := context.WithTimeout(context.Background(), robotsTimeout)
	defer stop()
	now := time.Now()
	rules, err := r.readRobots(ctx, origin+"/robots.txt")
	if err == nil {
		r.client.crawlDelay(host, rules.Delay)
		return &posted{rules: rules, read: now, until: now.Add(robotsFor)}
	}
	e := harvest.AsError(err)
	again := now.Add(max(robotsAgain, min(e.RetryAfter, robotsFor)))
	if last != nil && last.failure == nil && now.Sub(last.read) < robotsPatience {
		return &posted{rules: last.rules, read: last.read, until: again}
	}
	return &posted{until: again, failure: &harvest.Error{
		Kind: e.Kind, Op: "get", On: origin + "/robots.txt", Status: e.Status, RetryAfter: again.Sub(now),
		Err: fmt.Errorf("while it cannot be had nothing else may be asked: %w", e.Err),
	}}
}

// readRobots asks as the visitor would. Statuses mean what section 2.3.1 says;
// 429 is a server in trouble, not an absent file.
func (r *roundTripper) readRobots(ctx context.Context, address string) (robots.Rules, error) {
	resp, err := r.robotsClient().Do(must(http.NewRequestWithContext(ctx, http.MethodGet, address, nil)))
	if err != nil {
		return robots.Rules{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // what matters of it was read
	switch status := resp.StatusCode; {
	case status == http.StatusTooManyRequests || status >= 500:
		return robots.Rules{}, harvest.StatusError("get", address, status, resp.Header.Get("Retry-After"), time.Now())
	case status < 200 || status > 299:
		return robots.Rules{}, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, robots.MaxSize+1))
	if err != nil {
		return robots.Rules{}, err
	}
	return robots.Parse(body).For(r.client.settings.Product), nil
}

// must: the address is that of a request that was made before.
func must(req *http.Request, err error) *http.Request {
	if err != nil {
		panic(err)
	}
	return req
}

// robotsClient is the visitor's own, which passes the gate itself.
func (r *roundTripper) robotsClient() *http.Client {
	own := *r
	own.forRobots = true
	return &http.Client{Transport: &own, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > robotsRedirects {
			return http.ErrUseLastResponse
		}
		return checkRedirect(req, via)
	}}
}
