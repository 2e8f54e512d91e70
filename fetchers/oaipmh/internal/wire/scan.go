package wire

import (
	"bytes"
	"strconv"
)

// skipper passes over what is no element. A kind without end is not looked for
// again: a text of nothing else would cost the square of its length.
type skipper struct{ endless [3]bool }

// aside is the length of a comment, CDATA section or instruction at the start of
// b, in which an ampersand and a "<" are only signs; 0 when there is none or it
// has no end.
func (s *skipper) aside(b []byte) int {
	if len(b) < 2 || b[1] != '!' && b[1] != '?' {
		return 0
	}
	for i, a := range [...]struct{ start, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if s.endless[i] || len(b) < len(a.start) || string(b[:len(a.start)]) != a.start {
			continue
		}
		end := bytes.Index(b[len(a.start):], []byte(a.end))
		if s.endless[i] = end < 0; end >= 0 {
			return len(a.start) + end + len(a.end)
		}
	}
	return 0
}

type kind uint8

const (
	kindNone kind = iota // the text is at its end
	kindStart
	kindEmpty // <a/>
	kindEnd
)

// tag is text[from:to] of a scanner.
type tag struct {
	kind     kind
	name     []byte // as written, with its prefix
	attrs    []byte // what stands behind the name
	from, to int
}

// scanner goes from tag to tag.
type scanner struct {
	b  []byte
	at int
	skipper
	// bad says what is wrong with the XML passed so far; "" nothing.
	bad   string
	stack [][]byte
	// waste counts bytes gone over for nothing; much of it ends the scan, so that
	// no text costs the square of its length.
	waste int
}

const maxWaste = 16

// wasted books n bytes that were gone over in vain.
func (s *scanner) wasted(n int) {
	s.waste += n
	if s.waste > maxWaste*len(s.b)+1<<20 {
		s.at = len(s.b)
	}
}

// next returns the next tag. What looks like one and is none is passed over and
// noted in bad.
func (s *scanner) next() tag {
	for {
		i := bytes.IndexByte(s.b[s.at:], '<')
		if i < 0 || s.at+i+1 >= len(s.b) {
			s.at = len(s.b)
			return tag{from: s.at, to: s.at}
		}
		s.at += i
		switch c := s.b[s.at+1]; {
		case c == '/':
			return s.endTag()
		case isNameStart(c):
			return s.startTag()
		case c == '!' || c == '?':
			s.pass()
		default:
			s.bad = "a < that begins no tag"
			s.at++
		}
	}
}

// pass goes over a comment, CDATA section, instruction or declaration.
func (s *scanner) pass() {
	if n := s.aside(s.b[s.at:]); n > 0 {
		s.at += n
		return
	}
	if bytes.HasPrefix(s.b[s.at:], []byte("<!DOCTYPE")) {
		s.at += doctype(s.b[s.at:])
		return
	}
	s.bad = "a comment, CDATA section or instruction without end"
	s.at++
}

// doctype is the length of a declaration with its internal subset.
func doctype(b []byte) int {
	end := through(b, ">")
	open := bytes.IndexByte(b[:end], '[')
	if open < 0 {
		return end
	}
	subset := open + through(b[open:], "]")
	return subset + through(b[subset:], ">")
}

func through(b []byte, end string) int {
	i := bytes.Index(b, []byte(end))
	if i < 0 {
		return len(b)
	}
	return i + len(end)
}

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// nameEnd returns where the name that begins at i ends.
func (s *scanner) nameEnd(i int) int {
	for ; i < len(s.b); i++ {
		if c := s.b[i]; c <= '>' && (c == '>' || c == '/' || c == '=' || c == '<' || isSpace(c)) {
			break
		}
	}
	return i
}

func (s *scanner) endTag() tag {
	t := tag{kind: kindEnd, from: s.at}
	i := s.nameEnd(s.at + 2)
	t.name = s.b[s.at+2 : i]
	for i < len(s.b) && isSpace(s.b[i]) {
		i++
	}
	if i >= len(s.b) {
		s.at = i
		return tag{from: i, to: i}
	}
	if s.b[i] != '>' {
		s.bad = "an end tag without end"
	}
	s.at, t.to = i+1, i+1
	return t
}

func (s *scanner) startTag() tag {
	t := tag{kind: kindStart, from: s.at}
	i := s.nameEnd(s.at + 1)
	t.name = s.b[s.at+1 : i]
	if i < len(s.b) && s.b[i] == '>' { // as most are
		t.to = i + 1
		s.at = t.to
		return t
	}
	end, empty := s.tagEnd(i)
	t.attrs = s.b[i:max(i, end-1)]
	if empty {
		t.kind = kindEmpty
	}
	s.at, t.to = end, end
	return t
}

// tagEnd walks the attributes from i and returns where the tag ends.
func (s *scanner) tagEnd(i int) (end int, empty bool) {
	for i < len(s.b) {
		for i < len(s.b) && isSpace(s.b[i]) {
			i++
		}
		switch {
		case i >= len(s.b):
		case s.b[i] == '>':
			return i + 1, false
		case s.b[i] == '/' && i+1 < len(s.b) && s.b[i+1] == '>':
			return i + 2, true
		default:
			next, ok := s.attribute(i)
			if !ok {
				s.bad = "a tag that is not written as XML"
				return i + through(s.b[i:], ">"), false
			}
			i = next
		}
	}
	s.bad = "a tag without end"
	return len(s.b), false
}

// attribute passes over name="value" at i.
func (s *scanner) attribute(i int) (end int, ok bool) {
	j := s.nameEnd(i)
	if j == i {
		return 0, false
	}
	for j < len(s.b) && isSpace(s.b[j]) {
		j++
	}
	if j >= len(s.b) || s.b[j] != '=' {
		return 0, false
	}
	for j++; j < len(s.b) && isSpace(s.b[j]); j++ {
	}
	if j >= len(s.b) || s.b[j] != '"' && s.b[j] != '\'' {
		return 0, false
	}
	n := bytes.IndexByte(s.b[j+1:], s.b[j])
	if n < 0 || bytes.IndexByte(s.b[j+1:j+1+n], '<') >= 0 {
		return 0, false
	}
	return j + n + 2, true
}

// attributes calls yield for each attribute of a tag: name, value as written,
// and the whole as written.
func attributes(attrs []byte, yield func(name, value, whole []byte)) {
	s := scanner{b: attrs}
	for i := 0; i < len(attrs); {
		if isSpace(attrs[i]) || attrs[i] == '/' {
			i++
			continue
		}
		end, ok := s.attribute(i)
		if !ok {
			return
		}
		whole := attrs[i:end]
		name := whole[:s.nameEnd(i)-i]
		open := bytes.IndexAny(whole, `"'`)
		yield(name, whole[open+1:len(whole)-1], whole)
		i = end
	}
}

func attribute(attrs []byte, wanted string) string {
	found := ""
	attributes(attrs, func(name, value, _ []byte) {
		if string(local(name)) == wanted {
			found = Text(value)
		}
	})
	return found
}

// local returns a name without its prefix.
func local(name []byte) []byte {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// element goes to the end of the element that open begins. It returns what is
// inside, and false where tags do not match, are not XML, or are missing; the
// scanner then stands where that was seen.
func (s *scanner) element(open tag) (inner []byte, ok bool) {
	if open.kind == kindEmpty {
		return nil, s.bad == ""
	}
	s.stack = append(s.stack[:0], open.name)
	for s.bad == "" {
		switch t := s.next(); t.kind {
		case kindStart:
			s.push(t)
		case kindEnd:
			last := len(s.stack) - 1
			if !bytes.Equal(s.stack[last], t.name) {
				s.mismatch(t)
				return nil, false
			}
			if s.stack = s.stack[:last]; last == 0 {
				return s.b[open.to:t.from], s.bad == ""
			}
		case kindNone:
			s.bad = "<" + clip(s.stack[len(s.stack)-1]) + "> has no end"
			return nil, false
		case kindEmpty:
		}
	}
	return nil, false
}

// push goes one element down, as far as any honest text goes.
func (s *scanner) push(t tag) {
	if s.stack = append(s.stack, t.name); len(s.stack) > maxDepth {
		s.bad = "elements are nested more than " + strconv.Itoa(maxDepth) + " deep"
	}
}

func clip(name []byte) string { return string(name[:min(len(name), 60)]) }

// sibling returns the next element of sound content, and what is inside it.
func (s *scanner) sibling() (t tag, inner []byte) {
	for {
		t = s.next()
		switch t.kind {
		case kindNone, kindEmpty:
			return t, nil
		case kindEnd: // cannot be in sound content
			continue
		case kindStart:
		}
		for depth := 1; ; {
			switch e := s.next(); e.kind {
			case kindNone:
				return t, s.b[t.to:]
			case kindStart:
				depth++
			case kindEnd:
				if depth--; depth == 0 {
					return t, s.b[t.to:e.from]
				}
			case kindEmpty:
			}
		}
	}
}
