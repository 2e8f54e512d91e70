package web

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// Sureness is low: every site has pages, and a feed or an interface of the same
// site is the better source.
const (
	surePage    = 20
	sureSitemap = 50
)

// Probe is part of harvest.Prober: it says what a page holds that one could
// select, or that the address is a sitemap.
func (f *Fetcher) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	p, err := Params{URL: address}.compile()
	if err != nil {
		return harvest.Finding{}, harvest.Errorf(harvest.KindMisconfigured, "probe", address, "%w", err)
	}
	a, err := f.get(ctx, address, answer.Validators{})
	if err != nil {
		return harvest.Finding{}, err
	}
	if s, err := p.readSitemap(a, address); err == nil && len(s.pages)+len(s.children) > 0 {
		return harvest.Finding{
			Sure: sureSitemap, Detail: fmt.Sprintf("sitemap of %d pages and %d further sitemaps", len(s.pages), len(s.children)),
			Params: rawParams(map[string]any{"url": address, "sitemap": true}),
		}, nil
	}
	if !a.isPage() {
		return harvest.Finding{Detail: "no page but " + a.mediaType()}, nil
	}
	d, err := p.parse(a, address)
	if err != nil {
		return harvest.Finding{}, err
	}
	defer d.free()
	return p.found(d), nil
}

func (p *plan) found(d *dom) harvest.Finding {
	links, items, next := map[string]bool{}, 0, ""
	isHTML := false
	d.each(func(n *html.Node) {
		switch n.DataAtom {
		case atom.A, atom.Link:
			if strings.EqualFold(attr(n, "rel"), "next") {
				next = n.Data + "[rel=next]"
			}
			if address, verdict := p.admit(d.base, attr(n, "href"), false); n.DataAtom == atom.A && verdict == takeIt {
				links[address] = true
			}
		case atom.Article:
			items++
		case atom.H1, atom.H2, atom.P, atom.Table, atom.Title:
			isHTML = true
		}
	})
	if !isHTML && len(links) == 0 {
		return harvest.Finding{Detail: "no page of HTML"}
	}
	params := map[string]any{"url": d.address, "links": "main a"}
	detail := fmt.Sprintf("page of HTML · %d links on its own host", len(links))
	if items > 1 {
		detail += fmt.Sprintf(" · %d articles", items)
	}
	if next != "" {
		params["next"] = next
		detail += " · goes on (" + next + ")"
	}
	return harvest.Finding{Sure: surePage, Title: d.title(), Detail: detail, Params: rawParams(params)}
}

func rawParams(m map[string]any) json.RawMessage {
	b, _ := json.Marshal(m) // text and booleans only: it cannot fail
	return b
}
