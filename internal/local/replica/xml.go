package replica

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// markup writes XML; names and namespaces are the caller's affair.
type markup struct{ bytes.Buffer }

// open writes a start tag; attrs are names and values in turn.
func (m *markup) open(name string, attrs ...string) {
	m.tag(name, attrs)
	m.WriteString(">\n")
}

func (m *markup) close(name string) { m.WriteString("</" + name + ">\n") }

// leaf writes an element with text; without text it writes nothing.
func (m *markup) leaf(name, text string, attrs ...string) {
	if text == "" {
		return
	}
	m.tag(name, attrs)
	m.WriteString(">" + escape(text) + "</" + name + ">\n")
}

// cdata is leaf with the text in a CDATA section, as most papers send HTML.
func (m *markup) cdata(name, text string, attrs ...string) {
	m.tag(name, attrs)
	m.WriteString("><![CDATA[" + strings.ReplaceAll(text, "]]>", "]]]]><![CDATA[>") + "]]></" + name + ">\n")
}

// empty writes an element that has attributes only.
func (m *markup) empty(name string, attrs ...string) {
	m.tag(name, attrs)
	m.WriteString("/>\n")
}

func (m *markup) tag(name string, attrs []string) {
	m.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		m.WriteString(" " + attrs[i] + `="` + escape(attrs[i+1]) + `"`)
	}
}

func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a builder never fails
	return b.String()
}
