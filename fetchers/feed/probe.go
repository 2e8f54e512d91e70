package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// Probe is part of harvest.Prober: it recognises a feed, an OPML list, and a
// page that names its feeds. Anything else is a Finding that is not sure at
// all; only an address that does not answer is an error.
func (f *Fetcher) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	a, err := f.get(ctx, address, answer.Validators{})
	if err != nil {
		return harvest.Finding{}, err
	}
	text := repair(a.Body, a.ContentType(), "")
	if doc, err := parse(text, 0); err == nil {
		return found(doc, a, firstOf(a.Moved, address)), nil
	}
	if feeds, err := parseOPML(text, adapter{base: a.Final}); err == nil && len(feeds) > 0 {
		return harvest.Finding{
			Sure: 90, Detail: fmt.Sprintf("OPML list of %d feeds, for split: {ask: opml}", len(feeds)),
			Params: asParams(map[string]string{"opml": address}),
		}, nil
	}
	return f.probePage(ctx, readPage(text, a))
}

// probePage asks for the first feed a page names, and tells of the others.
func (f *Fetcher) probePage(ctx context.Context, page webPage) (harvest.Finding, error) {
	if len(page.feeds) == 0 {
		return harvest.Finding{Title: page.title, Detail: "no feed, and none named by the page"}, nil
	}
	first := page.feeds[0]
	a, err := f.get(ctx, first.url, answer.Validators{})
	if err != nil {
		return harvest.Finding{}, err
	}
	doc, err := parse(repair(a.Body, a.ContentType(), ""), 0)
	if err != nil {
		return harvest.Finding{Sure: 10, Title: page.title, Detail: "the page names a feed that is none: " + first.url}, nil
	}
	finding := found(doc, a, firstOf(a.Moved, first.url))
	finding.Sure = 80
	if more := page.feeds[1:]; len(more) > 0 {
		var others []string
		for _, o := range more[:min(len(more), 5)] {
			others = append(others, o.url)
		}
		finding.Detail += fmt.Sprintf("; the page names %d more: %s", len(more), strings.Join(others, " "))
	}
	return finding, nil
}

func found(doc document, a answer.Answer, address string) harvest.Finding {
	docs, rejects, _ := adapter{base: a.Final}.documents(doc)
	var last time.Time
	for _, d := range docs {
		if d.Published.After(last) {
			last = d.Published
		}
	}
	detail := []string{strings.TrimSpace(string(doc.Format) + " " + doc.Version), fmt.Sprintf("%d entries", len(doc.records))}
	if len(rejects) > 0 {
		detail = append(detail, fmt.Sprintf("%d cannot be read", len(rejects)))
	}
	newest := ""
	if !last.IsZero() {
		newest = last.Format(time.DateOnly)
		detail = append(detail, "last "+newest)
	}
	params := map[string]string{"url": address}
	if bare(docs) && a.Final != nil {
		params["id_prefix"] = a.Final.Hostname() + ":"
	}
	return harvest.Finding{
		Sure: 100, Title: doc.Title, Detail: strings.Join(detail, " · "), Params: asParams(params),
		Facts: []harvest.Fact{
			{Name: "format", Value: detail[0]},
			{Name: "entries", Value: strconv.Itoa(len(doc.records))},
			{Name: "unreadable", Value: strconv.Itoa(len(rejects))},
			{Name: "newest", Value: newest},
		},
	}
}

// bare reports ids that another feed could use too: neither address nor URN.
func bare(docs []harvest.Document) bool {
	for _, d := range docs {
		if strings.Contains(d.ID, ":") {
			return false
		}
	}
	return len(docs) > 0
}

func asParams(m map[string]string) json.RawMessage {
	b, _ := json.Marshal(m) // text only: it cannot fail
	return b
}
