package web

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/references"
)

// Params are the params of one site, or of one section of it.
type Params struct {
	URL     string   `json:"url" address:"true" doc:"address of the list, of the sitemap (sitemap: true), or of the page itself" required:"true" example:"https://www.example.org/acts/"`
	URLs    []string `json:"urls" address:"true" doc:"more start pages of the same kind"`
	Sitemap bool     `json:"sitemap" doc:"url is a sitemap, or an index of sitemaps, plain or gzipped"`

	Links   string   `json:"links" doc:"selector of the links to the pages to be read; without links, rows and sitemap the start pages themselves are read" example:"ul.acts a"`
	Rows    string   `json:"rows" doc:"selector of the records on the list itself: each is a document, and the fields are looked for in it" extraction:"true" example:"table.acts tbody tr"`
	Include []string `json:"include" doc:"only addresses like one of these; * is any text, and one that begins with / is for path and query" example:"/acts/*"`
	Exclude []string `json:"exclude" doc:"no addresses like one of these"`
	Hosts   []string `json:"hosts" doc:"other hosts that links may lead to; else only the start page's own" example:"docs.example.org"`

	Next      string `json:"next" doc:"selector of the link to the next page of the list" example:"a[rel=next]"`
	PageParam string `json:"page_param" doc:"query parameter that numbers the pages of the list, where there is no next link" example:"page"`
	PageFirst *int   `json:"page_first" doc:"the number of the start page, for page_param" default:"1"`
	PageStep  int    `json:"page_step" doc:"how far page_param grows from page to page" default:"1" example:"20"`
	MaxPages  int    `json:"max_pages" doc:"read at most so many lists in a run" default:"500"`
	MaxReads  int    `json:"max_reads" doc:"read at most so many pages that lists name in a run; 0 is all" default:"0"`
	Follow    string `json:"follow" doc:"selector of links from a list to further lists, such as sections" example:"nav.sections a"`
	Depth     int    `json:"depth" doc:"how many follow links deep" default:"1"`

	Fields   map[string]Field `json:"fields" doc:"name of a field → its selector, or a map with css, attr, as, all, required, default, match, layouts, zone, decimal; id, title, published, url and body become the document's own" extraction:"true" example:"{title: h1}"`
	Empty    string           `json:"empty" doc:"selector that is there only when a list is empty for good reason" example:"p.no-results"`
	Missing  string           `json:"missing" doc:"selector that is there only when a page is missing though the answer is 200" example:"div.error-404"`
	IDPrefix string           `json:"id_prefix" doc:"text put before every id, where the ids of field id are bare numbers that another site could use too" example:"example.org:" extraction:"true"`
	Encoding string           `json:"encoding" doc:"the charset, where pages and server are both wrong" example:"windows-1252" extraction:"true"`

	Revisit    string   `json:"revisit" doc:"ask for pages that are known: all of them each run, conditionally (all), or only those whose date in the sitemap changed (changed)" enum:"all,changed" default:"all"`
	DropParams []string `json:"drop_params" doc:"query parameters to take off links, such as ref and sort_*; session ids and marks of visitors (utm_*, fbclid …) always go" example:"ref"`
}

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	_, err := p.compile()
	return err
}

// plan is Params ready for use. It is read only.
type plan struct {
	Params
	starts []string
	// begins are the starts as links are written.
	begins             map[string]bool
	links, rows, next  selector
	follow             selector
	empty, missing     selector
	fields             []field
	hosts              map[string]bool
	perRow, perPage    bool
	homes              *homes
	maxPages, maxReads int
	maxDepth           int
}

const (
	defaultPages = 500
	maxPagesCap  = 5000
	maxDepth     = 5
)

func (p Params) compile() (*plan, error) {
	out := &plan{Params: p, starts: append([]string{p.URL}, p.URLs...), hosts: map[string]bool{}, homes: &homes{}, begins: map[string]bool{}}
	out.perRow, out.perPage = p.Rows != "", p.Rows == "" && p.Links == "" && !p.Sitemap
	errs := []error{p.checkShape(), checkEncoding(p.Encoding), out.bound()}
	for _, s := range []struct {
		name, css string
		into      *selector
	}{
		{"links", p.Links, &out.links},
		{"rows", p.Rows, &out.rows},
		{"next", p.Next, &out.next},
		{"follow", p.Follow, &out.follow},
		{"empty", p.Empty, &out.empty},
		{"missing", p.Missing, &out.missing},
	} {
		var err error
		*s.into, err = compileSelector(s.name, s.css)
		errs = append(errs, err)
	}
	for i, start := range out.starts {
		errs = append(errs, out.checkStart(i, start))
	}
	for _, h := range p.Hosts {
		out.hosts[strings.ToLower(h)] = true
	}
	var err error
	out.fields, err = compileFields(p.Fields, out.perRow)
	return out, errors.Join(append(errs, err)...)
}

func (p Params) checkShape() error {
	switch {
	case p.Sitemap && (p.Links != "" || p.Rows != "" || p.Next != "" || p.PageParam != "" || p.Follow != ""):
		return errors.New("a sitemap has no links, rows, next, page_param and follow: it is a list itself")
	case p.Rows != "" && p.Links != "":
		return errors.New("rows and links: either the rows of the list are the documents, or the pages it links to")
	case p.Next != "" && p.PageParam != "":
		return errors.New("next and page_param: one of them")
	case p.Rows == "" && p.Links == "" && (p.Next != "" || p.PageParam != "" || p.Follow != ""):
		return errors.New("next, page_param and follow are for lists: give links or rows")
	case p.PageStep < 0 || p.PageFirst != nil && *p.PageFirst < 0 || p.MaxPages < 0 || p.MaxReads < 0 || p.Depth < 0:
		return errors.New("page_first, page_step, max_pages, max_reads and depth are 0 or more")
	}
	return nil
}

func (p *plan) bound() error {
	p.maxPages, p.maxReads, p.maxDepth = p.MaxPages, p.MaxReads, p.Depth
	if p.maxPages == 0 {
		p.maxPages = defaultPages
	}
	if p.maxDepth == 0 {
		p.maxDepth = 1
	}
	if p.maxPages > maxPagesCap || p.maxDepth > maxDepth {
		return fmt.Errorf("max_pages is at most %d and depth at most %d: split the site into entries", maxPagesCap, maxDepth)
	}
	return nil
}

// checkStart accepts what only the worker can resolve.
func (p *plan) checkStart(i int, address string) error {
	name := "url"
	if i > 0 {
		name = fmt.Sprintf("urls[%d]", i-1)
	}
	if references.Has(address) {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New(name + " must be an address that starts with http:// or https://")
	}
	p.hosts[strings.ToLower(u.Host)] = true
	if u, err = resolve(nil, address); err == nil {
		p.begins[u.String()] = true
	}
	return nil
}

func (p *plan) firstPage() int {
	if p.PageFirst == nil {
		return 1
	}
	return *p.PageFirst
}

// open reads raw params.
func open(req harvest.Request) (*plan, error) {
	p, err := harvest.DecodeParams[Params](req.Params)
	if err != nil {
		return nil, err
	}
	out, err := p.compile()
	if err != nil {
		return nil, harvest.Errorf(harvest.KindMisconfigured, "read params", "", "%w", err)
	}
	return out, nil
}
