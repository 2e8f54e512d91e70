package wire

import (
	"bytes"
	"encoding/xml"
)

// DublinCore calls yield for every element of oai_dc metadata that has text:
// its name without prefix, and the text on one line. It returns false, after
// whatever it yielded, when the metadata is no Dublin Core or no XML.
func DublinCore(metadata []byte, yield func(name, value string)) bool {
	s := scanner{b: metadata}
	root := s.next()
	if name := string(local(root.name)); root.kind == kindNone || root.kind == kindEnd || name != "dc" && name != "qualifieddc" {
		return false
	}
	if root.kind == kindEmpty {
		return true
	}
	if flat(metadata[root.to:], root.name) {
		fast(metadata[root.to:], yield)
		return true
	}
	return slow(metadata, yield)
}

// flat reports elements that hold text alone, one after another up to the end of
// the root.
func flat(b, root []byte) bool {
	s := scanner{b: b}
	for {
		i := bytes.IndexByte(b[s.at:], '<')
		if i < 0 || s.at+i+1 >= len(b) || b[s.at+i+1] == '!' || b[s.at+i+1] == '?' {
			return false
		}
		t := s.next()
		switch t.kind {
		case kindEmpty:
			continue
		case kindEnd:
			return bytes.Equal(t.name, root) && s.bad == ""
		case kindStart, kindNone:
		}
		i = bytes.IndexByte(b[s.at:], '<')
		if t.kind == kindNone || i < 0 || s.bad != "" || !ends(b[s.at+i:], t.name) {
			return false
		}
		s.at += i + len(t.name) + 3
	}
}

// ends reports </name> at the start of b.
func ends(b, name []byte) bool {
	n := len(name)
	return len(b) >= n+3 && b[1] == '/' && b[n+2] == '>' && bytes.Equal(b[2:n+2], name)
}

// fast reads what flat has found to be flat.
func fast(b []byte, yield func(name, value string)) {
	s := scanner{b: b}
	for {
		t := s.next()
		switch t.kind {
		case kindNone, kindEnd:
			return
		case kindEmpty:
			continue
		case kindStart:
		}
		i := bytes.IndexByte(b[s.at:], '<')
		if value := Text(b[s.at : s.at+i]); value != "" {
			yield(term(local(t.name)), value)
		}
		s.at += i + len(t.name) + 3
	}
}

// slow reads any XML: the text below each child of the root.
func slow(metadata []byte, yield func(name, value string)) bool {
	d := xml.NewDecoder(bytes.NewReader(metadata))
	d.Strict = false
	var text []byte
	for depth := 0; ; {
		t, err := d.RawToken()
		if err != nil {
			return depth == 0
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth == 2 {
				text = text[:0]
			}
		case xml.CharData:
			text = append(text, t...)
		case xml.EndElement:
			if depth == 2 {
				if value := fold(text); value != "" {
					yield(term([]byte(t.Name.Local)), value)
				}
			}
			depth--
		}
	}
}

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
