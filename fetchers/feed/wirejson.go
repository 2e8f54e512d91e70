package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mmcdole/gofeed"
	gojson "github.com/mmcdole/gofeed/json"
)

// parseJSON reads a JSON Feed token by token, so that a missing end keeps what
// came before it. The text must say that it is one, or at least have items.
func parseJSON(text []byte, limit int) (document, error) {
	doc, feed := document{channel: channel{Format: formatJSON}}, map[string]json.RawMessage{}
	var items []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	_, err := d.Token()
	for err == nil && d.More() {
		items, err = member(d, feed, items)
	}
	doc.cut = err != nil
	if _, ok := feed["items"]; !ok {
		return doc, &errNotAFeed{element: "JSON without items"}
	}
	doc.ofJSON(feed)
	for _, raw := range items {
		if limit == 0 || len(doc.records) < limit {
			doc.records = append(doc.records, jsonRecord(raw))
		}
	}
	return doc, nil
}

// member reads one member of the feed's object.
func member(d *json.Decoder, feed map[string]json.RawMessage, items []json.RawMessage) ([]json.RawMessage, error) {
	key, err := d.Token()
	if err != nil {
		return items, err
	}
	if key != "items" {
		var value json.RawMessage
		err := d.Decode(&value)
		feed[fmt.Sprint(key)] = value
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
		items = append(items, item)
	}
	_, err = d.Token()
	return items, err
}

func (doc *document) ofJSON(feed map[string]json.RawMessage) {
	text := func(key string) (s string) {
		json.Unmarshal(feed[key], &s) //nolint:errcheck // a member of the wrong type is left out
		return s
	}
	doc.Title, doc.Language, doc.Next = line(text("title")), text("language"), text("next_url")
	doc.Version = strings.TrimPrefix(text("version"), "https://jsonfeed.org/version/")
	var authors []gojson.Author
	json.Unmarshal(feed["authors"], &authors) //nolint:errcheck // the same
	for _, a := range authors {
		doc.Authors = append(doc.Authors, line(a.Name))
	}
}

func jsonRecord(raw []byte) record {
	r := record{raw: raw, json: &gojson.Item{}}
	if err := json.Unmarshal(raw, r.json); err != nil {
		r.json, r.err = nil, jsonError(raw, err)
		return r
	}
	r.item = translate(&gofeed.DefaultJSONTranslator{}, &gojson.Feed{Items: []*gojson.Item{r.json}})
	return r
}

// jsonError says it without the names of Go's types.
func jsonError(raw []byte, err error) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return errors.New("JSON: it is no object")
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("JSON: %s is of the wrong type, %s", strings.TrimPrefix(t.Field, "alias."), t.Value)
	}
	return fmt.Errorf("JSON: %w", err)
}
