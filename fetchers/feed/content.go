package feed

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"net/url"
	"strings"

	nethtml "golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

// content is the text of an element and what it is.
type content struct {
	text string
	// kind is what the document says: "html", "text", a media type, "" nothing.
	kind string
	// data is of a kind that is not text.
	data []byte
}

func (c content) empty() bool { return strings.TrimSpace(c.text) == "" && len(c.data) == 0 }

// content reads the element by the rules of its format: Atom says how its texts
// are written (RFC 4287, section 3.1; Atom 0.3: type and mode), RSS does not.
func (e element) content() content {
	if !strings.HasPrefix(e.key, nameAtom+":") {
		if strings.HasPrefix(e.key, nameXHTML+":") {
			return content{text: e.rebased(e.markup()), kind: "html"}
		}
		return content{text: e.text()}
	}
	kind, mode := strings.ToLower(e.attr("type")), strings.ToLower(e.attr("mode"))
	switch {
	case mode == "base64" || mode == "" && isBinary(kind):
		return e.decoded(kind)
	case strings.Contains(kind, "xhtml"):
		return content{text: e.rebased(withoutDiv(e.markup())), kind: "html"}
	case kind == "html", strings.HasPrefix(kind, "text/html"):
		return content{text: e.rebased(withoutDiv(e.text())), kind: "html"}
	case strings.Contains(kind, "xml"):
		return content{text: strings.TrimSpace(string(e.inner)), kind: kind}
	}
	return content{text: e.text(), kind: kind}
}

// decoded reads base64.
func (e element) decoded(kind string) content {
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(e.text()), ""))
	if err != nil {
		return content{text: e.text(), kind: kind}
	}
	if isBinary(kind) {
		return content{data: b, kind: kind}
	}
	return content{text: string(charsets.Decode(b, charsets.Hints{})), kind: kind}
}

// isBinary reports media types that are never text (RFC 4287, section 4.1.3.3).
func isBinary(kind string) bool {
	switch before, after, _ := strings.Cut(kind, "/"); before {
	case "image", "audio", "video":
		return !strings.Contains(after, "xml")
	case "application":
		return !strings.Contains(after, "xml") && !strings.Contains(after, "json") && !strings.Contains(after, "javascript")
	}
	return false
}

// text is what the element says: CDATA as it stands, else entities resolved. Where
// it holds elements it is markup, and stays as it is.
func (e element) text() string {
	b := bytes.TrimSpace(e.inner)
	if bytes.IndexByte(b, '<') < 0 {
		return unescape(string(b))
	}
	if holdsMarkup(b) {
		return e.markup()
	}
	var out strings.Builder
	pieces(b, func(piece string, cdata bool) {
		if !cdata {
			piece = unescape(piece)
		}
		out.WriteString(piece)
	})
	return strings.TrimSpace(out.String())
}

// markup is what the element holds, as HTML: without comments and the prefix of
// XHTML, CDATA as text.
func (e element) markup() string {
	var out strings.Builder
	pieces(bytes.TrimSpace(e.inner), func(piece string, cdata bool) {
		if cdata {
			piece = html.EscapeString(piece)
		}
		out.WriteString(piece)
	})
	text := strings.TrimSpace(out.String())
	for p, short := range e.scope.prefixes {
		if short == nameXHTML && p != "" {
			text = withoutPrefix(text, p)
		}
	}
	if p := prefix(tagName([]byte(strings.TrimPrefix(text, "<")))); p != "" && strings.HasPrefix(text, "<"+p+":div") {
		text = withoutPrefix(text, p)
	}
	return text
}

func withoutPrefix(text, prefix string) string {
	return strings.NewReplacer("<"+prefix+":", "<", "</"+prefix+":", "</").Replace(text)
}

// pieces calls yield for what is CDATA and what is not; comments are left out.
func pieces(b []byte, yield func(piece string, cdata bool)) {
	var pass skipper
	from := 0
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			break
		}
		i += j
		skip := pass.skip(b[i:])
		if skip == 0 {
			i++
			continue
		}
		yield(string(b[from:i]), false)
		if section, ok := bytes.CutPrefix(b[i:i+skip], []byte("<![CDATA[")); ok {
			yield(string(bytes.TrimSuffix(section, []byte("]]>"))), true)
		}
		i += skip
		from = i
	}
	yield(string(b[from:]), false)
}

// holdsMarkup reports an element outside of CDATA.
func holdsMarkup(b []byte) bool {
	found := false
	pieces(b, func(piece string, cdata bool) {
		for i := strings.IndexByte(piece, '<'); i >= 0 && !cdata && !found; {
			found = i+1 < len(piece) && isLetter(piece[i+1])
			next := strings.IndexByte(piece[i+1:], '<')
			if next < 0 {
				break
			}
			i += 1 + next
		}
	})
	return found
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// maxEntity is longer than any name of an entity.
const maxEntity = 40

// unescape resolves references to characters and entities of HTML that end with a
// semicolon; any other ampersand is one: R&D, ?a=1&copy=2.
func unescape(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var out strings.Builder
	for ; i >= 0; i = strings.IndexByte(s, '&') {
		out.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s[:min(len(s), maxEntity)], ';')
		if end < 0 {
			out.WriteByte('&')
			s = s[1:]
			continue
		}
		said := html.UnescapeString(s[:end+1])
		if said == html.UnescapeString(s[:end])+";" || strings.ContainsAny(s[:end], " \t\r\n<") {
			out.WriteByte('&')
			s = s[1:]
			continue
		}
		out.WriteString(said)
		s = s[end+1:]
	}
	out.WriteString(s)
	return out.String()
}

// withoutDiv drops the element that XHTML texts are wrapped in.
func withoutDiv(text string) string {
	b := []byte(text)
	if !strings.HasPrefix(text, "<") || !isTag(b[1:], "div") {
		return text
	}
	_, _, length, empty := startTag(b)
	if empty {
		return strings.TrimSpace(text[length:])
	}
	var f finder
	inner, rest, ok := f.inside(b[length:], "div")
	if !ok || len(bytes.TrimSpace(rest)) > 0 {
		return text
	}
	return strings.TrimSpace(string(inner))
}

// rebased makes the addresses in HTML absolute where the document gives a base of
// its own: without the document nobody knows it.
func (e element) rebased(text string) string {
	if len(e.scope.bases) == 0 || !strings.Contains(text, "<") {
		return text
	}
	var out strings.Builder
	z := nethtml.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxTag)
	for z.Next() != nethtml.ErrorToken {
		raw := string(z.Raw())
		if t := z.Token(); e.rebase(&t) {
			raw = t.String()
		}
		out.WriteString(raw)
	}
	if !errors.Is(z.Err(), io.EOF) {
		return text // a tag longer than any that means well
	}
	return out.String()
}

// rebase reports whether an address of t was relative.
func (e element) rebase(t *nethtml.Token) (changed bool) {
	if t.Type != nethtml.StartTagToken && t.Type != nethtml.SelfClosingTagToken {
		return false
	}
	for i, a := range t.Attr {
		if a.Key != "href" && a.Key != "src" && a.Key != "poster" && a.Key != "action" && a.Key != "cite" {
			continue
		}
		if to := resolve(nil, e.scope.bases, a.Val); to != a.Val {
			t.Attr[i].Val, changed = to, true
		}
	}
	return changed
}

// resolve makes an address absolute by the bases that hold at its place, outer
// ones first. One that is absolute stays as it is, letter by letter.
func resolve(base *url.URL, bases []string, address string) string {
	u, err := url.Parse(address)
	if address == "" || err != nil || u.IsAbs() {
		return address
	}
	for _, b := range bases {
		inner, err := url.Parse(b)
		switch {
		case err != nil:
		case base == nil && inner.IsAbs():
			base = inner
		case base != nil:
			base = base.ResolveReference(inner)
		}
	}
	if base == nil {
		return address
	}
	return base.ResolveReference(u).String()
}
