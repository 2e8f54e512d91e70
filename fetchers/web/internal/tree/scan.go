package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// comment reads "<!--…-->"; other declarations are not known here.
func (p *parser) comment(parent *html.Node) bool {
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, "<!--") {
		return false
	}
	end := strings.Index(rest[4:], "-->")
	if end < 0 {
		return false
	}
	data := rest[4 : 4+end]
	if strings.HasPrefix(data, ">") || strings.HasPrefix(data, "->") || strings.Contains(data, "--!") || strings.Contains(data, "<!") || strings.HasSuffix(data, "-") {
		return false
	}
	n := p.arena.newNode()
	n.Type, n.Data = html.CommentNode, data
	link(parent, n)
	p.at += 4 + end + 3
	return true
}

// endTag reads "</name >".
func (p *parser) endTag() (string, bool) {
	p.at += 2
	name, ok := p.name()
	if !ok {
		return "", false
	}
	p.blank()
	if p.at >= len(p.text) || p.text[p.at] != '>' {
		return "", false
	}
	p.at++
	return name, true
}

// name reads the name of a tag: a letter, then letters, digits and dashes.
func (p *parser) name() (string, bool) {
	from, upper := p.at, false
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c >= 'A' && c <= 'Z' {
			upper = true
		} else if (c < 'a' || c > 'z') && (p.at == from || (c < '0' || c > '9') && c != '-') {
			break
		}
		p.at++
	}
	if p.at == from || p.at == len(p.text) || !isSpace(p.text[p.at]) && p.text[p.at] != '>' && p.text[p.at] != '/' {
		return "", false
	}
	name := p.text[from:p.at]
	if upper {
		name = strings.ToLower(name)
	}
	return name, true
}

// startTag reads "<name attributes>" into p.tag.
func (p *parser) startTag() bool {
	if p.at+1 >= len(p.text) || p.text[p.at] != '<' || !isLetter(p.text[p.at+1]) {
		return false
	}
	p.at++
	name, ok := p.name()
	if !ok {
		return false
	}
	p.tag = tag{name: name, attrs: p.arena.scratch[:0]}
	p.tag.atom = atom.Lookup([]byte(name))
	ok = p.attributes()
	p.arena.scratch = p.tag.attrs[:0]
	return ok
}

func (p *parser) attributes() bool {
	for {
		p.blank()
		if p.at >= len(p.text) {
			return false
		}
		switch p.text[p.at] {
		case '>':
			p.at++
			return true
		case '/':
			if p.at++; p.at >= len(p.text) || p.text[p.at] != '>' {
				return false
			}
			p.at++
			p.tag.closing = true
			return true
		}
		if !p.attribute() {
			return false
		}
	}
}

func (p *parser) attribute() bool {
	key, ok := p.key()
	if !ok {
		return false
	}
	value := ""
	before := p.at
	if p.blank(); p.at < len(p.text) && p.text[p.at] == '=' {
		p.at++
		p.blank()
		if value, ok = p.value(); !ok {
			return false
		}
	} else {
		p.at = before
	}
	for i := range p.tag.attrs {
		if p.tag.attrs[i].Key == key {
			return true // the first one counts
		}
	}
	p.tag.attrs = append(p.tag.attrs, html.Attribute{Key: key, Val: value})
	return true
}

func (p *parser) key() (string, bool) {
	from, upper := p.at, false
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if isSpace(c) || c == '=' || c == '>' || c == '/' {
			break
		}
		if c == '"' || c == '\'' || c == '<' || c >= 0x80 {
			return "", false
		}
		upper = upper || c >= 'A' && c <= 'Z'
	}
	key := p.text[from:p.at]
	if upper {
		key = strings.ToLower(key)
	}
	return key, key != "" && p.at < len(p.text)
}

func (p *parser) value() (string, bool) {
	if p.at >= len(p.text) {
		return "", false
	}
	if q := p.text[p.at]; q == '"' || q == '\'' {
		p.at++
		end := strings.IndexByte(p.text[p.at:], q)
		if end < 0 {
			return "", false
		}
		v := p.text[p.at : p.at+end]
		p.at += end + 1
		if p.at >= len(p.text) || !isSpace(p.text[p.at]) && p.text[p.at] != '>' && p.text[p.at] != '/' {
			return "", false
		}
		return unescapeAttr(v)
	}
	from := p.at
	for ; p.at < len(p.text) && !isSpace(p.text[p.at]) && p.text[p.at] != '>'; p.at++ {
		if strings.IndexByte("\"'<=`", p.text[p.at]) >= 0 {
			return "", false
		}
	}
	v := p.text[from:p.at]
	if v == "" || p.at >= len(p.text) || v[len(v)-1] == '/' {
		return "", false
	}
	return unescapeAttr(v)
}

// raw reads an element whose text is no markup, to its end.
func (p *parser) raw() bool {
	name := p.tag.name
	n := p.add()
	end := findEnd(p.text[p.at:], name)
	if end < 0 {
		return false
	}
	text := p.text[p.at : p.at+end]
	switch p.tag.atom {
	case atom.Script:
		if strings.Contains(text, "<!--") {
			return false // what ends it is a longer story
		}
	case atom.Title:
		text = unescapeText(text)
	case atom.Textarea:
		text = firstLine(unescapeText(text))
	}
	p.addText(n, text)
	p.at += end
	_, ok := p.endTag()
	return ok
}

// findEnd finds "</name" before white space, "/" or ">".
func findEnd(s, name string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], "</")
		if i < 0 {
			return -1
		}
		from += i
		rest := s[from+2:]
		if len(rest) > len(name) && strings.EqualFold(rest[:len(name)], name) && (isSpace(rest[len(name)]) || rest[len(name)] == '>' || rest[len(name)] == '/') {
			return from
		}
		from += 2
	}
}

func unescapeText(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return html.UnescapeString(s)
}

// unescapeAttr reads references as attributes have them: a name without its
// semicolon is none before "=", and only whole names count. It gives up where the
// tables of the general parser would have to be asked.
func unescapeAttr(s string) (string, bool) {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s, true
	}
	var b strings.Builder
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		n, text, ok := reference(s)
		if !ok {
			return "", false
		}
		b.WriteString(text)
		s = s[n:]
		i = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String(), true
}

// reference reads one reference at the beginning of s.
func reference(s string) (n int, text string, ok bool) {
	for n = 1; n < len(s) && (isLetter(s[n]) || s[n] >= '0' && s[n] <= '9' || n == 1 && s[n] == '#'); n++ {
	}
	name := s[:n]
	semicolon := n < len(s) && s[n] == ';'
	switch {
	case n == 1:
		return n, "&", true
	case name[1] == '#':
		if semicolon {
			n++
		}
		return n, html.UnescapeString(s[:n]), n > 2
	case !semicolon && n < len(s) && s[n] == '=':
		return n, name, true
	case !semicolon:
		return n, name, html.UnescapeString(name) == name
	}
	n++
	text = html.UnescapeString(s[:n])
	switch {
	case text == s[:n]:
		return n, text, true
	case strings.HasSuffix(text, ";"):
		return 0, "", false // only its beginning is a name
	}
	return n, text, true
}
