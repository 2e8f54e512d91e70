package oai

import (
	"strconv"
	"time"
)

// The metadata prefixes.
const (
	DC   = "oai_dc"
	MARC = "marc21"
)

const (
	dcOpen = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">`
	marcOpen = `<record xmlns="http://www.loc.gov/MARC21/slim" type="Bibliographic"><leader>00000nam a2200000 a 4500</leader>`
)

// layout of datestamps by granularity.
const (
	daysLayout    = "2006-01-02"
	secondsLayout = "2006-01-02T15:04:05Z"
)

func (r *Repository) layout() string {
	if r.config.Days {
		return daysLayout
	}
	return secondsLayout
}

func appendStamp(b []byte, unix int64, layout string) []byte {
	return time.Unix(unix, 0).UTC().AppendFormat(b, layout)
}

// appendHeader writes a header; extra is one more setSpec, if any.
func (r *Repository) appendHeader(b []byte, x record, layout, extra string) []byte {
	if x.deleted {
		b = append(b, `<header status="deleted"><identifier>`...)
	} else {
		b = append(b, `<header><identifier>`...)
	}
	b = append(appendID(b, x.number), `</identifier><datestamp>`...)
	b = append(appendStamp(b, x.stamp, layout), `</datestamp>`...)
	if !r.config.NoSets {
		b = appendLeaf(b, "setSpec", r.specs[x.leaf])
		if x.open {
			b = appendLeaf(b, "setSpec", openSet)
		}
	}
	if extra != "" {
		b = appendLeaf(b, "setSpec", extra)
	}
	return append(b, "</header>"...)
}

func (r *Repository) appendRecord(b []byte, x record, prefix, layout, extra string) []byte {
	b = r.appendHeader(append(b, "<record>"...), x, layout, extra)
	if !x.deleted {
		b = append(r.appendMetadata(append(b, "<metadata>"...), x, prefix), "</metadata>"...)
	}
	return append(b, "</record>\n"...)
}

func (r *Repository) appendMetadata(b []byte, x record, prefix string) []byte {
	if prefix == MARC {
		return r.appendMARC(b, x)
	}
	return r.appendDC(b, x)
}

func (r *Repository) appendDC(b []byte, x record) []byte {
	d := dice(r.chance(x))
	b = append(b, dcOpen...)
	b = append(r.appendTitle(append(b, "<dc:title>"...), x, &d), "</dc:title>"...)
	b = appendLeaf(b, "dc:creator", d.of(r.words.people))
	b = appendLeaf(b, "dc:creator", d.of(r.words.people))
	b = appendLeaf(b, "dc:subject", d.of(r.words.subjects))
	b = appendLeaf(b, "dc:subject", d.of(r.words.subjects))
	b = append(r.appendText(append(b, "<dc:description>"...), &d), "</dc:description>"...)
	b = appendLeaf(b, "dc:publisher", d.of(r.words.publishers))
	b = append(strconv.AppendInt(append(b, "<dc:date>"...), int64(1700+d.below(326)), 10), "</dc:date>"...)
	b = appendLeaf(b, "dc:type", d.of(r.words.types))
	b = append(b, "<dc:format>application/pdf</dc:format><dc:identifier>https://replica.example/record/"...)
	b = append(strconv.AppendInt(b, int64(x.number), 10), "</dc:identifier>"...)
	b = appendLeaf(b, "dc:language", d.of(r.words.languages))
	return append(b, "</oai_dc:dc>"...)
}

func (r *Repository) appendMARC(b []byte, x record) []byte {
	d := dice(r.chance(x))
	b = append(append(b, marcOpen...), `<controlfield tag="001">`...)
	b = append(strconv.AppendInt(b, int64(x.number), 10), `</controlfield><datafield tag="245" ind1="1" ind2="0"><subfield code="a">`...)
	b = append(r.appendTitle(b, x, &d), `</subfield></datafield><datafield tag="100" ind1="1" ind2=" "><subfield code="a">`...)
	b = append(append(b, d.of(r.words.people)...), `</subfield></datafield><datafield tag="650" ind1=" " ind2="4"><subfield code="a">`...)
	b = append(append(b, d.of(r.words.subjects)...), `</subfield></datafield><datafield tag="520" ind1=" " ind2=" "><subfield code="a">`...)
	return append(r.appendText(b, &d), `</subfield></datafield></record>`...)
}

// appendTitle writes a title that no other record has, and no other revision.
func (r *Repository) appendTitle(b []byte, x record, d *dice) []byte {
	b = append(append(b, d.of(r.words.works)...), ' ')
	b = append(append(b, d.of(r.words.themes)...), ", "...)
	b = append(append(b, d.of(r.words.places)...), ", n. "...)
	b = strconv.AppendInt(b, int64(x.number), 10)
	if x.revision > 0 {
		b = strconv.AppendInt(append(b, ", ed. "...), int64(x.revision+1), 10)
	}
	return b
}

func (r *Repository) appendText(b []byte, d *dice) []byte {
	b = append(append(b, d.of(r.words.sentences)...), ' ')
	return append(b, d.of(r.words.sentences)...)
}

func appendLeaf(b []byte, name, text string) []byte {
	b = append(append(append(b, '<'), name...), '>')
	b = append(append(b, text...), "</"...)
	return append(append(b, name...), '>')
}
