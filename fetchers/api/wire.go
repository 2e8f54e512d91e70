package api

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
	"github.com/vendemmia/vendemmia/fetchers/internal/markup"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
)

// read turns an answer into what paths look into.
func (p *plan) read(a *answer.Answer) (any, error) {
	if p.Format == "xml" {
		return readXML(a)
	}
	var raw json.RawMessage
	if err := a.JSON(&raw); err != nil {
		return nil, err
	}
	var root any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, broken(a, "it cannot be read: %w", err)
	}
	return numbers(root), nil
}

func broken(a *answer.Answer, format string, args ...any) *harvest.Error {
	e := harvest.Errorf(harvest.KindBroken, "read records", a.Final.String(), format, args...)
	e.Evidence = a.Evidence()
	return e
}

// maxDepth bounds elements in elements.
const maxDepth = 200

// readXML reads a document as JSON: its root element is a member of the whole.
func readXML(a *answer.Answer) (any, error) {
	text := string(charsets.Decode(a.Body, charsets.Hints{ContentType: a.ContentType()}))
	err := markup.Bound(text, markup.MaxElements)
	var root *element
	if err == nil {
		root, err = elements(text)
	}
	if err == nil && root.name != "html" && root.name != "HTML" {
		return map[string]any{root.name: root.value()}, nil
	}
	if err == nil {
		err = errors.New("it is a page of HTML")
	}
	e := broken(a, "it is not the XML that was expected: %w", err)
	switch {
	case challenge.Is(a.Body):
		e.Kind = harvest.KindBlocked
	case root != nil && errors.Is(err, io.ErrUnexpectedEOF):
		e.Kind = harvest.KindServerError
	}
	return nil, e
}

type element struct {
	name    string
	members map[string]any
	text    strings.Builder
}

// elements reads a document; an unfinished one comes with io.ErrUnexpectedEOF.
func elements(text string) (*element, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	var open []*element
	var root *element
	for {
		token, err := d.Token()
		if err != nil {
			return root, ended(err, root, open)
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{name: t.Name.Local, members: map[string]any{}}
			for _, at := range t.Attr {
				if at.Name.Space != "xmlns" && at.Name.Local != "xmlns" {
					e.members["@"+at.Name.Local] = at.Value
				}
			}
			if root == nil {
				root = e
			}
			if open = append(open, e); len(open) > maxDepth {
				return nil, errors.New("its elements are nested too deeply")
			}
		case xml.EndElement:
			last := len(open) - 1
			if last > 0 {
				open[last-1].add(open[last].name, open[last].value())
			}
			open = open[:last]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text.Write(t)
			}
		}
	}
}

func ended(err error, root *element, open []*element) error {
	syntax, cut := errors.AsType[*xml.SyntaxError](err)
	switch {
	case errors.Is(err, io.EOF) && root != nil && len(open) == 0:
		return nil
	case root != nil && (errors.Is(err, io.EOF) || cut && syntax.Msg == "unexpected EOF"):
		return io.ErrUnexpectedEOF
	case root == nil && errors.Is(err, io.EOF):
		return errors.New("the answer is empty")
	}
	return err
}

// add adds a member; several of one name are a list.
func (e *element) add(name string, v any) {
	switch had := e.members[name].(type) {
	case nil:
		e.members[name] = v
	case list:
		e.members[name] = append(had, v)
	default:
		e.members[name] = list{had, v}
	}
}

// list keeps apart the elements of one name and a value that is a list.
type list []any

// value is a text where an element has nothing but text, else a map.
func (e *element) value() any {
	text := strings.TrimSpace(strings.ToValidUTF8(e.text.String(), string(utf8.RuneError)))
	if len(e.members) == 0 {
		return text
	}
	for name, v := range e.members {
		if l, ok := v.(list); ok {
			e.members[name] = []any(l)
		}
	}
	if text != "" {
		e.members["#text"] = text
	}
	return e.members
}
