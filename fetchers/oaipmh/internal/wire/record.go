package wire

import (
	"bytes"
	"errors"
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

// record reads a record; one that is no XML ends where the next begins.
func (s *scanner) record(open tag) Record {
	rec := Record{nameEnd: 1 + len(open.name)}
	inner, ok := s.element(open)
	if !ok {
		why := s.bad
		end := s.recover(open)
		rec.Raw = bytes.TrimSpace(s.b[open.from:end])
		rec.guess(s.b[min(open.to, end):end])
		rec.Err = errors.New("XML: " + why)
		return rec
	}
	rec.Raw = s.b[open.from:s.at]
	rec.parse(inner)
	return rec.checked()
}

func (r Record) checked() Record {
	if r.ID == "" && r.Err == nil {
		r.Err = errors.New("its header has no identifier")
	}
	return r
}

// recover finds where a record that is no XML must end: before the next record
// with a header, the token, or the end of the list.
func (s *scanner) recover(open tag) int {
	gone, end := s.at-open.to, s.nextRecord(open)
	prefix := string(open.name[:len(open.name)-len(local(open.name))])
	for _, stop := range []string{"<" + prefix + "resumptionToken", "</" + prefix + "ListRecords", "</" + prefix + "GetRecord"} {
		if i := bytes.Index(s.b[open.to:end], []byte(stop)); i >= 0 {
			end = open.to + i
		}
	}
	s.at, s.bad = end, ""
	s.wasted(gone)
	return end
}

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

// parse reads sound content.
func (r *Record) parse(inner []byte) {
	s := scanner{b: inner}
	for {
		t, content := s.sibling()
		if t.kind == kindNone {
			return
		}
		switch string(local(t.name)) {
		case "header":
			if r.ID == "" {
				r.header(t, content)
			}
		case "metadata":
			if r.Metadata == nil {
				r.Metadata = bytes.TrimSpace(content)
			}
		case "about":
			if r.About == nil {
				r.About = bytes.TrimSpace(content)
			}
		}
	}
}

func (r *Record) header(open tag, inner []byte) {
	if len(open.attrs) > 1 {
		r.Deleted = attribute(open.attrs, "status") == "deleted"
	}
	s := scanner{b: inner}
	for {
		t, content := s.sibling()
		if t.kind == kindNone {
			return
		}
		switch string(local(t.name)) {
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
}

// guess takes the header of a record that is no XML, so that it has a name.
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
