package gazzetta

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxBody is a cap of our own, for clients that have none.
	maxBody = 64 << 20
	// maxEvidence of an answer is kept for people to look at.
	maxEvidence = 64 << 10
	// loadingWait is how long an issue that is being loaded is left alone.
	loadingWait = 10 * time.Minute
)

var (
	errNotYet = errors.New("the site says that it is being loaded")
	errNoPDF  = errors.New("there is no PDF")
	errNoYear = errors.New("the archive does not have this year")
)

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

// address makes a link of a page one of this site: old ones name the public host
// and hold sessions. It returns "" for links to elsewhere.
func (s *site) address(link string) string {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Opaque != "" || u.Host != "" && u.Host != s.base.Host && !strings.HasSuffix(u.Hostname(), "gazzettaufficiale.it") {
		return ""
	}
	p, _, _ := strings.Cut(u.Path, ";")
	to := *s.base
	to.Path = strings.TrimRight(to.Path, "/") + path.Clean("/"+p)
	to.RawQuery = dropEcho(u.RawQuery)
	return to.String()
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

// answer is one document as it came.
type answer struct {
	body  []byte
	final *url.URL
}

// get asks for one document; statuses of 400 and above are errors.
func (s *site) get(ctx context.Context, address, accept string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return answer{}, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "get", On: address, Err: errors.New("it is no address")}
	}
	req.Header.Set("Accept", accept)
	resp, err := s.client.Do(req)
	if err != nil {
		return answer{}, harvest.TransportError("get", address, err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	body, readErr := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if resp.StatusCode != http.StatusOK {
		return answer{}, statusError(resp, address, body)
	}
	if readErr != nil {
		return answer{}, harvest.TransportError("read", address, readErr)
	}
	if len(body) > maxBody {
		return answer{}, harvest.Errorf(harvest.KindBroken, "read", address, "it is longer than %d MiB", maxBody>>20)
	}
	return answer{body: body, final: resp.Request.URL}, nil
}

func statusError(resp *http.Response, address string, body []byte) error {
	if resp.StatusCode < 400 {
		return &harvest.Error{Kind: harvest.KindBroken, Op: "get", On: address, Status: resp.StatusCode, Err: errors.New("HTTP status " + resp.Status)}
	}
	e := harvest.AsError(harvest.StatusError("get", address, resp.StatusCode, resp.Header.Get("Retry-After"), time.Now()))
	if isRejected(body) {
		e.Kind, e.Advice = harvest.KindBlocked, adviceRejected
	}
	e.Evidence = evidence(body)
	return e
}

const (
	acceptHTML = "text/html, application/xhtml+xml;q=0.9, */*;q=0.5"
	acceptPDF  = "application/pdf, */*;q=0.5"
	acceptRSS  = "application/rss+xml, application/xml;q=0.9, */*;q=0.5"
)

// page asks for a page of HTML that right recognises. What comes in its place is
// told apart: the stub of what is not there yet (errNotYet), a lost session,
// which is renewed once for each page, the firewall, a site at rest, anything
// else.
func (s *site) page(ctx context.Context, address string, right func(*goquery.Document) bool) (*goquery.Document, *url.URL, error) {
	for {
		a, err := s.get(ctx, address, acceptHTML)
		if err != nil {
			return nil, nil, err
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(decode(a.body)))
		if err != nil {
			return nil, nil, broken(address, a.body, "it cannot be read: %w", err)
		}
		if right(doc) {
			s.renewed = false
			return doc, a.final, nil
		}
		if !isHome(doc) || s.renewed {
			return nil, a.final, s.explain(address, doc, a.body)
		}
		s.renewed = true
		s.session()
	}
}

const adviceRejected = "the site's firewall refuses: leave it alone for some hours, then ask more slowly (hosts: … every)"

// explain says what came in place of the page.
func (s *site) explain(address string, doc *goquery.Document, body []byte) error {
	text := squeeze(doc.Text())
	switch {
	case isLoading(text):
		return notYet(address, "%w", errNotYet)
	case isRejected(body):
		e := broken(address, body, "the site's firewall answered in place of the page")
		e.Kind, e.Advice = harvest.KindBlocked, adviceRejected
		return e
	case isHome(doc):
		e := broken(address, body, "the home page came instead, with a new session too")
		e.Advice = "the address is unknown to the site, or it has changed; look at it in a browser"
		return e
	case strings.Contains(strings.ToLower(text), "manutenzione"):
		e := broken(address, body, "the site is being maintained")
		e.Kind, e.RetryAfter = harvest.KindServerError, loadingWait
		return e
	default:
		return broken(address, body, "it does not have what such a page always had")
	}
}

func broken(address string, body []byte, format string, args ...any) *harvest.Error {
	e := harvest.Errorf(harvest.KindBroken, "read page", address, format, args...)
	e.Advice, e.Evidence = "look at the page that came: the site may have changed", evidence(body)
	return e
}

// notYet is for what will be there later: a failure that is worth a retry.
func notYet(address, format string, args ...any) *harvest.Error {
	e := harvest.Errorf(harvest.KindServerError, "read page", address, format, args...)
	e.RetryAfter = loadingWait
	return e
}

func evidence(body []byte) []byte { return body[:min(len(body), maxEvidence)] }

func isHome(doc *goquery.Document) bool { return doc.Find("ul.ultimelist").Length() > 0 }

func isLoading(text string) bool {
	return strings.Contains(strings.ToLower(text), "in fase di caricamento")
}

// isRejected knows the pages that firewalls answer with, often with status 200.
func isRejected(body []byte) bool {
	text := bytes.ToLower(body[:min(len(body), 4<<10)])
	return bytes.Contains(text, []byte("<title>request rejected")) || bytes.Contains(text, []byte("<title>access denied")) ||
		bytes.Contains(text, []byte("the requested url was rejected"))
}

// pdf asks for a PDF; errNoPDF, of KindGone, where something else comes. A page
// that only shows the document leads to it.
func (s *site) pdf(ctx context.Context, address string) ([]byte, error) {
	for hop := 0; ; hop++ {
		a, err := s.get(ctx, address, acceptPDF)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(a.body[:min(len(a.body), 1024)], []byte("%PDF-")) {
			return a.body, nil
		}
		if isRejected(a.body) {
			e := broken(address, a.body, "the site's firewall answered in place of the PDF")
			e.Kind, e.Advice = harvest.KindBlocked, adviceRejected
			return nil, e
		}
		next := ""
		if !strings.HasSuffix(a.final.Path, "/notFound") {
			next = s.address(shownPDF(a.body))
		}
		if hop > 0 || next == "" || next == address || next == s.address("/") {
			e := harvest.Errorf(harvest.KindGone, "get PDF", address, "%w", errNoPDF)
			e.Evidence = evidence(a.body)
			return nil, e
		}
		address = next
	}
}

// shownPDF finds the document that a page shows in a frame.
func shownPDF(body []byte) string {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(decode(body)))
	if err != nil {
		return ""
	}
	for _, at := range []struct{ element, name string }{{"iframe", "src"}, {"embed", "src"}, {"object", "data"}, {"frame", "src"}} {
		if link, ok := doc.Find(at.element + "[" + at.name + "]").First().Attr(at.name); ok && strings.Contains(strings.ToLower(link), "pdf") {
			return link
		}
	}
	return ""
}
