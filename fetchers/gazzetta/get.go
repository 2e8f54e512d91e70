package gazzetta

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/internal/markup"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
)

// loadingWait is how long an issue that is being loaded is left alone.
const loadingWait = 10 * time.Minute

// page asks for a page of HTML that right recognises. What comes in its place is
// told apart: the stub of what is not there yet (errNotYet), a lost session,
// which is renewed once for each page, the firewall, a site at rest, a page that
// breaks off, anything else.
func (s *site) page(ctx context.Context, address string, right func(*goquery.Document) bool) (*goquery.Document, *url.URL, error) {
	for {
		a, err := s.get(ctx, address, acceptHTML)
		if err != nil {
			return nil, nil, err
		}
		doc, err := readHTML(a.Body)
		if err != nil {
			return nil, nil, broken(address, &a, "it cannot be read: %w", err)
		}
		if !breaksOff(a.Body) && right(doc) {
			s.renewed = false
			return doc, a.Final, nil
		}
		if !isHome(doc) || s.renewed {
			return nil, a.Final, explain(address, doc, &a)
		}
		s.renewed = true
		s.session()
	}
}

// readHTML parses a page, without what browsers do not show of it.
func readHTML(body []byte) (*goquery.Document, error) {
	text := decode(body)
	if err := markup.Bound(text, markup.MaxElements); err != nil {
		return nil, err
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	if err == nil {
		doc.Find("script, style, noscript, template").Remove()
	}
	return doc, err
}

// explain says what came in place of the page.
func explain(address string, doc *goquery.Document, a *answer.Answer) error {
	text := squeeze(doc.Text())
	switch {
	case isLoading(text):
		return notYet(address, "%w", errNotYet)
	case challenge.Is(a.Body):
		return rejected(address, a)
	case isHome(doc):
		e := broken(address, a, "the home page came instead, with a new session too")
		e.Advice = "the address is unknown to the site, or it has changed; look at it in a browser"
		return e
	case strings.Contains(strings.ToLower(text), "manutenzione"):
		e := broken(address, a, "the site is being maintained")
		e.Kind, e.RetryAfter = harvest.KindServerError, loadingWait
		return e
	case breaksOff(a.Body):
		e := broken(address, a, "it breaks off before its end")
		e.Kind, e.Advice = harvest.KindServerError, ""
		return e
	default:
		return broken(address, a, "it does not have what such a page always had")
	}
}

func broken(address string, a *answer.Answer, format string, args ...any) *harvest.Error {
	e := harvest.Errorf(harvest.KindBroken, "read page", address, format, args...)
	e.Advice, e.Evidence = "look at the page that came: the site may have changed", a.Evidence()
	return e
}

func rejected(address string, a *answer.Answer) *harvest.Error {
	e := broken(address, a, "the site's firewall answered in place of it")
	e.Kind, e.Advice = harvest.KindBlocked, adviceRejected
	return e
}

// notYet is for what will be there later: a failure that is worth a retry.
func notYet(address, format string, args ...any) *harvest.Error {
	e := harvest.Errorf(harvest.KindServerError, "read page", address, format, args...)
	e.RetryAfter = loadingWait
	return e
}

// breaksOff reports a page that ends in its middle though the exchange did not:
// it opens a body and closes none. Half a list or half a law looks whole
// otherwise.
func breaksOff(body []byte) bool {
	lower := bytes.ToLower(body)
	open := bytes.Contains(lower, []byte("<html")) || bytes.Contains(lower, []byte("<body"))
	return open && !bytes.Contains(lower, []byte("</body")) && !bytes.Contains(lower, []byte("</html"))
}

func isHome(doc *goquery.Document) bool { return doc.Find("ul.ultimelist").Length() > 0 }

func isLoading(text string) bool {
	return strings.Contains(strings.ToLower(text), "in fase di caricamento")
}
