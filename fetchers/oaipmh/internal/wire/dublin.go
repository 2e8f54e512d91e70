package wire

import "bytes"

// DublinCore calls yield for every element of oai_dc metadata that has text:
// its name without prefix, and the text on one line, good until yield returns. It
// returns false, after whatever it yielded, when the metadata is no Dublin Core
// or no XML.
func DublinCore(metadata []byte, yield func(name string, value []byte)) bool {
	s := scanner{b: metadata}
	root := s.next()
	if name := string(local(root.name)); root.kind == kindNone || root.kind == kindEnd || name != "dc" && name != "qualifieddc" {
		return false
	}
	if root.kind == kindEmpty {
		return true
	}
	var few [32]leaf
	leaves, ok := flat(metadata[root.to:], root.name, few[:0])
	if !ok {
		return slow(metadata, root, yield)
	}
	for _, l := range leaves {
		if value := text(l.inner); len(value) > 0 {
			yield(term(local(l.name)), value)
		}
	}
	return true
}

// leaf is an element without elements inside.
type leaf struct{ name, inner []byte }

// flat reads elements that hold text alone, one after another up to the end of
// the root; false where there is anything else.
func flat(b, root []byte, leaves []leaf) ([]leaf, bool) {
	s := scanner{b: b}
	for {
		i := bytes.IndexByte(b[s.at:], '<')
		if i < 0 || s.at+i+1 >= len(b) || b[s.at+i+1] == '!' || b[s.at+i+1] == '?' {
			return nil, false
		}
		t := s.next()
		switch t.kind {
		case kindEmpty:
			continue
		case kindEnd:
			return leaves, bytes.Equal(t.name, root) && s.bad == ""
		case kindStart, kindNone:
		}
		i = bytes.IndexByte(b[s.at:], '<')
		if t.kind == kindNone || i < 0 || len(leaves) >= MaxFields || s.bad != "" || !ends(b[s.at+i:], t.name) {
			return nil, false
		}
		leaves = append(leaves, leaf{name: t.name, inner: b[s.at : s.at+i]})
		s.at += i + len(t.name) + 3
	}
}

// ends reports </name> at the start of b.
func ends(b, name []byte) bool {
	n := len(name)
	return len(b) >= n+3 && b[1] == '/' && b[n+2] == '>' && bytes.Equal(b[2:n+2], name)
}

// slow reads what has elements inside of elements: the text below each child of
// the root.
func slow(metadata []byte, root tag, yield func(name string, value []byte)) bool {
	inner, ok := (&scanner{b: metadata, at: root.to}).element(root)
	s := scanner{b: inner}
	for range MaxFields + 1 {
		t, below := s.sibling()
		if t.kind == kindNone {
			break
		}
		if value := text(below); len(value) > 0 {
			yield(term(local(t.name)), value)
		}
	}
	return ok
}

// MaxFields elements of metadata are read; DublinCore yields one more where there
// are more.
const MaxFields = 20_000

// term returns the names of Dublin Core without making new strings of them.
func term(name []byte) string {
	switch string(name) {
	case "title":
		return "title"
	case "creator":
		return "creator"
	case "subject":
		return "subject"
	case "description":
		return "description"
	case "publisher":
		return "publisher"
	case "contributor":
		return "contributor"
	case "date":
		return "date"
	case "type":
		return "type"
	case "format":
		return "format"
	case "identifier":
		return "identifier"
	case "source":
		return "source"
	case "language":
		return "language"
	case "relation":
		return "relation"
	case "coverage":
		return "coverage"
	case "rights":
		return "rights"
	}
	return string(name)
}
