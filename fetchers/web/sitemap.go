package web

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// sitemap is what https://www.sitemaps.org/protocol.html says: either pages or
// further sitemaps.
type sitemap struct {
	pages    []link
	children []string
}

// maxSitemapLinks is far above the 50,000 of the protocol.
const maxSitemapLinks = 200_000

// readSitemap reads XML, plain or gzipped, and the form of one address a line.
// Anything else is KindBroken, a challenge KindBlocked.
func (p *plan) readSitemap(a fetched, address string) (sitemap, error) {
	var err error
	if answer.Zipped(a.Body) {
		if a.Body, err = answer.Gunzip(a.Body, maxBody); err != nil {
			return sitemap{}, harvest.Errorf(harvest.KindBroken, "read sitemap", address, "it is compressed, and cannot be read: %w", err)
		}
	}
	text := strings.TrimSpace(decode(a.Body, a.ContentType(), p.Encoding))
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return addressLines(text), nil
	}
	s, err := parseSitemap(text)
	if other, ok := errors.AsType[notSitemapError](err); ok {
		return s, p.notASitemap(a, address, string(other))
	}
	if err != nil {
		return s, harvest.Errorf(harvest.KindServerError, "read sitemap", address, "it breaks off after %d addresses: %w", len(s.pages)+len(s.children), err)
	}
	return s, nil
}

func addressLines(text string) sitemap {
	var s sitemap
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && len(s.pages) < maxSitemapLinks {
			s.pages = append(s.pages, link{address: l})
		}
	}
	return s
}

// notSitemapError holds the name of the root element that came.
type notSitemapError string

func (e notSitemapError) Error() string { return "<" + string(e) + ">" }

func parseSitemap(text string) (sitemap, error) {
	var s sitemap
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var at link
	root := ""
	for {
		t, err := d.Token()
		if err == io.EOF && root != "" {
			return s, nil
		}
		if err != nil {
			if root == "" {
				return s, notSitemapError("")
			}
			return s, err
		}
		switch e := t.(type) {
		case xml.StartElement:
			name := strings.ToLower(e.Name.Local)
			if root == "" {
				if root = name; root != "urlset" && root != "sitemapindex" {
					return s, notSitemapError(root)
				}
			}
			s.element(d, name, &at)
		case xml.EndElement:
			s.end(strings.ToLower(e.Name.Local), &at)
		}
	}
}

func (s *sitemap) element(d *xml.Decoder, name string, at *link) {
	switch name {
	case "url", "sitemap":
		*at = link{}
	case "loc":
		if v := charData(d); at.address == "" { // image:loc and the like come later
			at.address = v
		}
	case "lastmod":
		at.mod = charData(d)
	}
}

func (s *sitemap) end(name string, at *link) {
	if at.address == "" || len(s.pages)+len(s.children) >= maxSitemapLinks {
		return
	}
	switch name {
	case "url":
		s.pages = append(s.pages, *at)
	case "sitemap":
		s.children = append(s.children, at.address)
	default:
		return
	}
	*at = link{}
}

// charData reads the text of a leaf up to its end.
func charData(d *xml.Decoder) string {
	var b strings.Builder
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch e := t.(type) {
		case xml.CharData:
			b.Write(e)
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return strings.TrimSpace(b.String())
}

func (p *plan) notASitemap(a fetched, address, root string) error {
	e := &harvest.Error{Kind: harvest.KindBroken, Op: "read sitemap", On: address, Evidence: a.Evidence(), Err: errors.New("the response is not a sitemap")}
	if root != "" {
		e.Err = errors.New("the response is not a sitemap but <" + wording.Clip(line(root), 40) + ">")
	}
	if a.isPage() {
		d, err := p.parse(a, address)
		if harvest.KindOf(err) == harvest.KindBlocked {
			return err
		}
		if err == nil {
			wall := d.wall()
			if d.free(); wall != "" {
				return d.blocked(wall)
			}
		}
	}
	e.Advice = "open the address in a browser; robots.txt of the site may name its sitemap; for a list of links leave sitemap away and give links"
	return e
}
