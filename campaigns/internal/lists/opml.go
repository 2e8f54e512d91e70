package lists

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// readOPML takes every outline with an xmlUrl, however deep its folder: the
// address as url, title or else text as label.
func readOPML(data []byte) (List, []Error) {
	list := List{Texts: true}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = charset.NewReaderLabel
	opml := false
	for {
		line, _ := d.InputPos()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, _ = d.InputPos()
			return list, []Error{{line, "not OPML: " + err.Error()}}
		}
		start, isStart := token.(xml.StartElement)
		if !isStart {
			continue
		}
		opml = opml || start.Name.Local == "opml"
		if values := outline(start); values != nil {
			list.Rows = append(list.Rows, Row{Line: line, Values: values})
		}
	}
	if !opml {
		return list, []Error{{1, "not OPML: there is no <opml> in it"}}
	}
	return list, nil
}

func outline(e xml.StartElement) map[string]any {
	if e.Name.Local != "outline" {
		return nil
	}
	at := map[string]string{}
	for _, a := range e.Attr {
		at[strings.ToLower(a.Name.Local)] = strings.TrimSpace(a.Value)
	}
	if at["xmlurl"] == "" {
		return nil
	}
	values := map[string]any{"url": at["xmlurl"]}
	for _, name := range []string{"title", "text"} {
		if at[name] != "" {
			values["label"] = at[name]
			break
		}
	}
	return values
}
