package polite

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// maxRedirects is how many redirects one request follows.
const maxRedirects = 10

// checkRedirect implements http.Client.CheckRedirect. It ends chains that are too long
// or loop, and removes credentials once a hop has left the first origin.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return harvest.Errorf(harvest.KindBroken, "follow", via[0].URL.String(), "more than %d redirects", maxRedirects)
	}
	if circular(req, via) {
		return harvest.Errorf(harvest.KindBroken, "follow", via[0].URL.String(), "the redirects form a loop")
	}
	foreign := func(v *http.Request) bool { return !sameOrigin(via[0].URL, v.URL) }
	if foreign(req) || slices.ContainsFunc(via, foreign) {
		dropCredentials(req.Header)
	}
	return nil
}

// circular reports whether the same address was requested before.
func circular(req *http.Request, via []*http.Request) bool {
	return slices.ContainsFunc(via, func(v *http.Request) bool { return v.URL.String() == req.URL.String() && v.Method == req.Method })
}

// sameOrigin reports whether b may receive what was meant for a: same host, port and
// scheme, or the usual step from http to https.
func sameOrigin(a, b *url.URL) bool {
	if Host(a) != Host(b) {
		return false
	}
	if a.Scheme == b.Scheme {
		return port(a) == port(b)
	}
	return a.Scheme == "http" && b.Scheme == "https" && port(a) == "80" && port(b) == "443"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// dropCredentials also removes Referer, because it contains the query string.
func dropCredentials(h http.Header) {
	for name := range h {
		if name == "Cookie" || name == "Cookie2" || name == "Referer" || name == "Www-Authenticate" || secretName(name) {
			delete(h, name)
		}
	}
}
