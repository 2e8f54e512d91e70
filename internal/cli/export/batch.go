package export

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// batch makes the files of one batch, called after its first change: NUMBER.xml
// with the records that are XML in one element collection, NUMBER.jsonl with the
// others, NUMBER.delete with the ids of what was deleted, one a line.
func (w *writer) batch(ctx context.Context, list []rows.Change) ([]file, error) {
	var records, lines, ids bytes.Buffer
	for _, ch := range list {
		if ch.Document.Line.Deleted {
			ids.WriteString(strings.ReplaceAll(ch.Document.Line.ID, "\n", " ") + "\n")
			continue
		}
		body, err := w.body(ctx, ch.Document)
		if err != nil {
			return nil, err
		}
		wanted := len(body) > 0 && isXML(ch.Document.Line.MediaType, body)
		if element, ok := root(body); wanted && ok {
			records.Write(element)
			records.WriteByte('\n')
			continue
		}
		if wanted {
			w.res.Loose++
		}
		b, err := line(ch.Document.Line)
		if err != nil {
			return nil, err
		}
		lines.Write(b)
	}
	return files(fmt.Sprintf("%012d", w.dir.state.First), &records, &lines, &ids), nil
}

func files(name string, records, lines, ids *bytes.Buffer) []file {
	var out []file
	if records.Len() > 0 {
		out = append(out, file{name: name + ".xml", content: []byte(xml.Header + "<collection>\n" + records.String() + "</collection>\n")})
	}
	if lines.Len() > 0 {
		out = append(out, file{name: name + ".jsonl", content: lines.Bytes()})
	}
	if ids.Len() > 0 {
		out = append(out, file{name: name + tombs, content: ids.Bytes(), deletes: true})
	}
	return out
}

// root cuts the one element out of an XML document, so that it can stand in
// another; false when it is not well-formed, or not without what stands before
// the element.
func root(body []byte) ([]byte, bool) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.CharsetReader = asciiOnly(body)
	var from, until int64
	depth, roots := 0, 0
	for {
		at := d.InputOffset()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(body[from:until]), roots == 1 && depth == 0
		}
		if err != nil {
			return nil, false
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				from = at
				roots++
			}
			depth++
		case xml.EndElement:
			depth--
			until = d.InputOffset()
		case xml.CharData:
			if depth == 0 && len(bytes.Trim(t, " \t\r\n\ufeff")) > 0 {
				return nil, false
			}
		}
	}
}

// asciiOnly accepts what reads alike in every encoding; anything else that says
// it is not UTF-8 cannot stand in a file that is.
func asciiOnly(body []byte) func(string, io.Reader) (io.Reader, error) {
	return func(charset string, r io.Reader) (io.Reader, error) {
		if bytes.ContainsFunc(body, func(r rune) bool { return r >= 0x80 }) {
			return nil, fmt.Errorf("encoding %s", charset)
		}
		return r, nil
	}
}
