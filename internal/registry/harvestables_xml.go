package registry

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// briefPage is a page of the list.
type briefPage struct {
	XMLName xml.Name `xml:"harvestables"`
	Count   string   `xml:"count,attr"`
	Briefs  []brief  `xml:"harvestableBrief"`
	count   int
}

// brief is what the list says of a job.
type brief struct {
	ID          string `xml:"id"`
	LastUpdated string `xml:"lastUpdated"`
}

func readBriefs(body []byte) (briefPage, error) {
	var page briefPage
	err := readXML(body, &page)
	if err != nil {
		return page, err
	}
	if page.count, err = strconv.Atoi(strings.TrimSpace(page.Count)); err != nil || page.count < 0 || page.count > maxJobs {
		return page, fmt.Errorf("it says count=%q", page.Count)
	}
	for i, b := range page.Briefs {
		page.Briefs[i] = brief{ID: strings.TrimSpace(b.ID), LastUpdated: strings.TrimSpace(b.LastUpdated)}
	}
	return page, nil
}

// readXML reads a whole document: one that breaks off is an error.
func readXML(body []byte, into any) error {
	d := xml.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return err
	}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, more := t.(xml.StartElement); more {
			return errors.New("a second document follows")
		}
	}
}

// record is a job as the service has it: an element of its type, with fields.
type record struct {
	id     string
	kind   string
	fields []xmlField
}

// xmlField is one element of a job. An object, such as its storage, has no text.
type xmlField struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
}

// xmlRecord is the document around a record: the element of the job stands beside
// its id.
type xmlRecord struct {
	XMLName xml.Name `xml:"harvestable"`
	ID      string   `xml:"id"`
	Parts   []struct {
		XMLName xml.Name
		Fields  []xmlField `xml:",any"`
	} `xml:",any"`
}

func readRecord(body []byte) (record, error) {
	var in xmlRecord
	if err := readXML(body, &in); err != nil {
		return record{}, err
	}
	return in.record()
}

func (in xmlRecord) record() (record, error) {
	out := record{id: strings.TrimSpace(in.ID)}
	for _, part := range in.Parts {
		if len(part.Fields) == 0 {
			continue
		}
		if out.kind != "" {
			return out, fmt.Errorf("it holds two jobs, %s and %s", out.kind, part.XMLName.Local)
		}
		out.kind, out.fields = part.XMLName.Local, part.Fields
		out.id = cmp.Or(out.text("id"), out.id)
	}
	if out.kind == "" {
		return out, errors.New("it holds no job")
	}
	return out, nil
}

// text is a field; "" where there is none.
func (r record) text(name string) string {
	for _, f := range r.fields {
		if f.XMLName.Local == name {
			return strings.TrimSpace(f.Text)
		}
	}
	return ""
}

func (r *record) set(name, value string) {
	r.fields = append([]xmlField{{XMLName: xml.Name{Local: name}, Text: value}}, r.fields...)
}

// is reports whether a field says true, in either spelling.
func (r record) is(name string) bool {
	b, err := strconv.ParseBool(r.text(name))
	return err == nil && b
}
