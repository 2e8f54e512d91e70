package gazzetta

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"
)

// feedPage is the RSS of a series: the latest issue with all its acts.
type feedPage struct {
	issue key
	codes []string
}

type rss struct {
	Channel struct {
		Link  string `xml:"link"`
		Items []struct {
			Title   string `xml:"title"`
			Link    string `xml:"link"`
			Content string `xml:"http://purl.org/rss/1.0/modules/content/ encoded"`
		} `xml:"item"`
	} `xml:"channel"`
}

// parseFeed reads which issue a feed is of, and the codes it names, each once. A
// few acts have none. Dates are not looked at: outside of the Serie Generale
// they are not those of the publication.
func parseFeed(body []byte) (f feedPage, err error) {
	var doc rss
	d := xml.NewDecoder(strings.NewReader(decode(body)))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is decoded already
	if err := d.Decode(&doc); err != nil {
		return f, err
	}
	u, err := url.Parse(strings.TrimSpace(doc.Channel.Link))
	if err != nil {
		return f, err
	}
	var ok bool
	if f.issue, ok = byELI(u); !ok {
		return f, errors.New("it does not say which issue it is of")
	}
	seen := map[string]bool{"": true}
	for _, i := range doc.Channel.Items {
		code := codeOf(i.Link, i.Content, i.Title)
		if !seen[code] {
			f.codes = append(f.codes, code)
		}
		seen[code] = true
	}
	return f, nil
}

func codeOf(link string, texts ...string) string {
	if code := codeIn(link); code != "" {
		return code
	}
	for _, t := range texts {
		if _, code := trailingCode(t); code != "" {
			return code
		}
	}
	return ""
}
