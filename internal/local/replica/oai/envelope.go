package oai

import (
	"bytes"
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
)

const (
	envelopeOpen = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
		` xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">` + "\n"
	envelopeClose = "</OAI-PMH>\n"
)

// right is the answer of a healthy repository, not compressed.
func (c *call) right() *answer {
	a := newAnswer(http.StatusOK, xmlType, nil)
	room := 2048
	if c.verb == "ListRecords" {
		room += c.house.config.Page * 1300
	}
	content := make([]byte, 0, room)
	content = c.open(content)
	if len(c.problems) == 0 {
		content, c.problems = c.fill(content, a)
	}
	if len(c.problems) > 0 {
		return c.complain(c.problems...)
	}
	a.body = append(content, envelopeClose...)
	return a
}

// complain is an answer of protocol errors.
func (c *call) complain(problems ...problem) *answer {
	c.problems = problems
	b := c.open(nil)
	for _, p := range problems {
		b = append(append(append(b, `<error code="`...), p.code...), `">`...)
		b = append(append(b, escape(p.text)...), "</error>\n"...)
	}
	a := newAnswer(http.StatusOK, xmlType, append(b, envelopeClose...))
	a.problem = problems[0].code
	return a
}

// open writes what stands before the content. The request shows its arguments
// only when they are right (specification, section 3.2).
func (c *call) open(b []byte) []byte {
	b = append(append(b, envelopeOpen...), "<responseDate>"...)
	b = append(c.now.AppendFormat(b, secondsLayout), "</responseDate>\n<request"...)
	wrong := slices.ContainsFunc(c.problems, func(p problem) bool { return p.code == "badVerb" || p.code == "badArgument" })
	for _, name := range slices.Sorted(maps.Keys(c.args)) {
		if !wrong {
			b = append(append(append(b, ' '), name...), `="`...)
			b = append(append(b, escape(c.args.Get(name))...), '"')
		}
	}
	return append(append(append(b, '>'), c.base()...), "</request>\n"...)
}

func (c *call) base() string { return "http://" + c.r.Host + c.r.URL.Path }

func escape(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // a buffer never fails
	return b.String()
}
