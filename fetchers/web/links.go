package web

import (
	"net/url"
	"slices"
	"strings"
)

const maxAddress = 2000

// link is one page a list names; mod is what a sitemap says about its date. It is
// asked for by its address as the list writes it, and known by its key.
type link struct{ address, key, mod string }

func (p *plan) newLink(address, mod string) link {
	return link{address, canonical(p.home(address)), mod}
}

// canonical is an address with its parameters in the order of their names: one
// page, in whatever order a site writes them.
func canonical(address string) string {
	path, query, _ := strings.Cut(address, "?")
	if !strings.Contains(query, "&") {
		return address
	}
	parts := strings.Split(query, "&")
	slices.SortStableFunc(parts, func(a, b string) int {
		one, _, _ := strings.Cut(a, "=")
		other, _, _ := strings.Cut(b, "=")
		return strings.Compare(one, other)
	})
	return path + "?" + strings.Join(parts, "&")
}

// resolve makes a link absolute and takes off what never names another page: the
// fragment, a default port, session ids, and what follows visitors about.
func resolve(base *url.URL, href string) (*url.URL, error) {
	u, err := absolute(base, href)
	if err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment, u.Scheme = "", "", strings.ToLower(u.Scheme)
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	if u.Path == "" && u.Host != "" {
		u.Path = "/"
	}
	dropVisit(u)
	return u, nil
}

// absolute makes a link absolute, as browsers do, and takes nothing off.
func absolute(base *url.URL, href string) (*url.URL, error) {
	href = strings.Map(func(r rune) rune {
		if r < 0x20 {
			return -1
		}
		return r
	}, strings.TrimSpace(href))
	ref, err := url.Parse(href)
	if err != nil {
		if ref, err = url.Parse(escapeStray(href)); err != nil {
			return nil, err
		}
	}
	if base == nil {
		return ref, nil
	}
	return base.ResolveReference(ref), nil
}

// escapeStray makes percent signs that begin no escape, as browsers do.
func escapeStray(href string) string {
	var b strings.Builder
	for i := range len(href) {
		if b.WriteByte(href[i]); href[i] == '%' && (i+2 >= len(href) || !isHex(href[i+1]) || !isHex(href[i+2])) {
			b.WriteString("25")
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// dropVisit takes off path and query what belongs to the visit, not to the page:
// session ids, and the marks of who sent the visitor. With them every visit finds
// other addresses.
func dropVisit(u *url.URL) {
	dropSession(u)
	dropParams(u, func(name string) bool {
		switch name {
		case "fbclid", "gclid", "dclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid", "_ga", "_gl":
			return true
		}
		return strings.HasPrefix(name, "utm_")
	})
}

// dropSession takes off session ids alone: they are another one at each visit.
func dropSession(u *url.URL) {
	if i := indexFold(u.Path, ";jsessionid="); i >= 0 {
		end := strings.IndexByte(u.Path[i:], '/')
		rest := ""
		if end >= 0 {
			rest = u.Path[i+end:]
		}
		u.Path, u.RawPath = u.Path[:i]+rest, ""
	}
	dropParams(u, func(name string) bool {
		switch name {
		case "jsessionid", "phpsessid", "sessionid", "session_id", "cfid", "cftoken", "zenid", "oscsid":
			return true
		}
		return strings.HasPrefix(name, "aspsessionid")
	})
}

// dropParams takes parameters off the query; the others keep their order and
// their writing.
func dropParams(u *url.URL, drop func(name string) bool) {
	if u.RawQuery == "" {
		return
	}
	parts := strings.Split(u.RawQuery, "&")
	kept := parts[:0]
	for _, part := range parts {
		name, _, _ := strings.Cut(part, "=")
		if !drop(strings.ToLower(name)) {
			kept = append(kept, part)
		}
	}
	u.RawQuery = strings.Join(kept, "&")
}

func indexFold(s, lower string) int { return strings.Index(strings.ToLower(s), lower) }

// like reports whether s is like a pattern in which * is any text.
func like(pattern, s string) bool {
	before, rest, wild := strings.Cut(pattern, "*")
	if !strings.HasPrefix(s, before) {
		return false
	}
	s = s[len(before):]
	if !wild {
		return s == ""
	}
	for {
		var part string
		part, rest, wild = strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(s, part)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
}

func anyLike(patterns []string, u *url.URL, address, home string) bool {
	for _, p := range patterns {
		if strings.HasPrefix(p, "/") && like(p, u.RequestURI()) || like(p, address) || like(p, home) {
			return true
		}
	}
	return false
}

// verdicts about a link.
const (
	takeIt    = ""
	otherHost = "other host"
	notLike   = "include and exclude"
	noPage    = "no page"
	trap      = "trap"
)

// admit decides about a link, and returns the address it is asked by.
func (p *plan) admit(base *url.URL, href string, filter bool) (address, verdict string) {
	if href = strings.TrimSpace(href); href == "" || strings.HasPrefix(href, "#") {
		return "", noPage // it is the list itself
	}
	u, err := resolve(base, href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", noPage
	}
	if len(p.DropParams) > 0 {
		dropParams(u, func(name string) bool {
			for _, pattern := range p.DropParams {
				if like(strings.ToLower(pattern), name) {
					return true
				}
			}
			return false
		})
	}
	address = u.String()
	switch {
	case !p.mine(u):
		return "", otherHost
	case len(address) > maxAddress || repeats(u.Path):
		return "", trap
	case filter && (len(p.Include) > 0 && !anyLike(p.Include, u, address, p.home(address)) || anyLike(p.Exclude, u, address, p.home(address))):
		return "", notLike
	}
	return address, takeIt
}

// repeats reports a path that goes in circles: one segment more than three times,
// as relative links on a page served for any address make it.
func repeats(path string) bool {
	if strings.Count(path, "/") < 4 {
		return false
	}
	count := map[string]int{}
	for s := range strings.SplitSeq(path, "/") {
		if count[s]++; s != "" && count[s] > 3 {
			return true
		}
	}
	return false
}
