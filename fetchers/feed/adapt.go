package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/dates"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxReject bounds the bytes kept of a record that could not be read.
const maxReject = 64 << 10

// adapter turns records into documents.
type adapter struct {
	params Params
	// base is the address the document came from.
	base *url.URL
	// zones counts dates by the name of a time zone that nobody knows.
	zones map[string]int
}

// documents adapts all records. Two with one id are one document: the later
// wins, in its place.
func (a adapter) documents(doc document) (docs []harvest.Document, rejects []harvest.Reject, warnings []string) {
	places, twice := map[string]int{}, 0
	a.zones = map[string]int{}
	for _, r := range doc.records {
		var d harvest.Document
		if err := harvest.Guard(func() (err error) { d, err = a.document(r, doc.channel); return err }); err != nil {
			rejects = append(rejects, reject(r, err))
			continue
		}
		if i, ok := places[d.ID]; ok {
			docs[i].ID, twice = "", twice+1
		}
		places[d.ID] = len(docs)
		docs = append(docs, d)
	}
	if twice > 0 {
		docs, warnings = named(docs), []string{fmt.Sprintf("ids listed twice: %d; of each the later entry is kept", twice)}
	}
	for _, zone := range slices.Sorted(maps.Keys(a.zones)) {
		warnings = append(warnings, fmt.Sprintf("time zone %q is not known: %d dates in it are read as UTC, and as they stand in published_raw", clip(zone, 40), a.zones[zone]))
	}
	return append(docs, a.tombstones(doc.channel, places)...), rejects, warnings
}

// tombstones are the entries that the feed takes back and does not list.
func (a adapter) tombstones(c channel, listed map[string]int) []harvest.Document {
	var docs []harvest.Document
	for _, ref := range slices.Sorted(maps.Keys(c.Deleted)) {
		id := a.params.IDPrefix + ref
		if _, ok := listed[id]; ok {
			continue
		}
		at, _ := dates.Read(c.Deleted[ref]) // without a readable date it is gone all the same
		docs = append(docs, harvest.Document{ID: id, Kind: "entry", Deleted: true, Published: at.At})
	}
	return docs
}

func named(docs []harvest.Document) []harvest.Document {
	kept := docs[:0]
	for _, d := range docs {
		if d.ID != "" {
			kept = append(kept, d)
		}
	}
	return kept
}

func reject(r record, err error) harvest.Reject {
	out := harvest.Reject{Reason: err.Error(), Bytes: r.raw[:min(len(r.raw), maxReject)]}
	if r.item != nil {
		out.ID = firstOf(line(r.item.GUID), line(r.item.Link))
	}
	return out
}

// document adapts one record. The feed's own title, language and authors are
// beside the entry's data but not in its hash: they change for all entries at
// once and mean nothing.
func (a adapter) document(r record, c channel) (harvest.Document, error) {
	if r.err != nil {
		return harvest.Document{}, r.err
	}
	d := harvest.Document{Kind: "entry", Title: heading(r.item.Title), Fields: map[string]any{}}
	d.URL = a.absolute(r.link())
	if d.ID = r.id(d.URL); d.ID == "" {
		return d, errors.New("it has neither id nor link nor title")
	}
	d.ID = a.params.IDPrefix + d.ID
	if err := a.dates(&d, r); err != nil {
		return d, err
	}
	a.body(&d, r)
	a.fields(d.Fields, r)
	d.Hash = d.Sum()
	ofFeed(d.Fields, c)
	return d, nil
}

func ofFeed(fields map[string]any, c channel) {
	put(fields, "feed_title", c.Title)
	if fields["language"] == nil {
		put(fields, "language", c.Language)
	}
	if _, ok := fields["authors"]; !ok && len(c.Authors) > 0 {
		fields["authors"] = texts(c.Authors)
	}
}

// id is the source's own, else the link, else made of title and date.
func (r record) id(link string) string {
	if id := firstOf(line(r.item.GUID), link); id != "" {
		return id
	}
	title := heading(r.item.Title)
	if title == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(title + "\n" + line(firstOf(r.item.Published, r.item.Updated))))
	return "sha256:" + hex.EncodeToString(sum[:16])
}

// link is where the entry is to be read. A guid is one unless it says no.
func (r record) link() string {
	link := line(r.item.Link)
	switch {
	case link != "":
	case r.rss != nil && r.rss.GUID != nil && !strings.EqualFold(r.rss.GUID.IsPermalink, "false") && isHTTP(r.rss.GUID.Value):
		link = line(r.rss.GUID.Value)
	case r.rss != nil:
		link = atomLink(r)
	case r.json != nil:
		link = line(r.json.ExternalURL)
	case r.atom != nil && isHTTP(r.atom.ID):
		link = line(r.atom.ID)
	}
	return link
}

// atomLink finds an Atom link within an RSS item.
func atomLink(r record) string {
	for _, l := range r.rss.Extensions["atom"]["link"] {
		if rel := l.Attrs["rel"]; rel == "" || rel == "alternate" {
			return line(l.Attrs["href"])
		}
	}
	return ""
}

func isHTTP(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

func (a adapter) absolute(link string) string {
	u, err := url.Parse(link)
	if link == "" || err != nil || u.IsAbs() || a.base == nil {
		return link
	}
	return a.base.ResolveReference(u).String()
}

// dates sets when the entry was published and updated. A date that is there and
// cannot be read is an error, or kept as it is when the params say so. One in a
// zone that nobody knows is read as UTC, and both are said.
func (a adapter) dates(d *harvest.Document, r record) error {
	published, updated := line(r.item.Published), line(r.item.Updated)
	at, ok := dates.Read(published)
	switch {
	case at.Unknown != "":
		a.zones[at.Unknown]++
		d.Fields["published_raw"] = published
	case !ok && published != "":
		if a.params.BadDates != "keep" {
			return fmt.Errorf("date %q", clip(published, 100))
		}
		d.Fields["published_raw"] = published
	}
	d.Published = at.At
	if updated == "" || updated == published {
		return nil
	}
	if at, ok := dates.Read(updated); ok && at.Unknown == "" {
		updated = at.At.Format(time.RFC3339)
	}
	d.Fields["updated"] = updated
	return nil
}
