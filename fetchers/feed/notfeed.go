package feed

import (
	"bytes"
	"errors"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
)

// notAFeed says what came where a feed was due.
func notAFeed(address string, a answer.Answer, err *errNotAFeed) error {
	e := &harvest.Error{Kind: harvest.KindBroken, Op: "parse feed", On: address, Err: err, Evidence: a.Evidence()}
	switch strings.ToLower(local(err.element)) {
	case "opml":
		e.Kind, e.Advice = harvest.KindMisconfigured, "this is a list of feeds: give it as opml, with split: {ask: opml}"
		return e
	case "html", "head", "body", "script", "div":
		return ofPage(e, a)
	}
	if strings.Contains(a.ContentType(), "html") {
		return ofPage(e, a)
	}
	e.Advice = "open the address in a browser; starter probe on the site's front page finds the feeds it names"
	return e
}

// ofPage is for HTML: a challenge, or a page that may name the feed.
func ofPage(e *harvest.Error, a answer.Answer) error {
	if challenge.Is(a.Body) {
		e.Kind, e.Err, e.Advice = harvest.KindBlocked, errors.New("got a challenge page instead of a feed"), adviceBlocked
		return e
	}
	e.Err = errors.New("got an HTML page instead of a feed")
	e.Advice = "open the address in a browser"
	if page := readPage(repair(a.Body, a.ContentType(), ""), a); len(page.feeds) > 0 {
		e.Advice = "the page names a feed: " + harvest.Redact(page.feeds[0].url)
	}
	return e
}

// webPage is what an HTML page tells about feeds.
type webPage struct {
	title string
	feeds []feedLink
}

type feedLink struct{ url, title string }

// readPage finds <title> and <link rel="alternate"> of feeds.
func readPage(text []byte, a answer.Answer) webPage {
	var p webPage
	z, ad := html.NewTokenizer(bytes.NewReader(text)), adapter{base: a.Final}
	for {
		switch z.Next() {
		case html.ErrorToken:
			return p
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch {
			case t.Data == "title" && p.title == "" && z.Next() == html.TextToken:
				p.title = line(z.Token().Data)
			case t.Data == "base":
				ad.rebase(line(attribute(t, "href")))
			case t.Data == "link" && isFeedLink(t):
				p.feeds = append(p.feeds, feedLink{url: ad.absolute(line(attribute(t, "href"))), title: line(attribute(t, "title"))})
			}
		}
	}
}

func (a *adapter) rebase(href string) {
	if u, err := url.Parse(a.absolute(href)); err == nil && u.Host != "" {
		a.base = u
	}
}

func isFeedLink(t html.Token) bool {
	rel, kind := strings.ToLower(attribute(t, "rel")), strings.ToLower(attribute(t, "type"))
	if !strings.Contains(" "+rel+" ", " alternate ") || attribute(t, "href") == "" {
		return false
	}
	for _, known := range []string{"rss+xml", "atom+xml", "feed+json", "rdf+xml"} {
		if strings.Contains(kind, known) {
			return true
		}
	}
	return false
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
