package polite

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/vendemmia/vendemmia/harvest"
)

// proxy chooses the way out by the environment. The guard holds there too: the
// proxy's own address is dialled like any other, so a private one must be
// allowed; and because the proxy resolves the target's name, the target is
// resolved here first and refused when any address is inside. A name that only
// the proxy can resolve is left to the proxy, which then is the guard.
type proxy struct {
	via     func(*url.URL) (*url.URL, error)
	resolve lookup
	guard   *guard
}

// choose is http.Transport's Proxy.
func (p *proxy) choose(req *http.Request) (*url.URL, error) {
	via, err := p.via(req.URL)
	if err != nil {
		return nil, &harvest.Error{
			Kind: harvest.KindMisconfigured, Op: "choose a proxy for", On: req.URL.String(),
			Err: fmt.Errorf("the proxy of the environment is not an address"), Advice: "look at HTTP_PROXY and HTTPS_PROXY",
		}
	}
	if via == nil {
		return nil, nil
	}
	return via, p.check(req)
}

func (p *proxy) check(req *http.Request) error {
	host := req.URL.Hostname()
	if a, ok := literal(host); ok {
		return p.guard.check(a)
	}
	addrs, err := p.resolve(req.Context(), "ip", host)
	if err != nil {
		return nil // a name of the proxy's side
	}
	for _, a := range addrs {
		if err := p.guard.check(a); err != nil {
			return err
		}
	}
	return nil
}
