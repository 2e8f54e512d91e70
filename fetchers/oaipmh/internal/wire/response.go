package wire

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Response is one answer of a repository (OAI-PMH 2.0, section 3.2). Its slices
// point into the text it was read from.
type Response struct {
	// Verb is the element that held the answer, "ListRecords"; "" beside errors
	// alone.
	Verb string
	// Date is responseDate as it stands.
	Date    string
	Errors  []Error
	Records []Record // of ListRecords and GetRecord; of ListIdentifiers, headers alone
	Token   Token
	Sets    []Set
	Formats []Format
	About   Identify
	// Cut: the text breaks off before the end of the answer.
	Cut bool
	// Over says which bound ended the reading; "" none did.
	Over  string
	scope []declaration
	// declared are the bytes in scope, bad the records that cannot be read.
	declared, bad int
}

// Bounds of what is kept of one response: no honest one has so much, and what is
// kept stays a small multiple of the bytes that came.
const (
	maxDepth  = 10_000
	maxBad    = 10_000
	maxErrors = 100
)

// Error is an <error> of the protocol (section 3.6).
type Error struct{ Code, Text string }

// Token is a resumptionToken (section 3.5). Value is trimmed: "" is the end of
// the list, whatever attributes it has. Size and Cursor are -1 where absent or no
// numbers.
type Token struct {
	Value        string
	Expires      string
	Size, Cursor int64
}

// Set is an element of ListSets (section 4.6).
type Set struct{ Spec, Name string }

// Format is an element of ListMetadataFormats (section 4.4).
type Format struct{ Prefix, Namespace string }

// Identify is what a repository says of itself (section 4.2).
type Identify struct {
	Name, Protocol, Earliest, Deleted, Granularity string
	Compression                                    []string
}

// NotOAI says that a text is not an answer of a repository; Element is the first it
// has, "" when there is none.
type NotOAI struct{ Element string }

// Error is part of error.
func (e *NotOAI) Error() string {
	if e.Element == "" {
		return "no XML"
	}
	return "<" + e.Element + "> is not the root element of an OAI-PMH response"
}

// Scan reads text that Clean has made. The only error is *NotOAI; records that
// cannot be read carry theirs.
func Scan(text []byte) (*Response, error) {
	s, r := &scanner{b: text}, &Response{Token: Token{Size: -1, Cursor: -1}}
	first := ""
	for {
		t := s.next()
		if t.kind == kindNone {
			return nil, &NotOAI{Element: first}
		}
		if t.kind != kindEnd && string(local(t.name)) == "OAI-PMH" {
			r.Cut = t.kind != kindEmpty
			r.declare(t)
			break
		}
		if first == "" {
			first = clip(t.name)
		}
	}
	s.bad = ""
	if r.Cut {
		r.scan(s)
	}
	return r, nil
}

// scan reads what is inside the root.
func (r *Response) scan(s *scanner) {
	for {
		t := s.next()
		s.bad = ""
		switch t.kind {
		case kindNone:
			return
		case kindEnd:
			if string(local(t.name)) == "OAI-PMH" {
				r.Cut = false
				r.behind(s)
				return
			}
			continue
		case kindStart, kindEmpty:
		}
		switch name := string(local(t.name)); name {
		case "ListRecords", "GetRecord", "ListIdentifiers", "ListSets", "ListMetadataFormats", "Identify":
			r.Verb = name
			r.declare(t)
			if t.kind == kindStart {
				r.container(s, t)
			}
		case "responseDate":
			r.Date = Text(s.content(t))
		default:
			if !r.outside(s, t) {
				s.content(t)
			}
		}
	}
}

// outside takes what belongs into the answer's element, or beside it, wherever it
// stands: a token that is not seen ends a list before its end.
func (r *Response) outside(s *scanner, t tag) bool {
	switch string(local(t.name)) {
	case "error":
		e := Error{Code: attribute(t.attrs, "code"), Text: Text(s.content(t))}
		if len(r.Errors) < maxErrors {
			r.Errors = append(r.Errors, e)
		}
	case "resumptionToken":
		r.token(s, t)
	default:
		return false
	}
	return true
}

// behind looks for a token after the end of the root.
func (r *Response) behind(s *scanner) {
	if !bytes.Contains(s.b[s.at:], []byte("resumptionToken")) {
		return
	}
	for {
		t := s.next()
		s.bad = ""
		if t.kind == kindNone {
			return
		}
		if t.kind != kindEnd && string(local(t.name)) == "resumptionToken" {
			r.token(s, t)
		}
	}
}

// token takes a resumptionToken; of several, an empty one does not end what
// another goes on with.
func (r *Response) token(s *scanner, t tag) {
	token := Token{
		Size: count(attribute(t.attrs, "completeListSize")), Cursor: count(attribute(t.attrs, "cursor")),
		Expires: attribute(t.attrs, "expirationDate"), Value: strings.TrimSpace(string(plain(s.content(t)))),
	}
	if token.Value != "" || r.Token.Value == "" {
		r.Token = token
	}
}

// container reads the answer's own element.
func (r *Response) container(s *scanner, open tag) {
	for {
		t := s.next()
		s.bad = ""
		switch t.kind {
		case kindNone:
			return
		case kindEnd:
			if bytes.Equal(t.name, open.name) {
				return
			}
			if string(local(t.name)) == "OAI-PMH" { // leave it to the root
				s.at = t.from
				return
			}
		case kindStart, kindEmpty:
			r.member(s, t)
		}
	}
}

// add keeps a record. Too many that cannot be read end the reading.
func (r *Response) add(s *scanner, rec Record) {
	r.Records = append(r.Records, rec)
	if rec.Err == nil {
		return
	}
	if r.bad++; r.bad > maxBad {
		r.Over, s.at = "more than "+strconv.Itoa(maxBad)+" of its records cannot be read", len(s.b)
	}
}

func (r *Response) member(s *scanner, t tag) {
	switch string(local(t.name)) {
	case "record":
		r.add(s, s.record(t))
	case "header":
		rec := Record{Raw: s.b[t.from:t.to]}
		if inner := s.content(t); inner != nil {
			rec.Raw = s.b[t.from:s.at]
			rec.header(t, inner)
		}
		if r.Verb != "ListIdentifiers" && rec.ID != "" {
			rec.Err = errors.New("its header stands alone, outside of a record")
		}
		r.add(s, rec.checked())
	case "set":
		m := members(s.content(t))
		if spec := m.text("setSpec"); spec != "" {
			r.Sets = append(r.Sets, Set{Spec: spec, Name: m.text("setName")})
		}
	case "metadataFormat":
		m := members(s.content(t))
		if prefix := m.text("metadataPrefix"); prefix != "" {
			r.Formats = append(r.Formats, Format{Prefix: prefix, Namespace: m.text("metadataNamespace")})
		}
	default:
		if !r.outside(s, t) {
			r.About.take(string(local(t.name)), s.content(t))
		}
	}
}

func (i *Identify) take(name string, inner []byte) {
	switch name {
	case "repositoryName":
		i.Name = Text(inner)
	case "protocolVersion":
		i.Protocol = Text(inner)
	case "earliestDatestamp":
		i.Earliest = Text(inner)
	case "deletedRecord":
		i.Deleted = Text(inner)
	case "granularity":
		i.Granularity = Text(inner)
	case "compression":
		if way := Text(inner); way != "" {
			i.Compression = append(i.Compression, way)
		}
	}
}

// count reads a number that repositories give as they like; -1 is none.
func count(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// content goes to the end of a small element and returns what is inside; of one
// that is not XML, what stands before its own end tag.
func (s *scanner) content(t tag) []byte {
	inner, ok := s.element(t)
	if ok {
		return inner
	}
	gone := s.at - t.to
	s.bad, s.at = "", t.to
	if t.kind == kindEmpty {
		return nil
	}
	end := bytes.Index(s.b[t.to:], append([]byte("</"), t.name...))
	if end < 0 {
		s.wasted(gone + len(s.b) - t.to)
		return nil
	}
	s.at = t.to + end
	s.wasted(gone)
	return s.b[t.to : t.to+end]
}

// children are the texts of an element's children, the first of each name.
type children map[string]string

func members(inner []byte) children {
	if len(inner) == 0 {
		return nil
	}
	s, m := scanner{b: inner}, children{}
	for {
		t, text := s.sibling()
		if t.kind == kindNone {
			return m
		}
		if name := string(local(t.name)); m[name] == "" && len(m) < maxErrors {
			m[name] = Text(text)
		}
	}
}

func (m children) text(name string) string { return m[name] }
