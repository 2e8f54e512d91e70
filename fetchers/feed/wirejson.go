package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	gojson "github.com/mmcdole/gofeed/json"
)

// parseJSON reads a JSON Feed token by token, so that a missing end keeps what
// came before it. The text must say that it is one, or at least have items.
func parseJSON(text []byte, limit int) (document, error) {
	doc, feed := document{channel: channel{Format: formatJSON}, read: jsonRecord}, map[string]json.RawMessage{}
	var items []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	_, err := d.Token()
	for err == nil && d.More() {
		items, err = member(d, feed, items)
	}
	doc.over = errors.Is(err, errTooMany)
	doc.cut = err != nil && !doc.over
	if _, ok := feed["items"]; !ok {
		return doc, &errNotAFeed{element: "JSON without items"}
	}
	doc.ofJSON(feed)
	for _, raw := range items {
		if limit == 0 || len(doc.records) < limit {
			doc.records = append(doc.records, raw)
		}
	}
	return doc, nil
}

var errTooMany = errors.New("more items than are read")

// member reads one member of the feed's object.
func member(d *json.Decoder, feed map[string]json.RawMessage, items []json.RawMessage) ([]json.RawMessage, error) {
	key, err := d.Token()
	if err != nil {
		return items, err
	}
	if key != "items" {
		var value json.RawMessage
		err := d.Decode(&value)
		switch name := fmt.Sprint(key); name {
		case "title", "language", "next_url", "version", "authors":
			feed[name] = value
		}
		return items, err
	}
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return items, errors.Join(err, errors.New("items is not a list"))
	}
	feed["items"] = nil
	for d.More() {
		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return items, err
		}
		if items = append(items, item); len(items) > maxRecords {
			return items[:maxRecords], errTooMany
		}
	}
	_, err = d.Token()
	return items, err
}

func (doc *document) ofJSON(feed map[string]json.RawMessage) {
	text := func(key string) (s string) {
		json.Unmarshal(feed[key], &s) // a member of the wrong type is left out
		return s
	}
	doc.Title, doc.Language, doc.Next = line(text("title")), text("language"), text("next_url")
	doc.Version = strings.TrimPrefix(text("version"), "https://jsonfeed.org/version/")
	var authors []gojson.Author
	if boundJSON(feed["authors"]) != nil {
		return
	}
	json.Unmarshal(feed["authors"], &authors) // the same
	for _, a := range authors {
		doc.Authors = append(doc.Authors, line(a.Name))
	}
}

func jsonRecord(raw []byte) record {
	r, it := record{raw: raw}, gojson.Item{}
	if r.err = boundJSON(raw); r.err != nil {
		return r
	}
	if err := json.Unmarshal(raw, &it); err != nil {
		r.err = jsonError(raw, err)
		return r
	}
	r.entry = entry{
		id: strings.TrimSpace(clean(it.ID)), link: firstOf(line(it.URL), line(it.ExternalURL)), title: it.Title,
		content: content{text: it.ContentHTML, kind: "html"}, summary: content{text: it.Summary, kind: "text"},
		published: said(it.DatePublished), updated: said(it.DateModified), categories: it.Tags, image: firstOf(line(it.Image), line(it.BannerImage)),
		more: map[string]string{"external_url": line(it.ExternalURL), "language": line(it.Language)},
	}
	if it.ContentHTML == "" {
		r.entry.content = content{text: it.ContentText, kind: "text"}
	}
	r.entry.jsonLists(it)
	return r
}

func said(text string) []string {
	if text = line(text); text == "" {
		return nil
	}
	return []string{text}
}

func (n *entry) jsonLists(it gojson.Item) {
	authors := it.Authors
	if it.Author != nil && len(authors) == 0 {
		authors = []*gojson.Author{it.Author}
	}
	for _, a := range authors {
		if a != nil {
			n.authors = append(n.authors, a.Name)
		}
	}
	if it.Attachments == nil {
		return
	}
	for _, e := range *it.Attachments {
		length := ""
		if e.SizeInBytes > 0 {
			length = strconv.FormatInt(e.SizeInBytes, 10)
		}
		n.enclosures = append(n.enclosures, enclosure{url: line(e.URL), kind: e.MimeType, length: length})
	}
}

// boundJSON refuses an item of more values than any that means well, before room is
// made for them.
func boundJSON(raw []byte) error {
	quoted, values := false, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '{' || c == '['):
			values++
		}
	}
	if values > maxChildren {
		return fmt.Errorf("JSON: more than %d values", maxChildren)
	}
	return nil
}

// jsonError says it without the names of Go's types.
func jsonError(raw []byte, err error) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return errors.New("JSON: it is not an object")
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("JSON: %s is of the wrong type, %s", strings.TrimPrefix(t.Field, "alias."), t.Value)
	}
	return fmt.Errorf("JSON: %w", err)
}
