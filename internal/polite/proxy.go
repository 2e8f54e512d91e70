package polite

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/vendemmia/vendemmia/harvest"
)

// proxy selects the proxy by the environment. The guard applies there too: the address
// of the proxy is dialed like any other, so a private one must be allowed. Because the
// proxy resolves the target's name, the name is also resolved here and refused if any
// address is private. A name that only the proxy can resolve is left to the proxy.
type proxy struct {
	via     func(*url.URL) (*url.URL, error)
	resolve lookup
	guard   *guard
}

// choose implements http.Transport.Proxy.
func (p *proxy) choose(req *http.Request) (*url.URL, error) {
	via, err := p.via(req.URL)
	if err != nil {
		return nil, &harvest.Error{
			Kind: harvest.KindMisconfigured, Op: "choose a proxy for", On: req.URL.String(),
			Err: fmt.Errorf("the proxy in the environment is not a valid address"), Advice: "check HTTP_PROXY and HTTPS_PROXY",
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
		return nil // only the proxy can resolve it
	}
	for _, a := range addrs {
		if err := p.guard.check(a); err != nil {
			return err
		}
	}
	return nil
}
