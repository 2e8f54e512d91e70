package gazzetta

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxBody is a cap of our own, for clients that have none.
const maxBody = 64 << 20

var (
	errNotYet = errors.New("the site says that it is being loaded")
	errNoPDF  = errors.New("the response is not a PDF")
	errNoYear = errors.New("the archive does not have this year")
)

const (
	acceptHTML = "text/html, application/xhtml+xml;q=0.9, */*;q=0.5"
	acceptPDF  = "application/pdf, */*;q=0.5"
	acceptRSS  = "application/rss+xml, application/xml;q=0.9, */*;q=0.5"
)

const adviceRejected = "the site's firewall refuses: leave it alone for some hours, then ask more slowly (hosts: … every)"

// site asks for pages within one session at a time.
type site struct {
	base   *url.URL
	client *http.Client
	// renewed: the session was lost, and nothing right came since.
	renewed bool
}

func newSite(base string, client *http.Client) (*site, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil {
		return nil, harvest.Errorf(harvest.KindMisconfigured, "read params", "url", "%w", err)
	}
	s := &site{base: u}
	if client != nil {
		own := *client
		s.client = &own
		s.session()
	}
	return s, nil
}

// session begins a session: an empty jar.
func (s *site) session() {
	s.client.Jar, _ = cookiejar.New(nil) // without options it cannot fail
}

// get asks for one document; statuses of 400 and above are errors.
func (s *site) get(ctx context.Context, address, accept string) (answer.Answer, error) {
	a, err := answer.Get(ctx, s.client, answer.Ask{
		Verb: "get", What: "page", Address: address, Header: http.Header{"Accept": {accept}}, Most: maxBody,
	})
	if e := a.Refusal(); e != nil {
		if e.Kind == harvest.KindBlocked {
			e.Advice = adviceRejected
		}
		return answer.Answer{}, e
	}
	return a, err
}

// address makes a link of a page one of this site: old ones name the public host
// and hold sessions. It returns "" for links to elsewhere.
func (s *site) address(link string) string {
	u, err := parseLink(link)
	if err != nil || u.Opaque != "" || u.Host != "" && u.Host != s.base.Host && !strings.HasSuffix(u.Hostname(), "gazzettaufficiale.it") {
		return ""
	}
	p, _, _ := strings.Cut(u.Path, ";")
	to := *s.base
	to.Path = strings.TrimRight(to.Path, "/") + path.Clean("/"+p)
	to.RawQuery = dropEcho(escapeQuery(u.RawQuery))
	return to.String()
}

// parseLink reads an address as browsers do: what white space is in it does not
// count.
func parseLink(link string) (*url.URL, error) {
	return url.Parse(strings.TrimSpace(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(link)))
}

// escapeQuery writes what no request line may hold as browsers do; the rest is
// left as it came.
func escapeQuery(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		switch {
		case c == ' ':
			b.WriteByte('+')
		case c < ' ' || c > '~' || strings.IndexByte("\"<>", c) >= 0:
			b.WriteString(url.QueryEscape(string([]byte{c})))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// dropEcho leaves out how a list was opened: it says nothing of what is asked.
func dropEcho(query string) string {
	var keep []string
	for part := range strings.SplitSeq(query, "&") {
		if part != "" && !strings.HasPrefix(part, "elenco30giorni=") {
			keep = append(keep, part)
		}
	}
	return strings.Join(keep, "&")
}
