package feed

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// Caps of one record: no feed that means well comes near them, and what hostile
// ones cost is bounded by them. Depth costs nothing: elements are found by their
// end tags, not by walking down.
const (
	maxChildren   = 10_000
	maxAttributes = 500
	// maxStray is how many elements without an end of their own are looked for.
	maxStray = 20
)

// element is one as it stands in the document.
type element struct {
	key   string
	attrs []byte
	inner []byte
	scope scope
}

// attr returns the value of an attribute by its name without prefix, in whatever
// case.
func (e element) attr(name string) string {
	found := ""
	attributes(e.attrs, func(n string, value []byte) bool {
		if strings.EqualFold(local(n), name) && !strings.HasPrefix(n, "xmlns") {
			found = line(unescape(string(value)))
		}
		return found == ""
	})
	return found
}

// attributes calls yield for the attributes of a tag, until it returns false.
func attributes(b []byte, yield func(name string, value []byte) bool) {
	for range maxAttributes {
		b = bytes.TrimLeft(b, " \t\r\n/")
		end := bytes.IndexAny(b, "= \t\r\n")
		if end <= 0 {
			return
		}
		name := string(b[:min(end, maxName)])
		b = bytes.TrimLeft(b[end:], " \t\r\n")
		if len(b) == 0 || b[0] != '=' {
			continue // one without a value
		}
		var value []byte
		value, b = attributeValue(bytes.TrimLeft(b[1:], " \t\r\n"))
		if !yield(name, value) {
			return
		}
	}
}

const maxName = 200

func attributeValue(b []byte) (value, rest []byte) {
	if len(b) == 0 {
		return nil, nil
	}
	if quote := b[0]; quote == '"' || quote == '\'' {
		end := bytes.IndexByte(b[1:], quote)
		if end < 0 {
			return b[1:], nil
		}
		return b[1 : end+1], b[end+2:]
	}
	end := bytes.IndexAny(b, " \t\r\n>")
	if end < 0 {
		end = len(b)
	}
	return b[:end], b[end:]
}

// startTag is one at the beginning of b.
func startTag(b []byte) (name string, attrs []byte, length int, empty bool) {
	name, length = tagName(b[1:]), tagLength(b)
	end := length
	if end > 1 && b[end-1] == '>' {
		end--
	}
	attrs = b[min(1+len(name), end):end]
	empty = bytes.HasSuffix(attrs, []byte("/"))
	return name, bytes.TrimSuffix(attrs, []byte("/")), length, empty
}

// finder finds elements one after another.
type finder struct {
	pass  skipper
	stray int
}

// children calls yield for the elements that b holds at its upper level. It ends
// with an error where their ends cannot be told.
func (f *finder) children(b []byte, s scope, yield func(element)) error {
	for count := 0; ; {
		i := bytes.IndexByte(b, '<')
		if i < 0 || i+1 >= len(b) {
			return f.sound()
		}
		b = b[i:]
		if skip := f.pass.skip(b); skip > 0 {
			b = b[skip:]
			continue
		}
		if tagName(b[1:]) == "" { // an end tag, a sign
			b = b[1:]
			continue
		}
		name, attrs, length, empty := startTag(b)
		if count++; count > maxChildren {
			return fmt.Errorf("XML: more than %d elements", maxChildren)
		}
		inner, rest := []byte(nil), b[length:]
		if !empty && !isVoid(name) {
			var ok bool
			if inner, rest, ok = f.inside(rest, name); !ok {
				return fmt.Errorf("XML: <%s> has no end", wording.Clip(name, 60))
			}
		}
		within := s.within(attrs, false)
		yield(element{key: within.key(name), attrs: attrs, inner: inner, scope: within})
		b = rest
	}
}

// sound is the error of sections that have no end: what followed cannot be told
// from what is inside of them.
func (f *finder) sound() error {
	for i, a := range asides() {
		if f.pass.endless[i] {
			return errors.New("XML: " + a.start + " has no end")
		}
	}
	return nil
}

// inside returns what stands before the end tag of name, and what follows it. Of
// elements of one name within each other, where some have no end, the first end
// is taken.
func (f *finder) inside(b []byte, name string) (inner, rest []byte, ok bool) {
	depth, first, behind := 1, -1, 0
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			break
		}
		i += j
		if skip := f.pass.skip(b[i:]); skip > 0 {
			i += skip
			continue
		}
		closing := i+1 < len(b) && b[i+1] == '/'
		from := i + 1 + btoi(closing)
		if !isTag(b[min(from, len(b)):], name) {
			i++
			continue
		}
		length := tagLength(b[i:])
		switch {
		case closing:
			if depth--; first < 0 {
				first, behind = i, i+length
			}
			if depth == 0 {
				return b[:i], b[i+length:], true
			}
		case b[i+length-1] == '>' && b[i+length-2] != '/':
			depth++
		}
		i += length
	}
	if f.stray++; first < 0 || f.stray > maxStray {
		return nil, nil, false
	}
	return b[:first], b[behind:], true
}

// isTag reports whether a tag of that name begins here.
func isTag(b []byte, name string) bool {
	if len(b) < len(name) || !strings.EqualFold(string(b[:len(name)]), name) {
		return false
	}
	return len(b) == len(name) || bytes.IndexByte([]byte(" \t\r\n/>"), b[len(name)]) >= 0
}

// isVoid reports HTML elements without an end, in whatever stands outside of
// CDATA.
func isVoid(name string) bool {
	switch strings.ToLower(name) {
	case "br", "hr", "img", "wbr":
		return true
	}
	return false
}
