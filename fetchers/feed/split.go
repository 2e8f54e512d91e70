package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/internal/markup"
	"github.com/vendemmia/vendemmia/harvest"
)

// Split is part of harvest.Splitter: the feeds of the OPML list at params.opml,
// in its order, each address once.
func (f *Fetcher) Split(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Element, error] {
	return func(yield func(harvest.Element, error) bool) {
		feeds, err := f.list(ctx, req)
		if err != nil {
			yield(harvest.Element{}, err)
			return
		}
		for _, o := range feeds {
			params, _ := json.Marshal(map[string]string{"url": o.url}) // text only: it cannot fail
			if !yield(harvest.Element{Label: o.title, Params: params}, nil) {
				return
			}
		}
	}
}

func (f *Fetcher) list(ctx context.Context, req harvest.Request) ([]feedLink, error) {
	params, err := harvest.DecodeParams[Params](req.Params)
	if err != nil {
		return nil, err
	}
	if params.OPML == "" {
		return nil, harvest.Errorf(harvest.KindMisconfigured, "read params", "opml", "is required to ask for a list of feeds")
	}
	a, err := f.get(ctx, params.OPML, answer.Validators{})
	if err != nil {
		return nil, err
	}
	feeds, err := parseOPML(repair(a.Body, a.ContentType(), params.Encoding), adapter{base: a.Final})
	if err != nil {
		return nil, &harvest.Error{
			Kind: harvest.KindBroken, Op: "read OPML", On: params.OPML, Err: err,
			Advice: "the last good list is used until it can be read again",
		}
	}
	return feeds, nil
}

// parseOPML reads an OPML list whole or not at all: half a list would look like
// feeds taken away.
func parseOPML(text []byte, a adapter) ([]feedLink, error) {
	if err := markup.Bound(string(text), markup.MaxElements); err != nil {
		return nil, err
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.Entity = false, xml.HTMLEntity
	var feeds []feedLink
	seen, depth, root := map[string]bool{}, 0, ""
	for {
		t, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && !strings.EqualFold(root, "opml"):
			return nil, errors.New("it is not OPML")
		case errors.Is(err, io.EOF) && depth != 0:
			return nil, errors.New("it breaks off before its end")
		case errors.Is(err, io.EOF):
			return feeds, nil
		case err != nil:
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				root = t.Name.Local
			}
			if o := outlineFeed(t, a); o.url != "" && !seen[o.url] {
				seen[o.url] = true
				feeds = append(feeds, o)
			}
		case xml.EndElement:
			depth--
		}
	}
}

// outlineFeed reads <outline xmlUrl="…" title="…">; one that is commented out
// is none.
func outlineFeed(t xml.StartElement, a adapter) feedLink {
	if !strings.EqualFold(t.Name.Local, "outline") {
		return feedLink{}
	}
	v := map[string]string{}
	for _, attr := range t.Attr {
		v[strings.ToLower(attr.Name.Local)] = line(attr.Value)
	}
	if v["iscomment"] == "true" || v["xmlurl"] == "" {
		return feedLink{}
	}
	return feedLink{url: a.absolute(v["xmlurl"]), title: firstOf(v["title"], v["text"])}
}
