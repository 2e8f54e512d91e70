// Package markup bounds what a parser of HTML or XML makes of a text, before it
// makes it: parsers hold a node for every element and attribute.
package markup

import (
	"fmt"
	"strings"
)

// Bounds of one text: pages and lists that mean well stay far below them.
const (
	MaxElements   = 400_000
	maxAttributes = 1_000_000
	// maxOfOne are the attributes of one element.
	maxOfOne = 5_000
	// maxCopies bounds elements such as <b> without an end, which a browser opens
	// anew in every block that follows.
	maxCopies = 5_000_000
)

// formatting are the elements that are opened anew.
const formatting = " a b big code em font i nobr s small strike strong tt u "

// Bound returns an error where a text has more elements than most, or more
// attributes or formatting without end than it may. It goes over the text once and
// needs no memory.
func Bound(text string, most int) error {
	elements, attributes, open := 0, 0, 0
	for i := strings.IndexByte(text, '<'); i >= 0; {
		text = text[i+1:]
		end := strings.HasPrefix(text, "/")
		if name := tagName(strings.TrimPrefix(text, "/")); name != "" {
			open += formats(name, end)
			elements++
		} else if strings.HasPrefix(text, "!") { // a comment is a node, too
			elements++
		}
		if !end {
			n := countAttributes(text)
			if attributes += n; n > maxOfOne || attributes > maxAttributes {
				return fmt.Errorf("more than %d attributes, or %d of one element", maxAttributes, maxOfOne)
			}
		}
		if elements > 2*most { // starts and ends
			return fmt.Errorf("more than %d elements", most)
		}
		i = strings.IndexByte(text, '<')
	}
	if open > 0 && open*elements > maxCopies && open > 100 {
		return fmt.Errorf("%d elements of formatting without end in %d elements", open, elements)
	}
	return nil
}

func formats(name string, end bool) int {
	switch {
	case !strings.Contains(formatting, " "+name+" "):
		return 0
	case end:
		return -1
	}
	return 1
}

func tagName(text string) string {
	n := 0
	for n < len(text) && n < 12 && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	return strings.ToLower(text[:n])
}

// countAttributes counts what stands apart in a tag.
func countAttributes(text string) (n int) {
	apart := false
	for i := 0; i < len(text) && text[i] != '>' && text[i] != '<'; i++ {
		space := text[i] <= ' ' || text[i] == '/'
		if apart && !space {
			n++
		}
		if apart = space; text[i] == '"' || text[i] == '\'' { // a value; what follows its end is another attribute
			end := strings.IndexByte(text[i+1:], text[i])
			if end < 0 {
				return n
			}
			i += end + 1
			apart = true
		}
	}
	return n
}
