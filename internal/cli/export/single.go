package export

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// file is one to be written, with those that it takes the place of.
type file struct {
	name    string // relative to the folder, with slashes
	content []byte
	instead []string
	deletes bool
}

// single makes a file for each document: its body, or the whole document as
// JSON where it has none. A deleted one becomes a file NAME.delete with its id,
// and its own is taken away.
func (w *writer) single(ctx context.Context, list []rows.Change) ([]file, error) {
	var out []file
	for _, ch := range list {
		base := w.Layout.base(ch)
		f := file{name: base + tombs, content: []byte(ch.Document.Line.ID), deletes: true}
		if !ch.Document.Line.Deleted {
			ext, content, err := w.content(ctx, ch.Document)
			if err != nil {
				return nil, err
			}
			f = file{name: base + ext, content: content}
		}
		if ch.Document.Version > 1 || f.deletes {
			for _, ext := range known() {
				f.instead = append(f.instead, base+ext)
			}
			f.instead = slices.DeleteFunc(f.instead, func(name string) bool { return name == f.name })
		}
		out = append(out, f)
	}
	return out, nil
}

func (w *writer) content(ctx context.Context, d rows.Document) (ext string, content []byte, err error) {
	body, err := w.body(ctx, d)
	if err != nil {
		return "", nil, err
	}
	if len(body) > 0 {
		return extension(d.Line.MediaType, body), body, nil
	}
	content, err = line(d.Line)
	return ".json", content, err
}

// line is a document as one line of JSON.
func line(l rows.Line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(l)
	return b.Bytes(), err
}
