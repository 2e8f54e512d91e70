package wire

import (
	"bytes"
	"errors"
	"strings"
)

// Record is one <record> (OAI-PMH 2.0, section 2.5). Err says why it cannot be
// read; the other members are then what could be made out.
type Record struct {
	// Raw is the record as it stands in the response.
	Raw []byte
	// ID, Datestamp and Sets are of the header, Deleted its status.
	ID, Datestamp string
	Sets          []string
	Deleted       bool
	// Metadata is what is inside <metadata>, About inside the first <about>,
	// without white space around.
	Metadata, About []byte
	Err             error
	// nameEnd is where the name of the record's tag ends in Raw.
	nameEnd int
}

// parts of a record.
const (
	partOther = iota
	partHeader
	partMetadata
	partAbout
)

// record reads a record in one go; one that is not XML ends where the next begins.
func (s *scanner) record(open tag) Record {
	rec := Record{nameEnd: 1 + len(open.name)}
	if open.kind == kindStart && !s.parts(open, &rec) {
		why := s.bad
		end := s.recover(open)
		rec = Record{nameEnd: rec.nameEnd, Raw: bytes.TrimSpace(s.b[open.from:end]), Err: errors.New("XML: " + why)}
		rec.guess(s.b[min(open.to, end):end])
		return rec
	}
	rec.Raw = s.b[open.from:s.at]
	return rec.checked()
}

// parts goes to the end of a record and takes its parts on the way; false where
// it is not XML.
func (s *scanner) parts(open tag, rec *Record) bool {
	s.stack = append(s.stack[:0], open.name)
	part, begin, leaf := partOther, 0, 0
	for s.bad == "" {
		t := s.next()
		depth := len(s.stack)
		switch t.kind {
		case kindStart:
			switch depth {
			case 1:
				part, begin = rec.part(t), t.to
			case 2:
				leaf = t.to
			}
			s.push(t)
		case kindEnd:
			if !bytes.Equal(s.stack[depth-1], t.name) {
				s.mismatch(t)
				return false
			}
			s.stack = s.stack[:depth-1]
			switch depth {
			case 1:
				return s.bad == ""
			case 2:
				rec.end(part, s.b[begin:t.from])
			case 3:
				if part == partHeader {
					rec.member(local(t.name), s.b[leaf:t.from])
				}
			}
		case kindNone:
			s.bad = "<" + clip(s.stack[depth-1]) + "> has no end"
		case kindEmpty:
		}
	}
	return false
}

func (s *scanner) mismatch(t tag) {
	s.bad = "</" + clip(t.name) + "> ends <" + clip(s.stack[len(s.stack)-1]) + ">"
}

// part says what a child of the record is; of each there is one that counts, the
// first.
func (r *Record) part(t tag) int {
	switch name := local(t.name); {
	case string(name) == "header" && r.ID == "":
		r.status(t)
		return partHeader
	case string(name) == "metadata" && r.Metadata == nil:
		return partMetadata
	case string(name) == "about" && r.About == nil:
		return partAbout
	}
	return partOther
}

func (r *Record) end(part int, inner []byte) {
	switch part {
	case partMetadata:
		r.Metadata = bytes.TrimSpace(inner)
	case partAbout:
		r.About = bytes.TrimSpace(inner)
	}
}

func (r *Record) status(header tag) {
	if len(header.attrs) > 1 {
		r.Deleted = strings.EqualFold(strings.TrimSpace(attribute(header.attrs, "status")), "deleted")
	}
}

func (r Record) checked() Record {
	if r.ID == "" && r.Err == nil {
		r.Err = errors.New("its header has no identifier")
	}
	return r
}

// recover finds where a record that is not XML must end: before the next record
// with a header, the token, or the end of the list.
func (s *scanner) recover(open tag) int {
	gone, end := s.at-open.to, s.nextRecord(open)
	for _, stop := range []struct{ begin, name string }{{"<", "resumptionToken"}, {"</", "ListRecords"}, {"</", "GetRecord"}} {
		if i := tagIndex(s.b[open.to:end], stop.begin, stop.name); i >= 0 {
			end = open.to + i
		}
	}
	s.at, s.bad = end, ""
	s.wasted(gone)
	return end
}

// tagIndex returns where a tag of that name begins, whatever its prefix; -1 where
// there is none.
func tagIndex(b []byte, begin, name string) int {
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(name))
		if i < 0 {
			return -1
		}
		at += i
		from := at
		if from > 0 && b[from-1] == ':' {
			for from--; from > 0 && at-from < maxPrefix && b[from-1] != '<' && b[from-1] != '/' && !isSpace(b[from-1]); from-- {
			}
		}
		if from >= len(begin) && string(b[from-len(begin):from]) == begin {
			return from - len(begin)
		}
		at += len(name)
	}
}

// maxPrefix is longer than any prefix in use.
const maxPrefix = 40

// nextRecord returns where the next record with a header begins, or the end of
// the text.
func (s *scanner) nextRecord(open tag) int {
	for at := open.to; ; at++ {
		i := bytes.Index(s.b[at:], append([]byte("<"), open.name...))
		if i < 0 {
			s.waste += len(s.b) - open.to
			return len(s.b)
		}
		at += i
		if s.beginsRecord(at, open.name) {
			return at
		}
	}
}

// beginsRecord reports a record's tag at i that is followed by its header.
func (s *scanner) beginsRecord(i int, name []byte) bool {
	probe := scanner{b: s.b[:min(len(s.b), i+4<<10)], at: i}
	t := probe.next()
	if t.from != i || t.kind != kindStart || !bytes.Equal(t.name, name) {
		return false
	}
	h := probe.next()
	return (h.kind == kindStart || h.kind == kindEmpty) && string(local(h.name)) == "header"
}

func (r *Record) header(open tag, inner []byte) {
	r.status(open)
	s := scanner{b: inner}
	for {
		t, content := s.sibling()
		if t.kind == kindNone {
			return
		}
		r.member(local(t.name), content)
	}
}

// member takes an element of the header.
func (r *Record) member(name, content []byte) {
	switch string(name) {
	case "identifier":
		if r.ID == "" {
			r.ID = Text(content)
		}
	case "datestamp":
		r.Datestamp = Text(content)
	case "setSpec":
		if spec := Text(content); spec != "" {
			r.Sets = append(r.Sets, spec)
		}
	}
}

// guess takes the header of a record that is not XML, so that it has a name.
func (r *Record) guess(inner []byte) {
	s := scanner{b: inner}
	t := s.next()
	if t.kind != kindStart || string(local(t.name)) != "header" {
		return
	}
	if content, ok := s.element(t); ok {
		r.header(t, content)
	}
}

// Root returns the name of the metadata's own element, without its prefix.
func (r *Record) Root() string {
	s := scanner{b: r.Metadata}
	return string(local(s.next().name))
}
