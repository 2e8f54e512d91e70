package feed

import (
	"cmp"
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
	"github.com/vendemmia/vendemmia/internal/wording"
)

// maxReject bounds the bytes kept of a record that could not be read.
const maxReject = 64 << 10

// adapter turns records into documents.
type adapter struct {
	params Params
	// base is the address the document came from.
	base *url.URL
	// at is where it came from, where that is not base.
	at *url.URL
	// zones counts dates by the name of a time zone that nobody knows.
	zones map[string]int
}

// documents adapts all records. Two with one id are one document: the later
// wins, in its place.
func (a adapter) documents(doc document) (docs []harvest.Document, rejects []harvest.Reject, warnings []string) {
	places, twice := map[string]int{}, 0
	a.zones = map[string]int{}
	for _, raw := range doc.records {
		r, d := record{raw: raw}, harvest.Document{}
		err := harvest.Guard(func() (err error) {
			r = doc.read(raw)
			d, err = a.document(r, doc.channel)
			return err
		})
		if err != nil {
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
		warnings = append(warnings, fmt.Sprintf("time zone %q is not known: %d dates in it are read as UTC, and as they stand in published_raw", wording.Clip(zone, 40), a.zones[zone]))
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

// reject sets a record aside under a name that is the same at every fetch: its own
// id or link where one can be read, else the digest of its bytes.
func reject(r record, err error) harvest.Reject {
	id := firstOf(strings.TrimSpace(r.entry.id), line(r.entry.link), harvest.Digest(r.raw))
	return harvest.Reject{ID: id, Reason: err.Error(), Bytes: r.raw[:min(len(r.raw), maxReject)]}
}

// document adapts one record. The feed's own title, language and authors are
// beside the entry's data but not in its hash: they change for all entries at
// once and mean nothing.
func (a adapter) document(r record, c channel) (harvest.Document, error) {
	if r.err != nil {
		return harvest.Document{}, r.err
	}
	d := harvest.Document{Kind: "entry", Title: heading(r.entry.title), Fields: map[string]any{}}
	d.URL = resolve(a.base, r.entry.bases, line(r.entry.link))
	if d.ID = r.entry.name(d.URL); d.ID == "" {
		return d, errors.New("it has neither id nor link nor title nor text")
	}
	d.ID = a.params.IDPrefix + d.ID
	if err := a.dates(&d, r.entry); err != nil {
		return d, err
	}
	a.body(&d, r.entry)
	a.fields(d.Fields, r.entry)
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

// name is the source's own id, else the link, else made of title and date, or of
// all that the entry says.
func (n entry) name(link string) string {
	if id := firstOf(strings.TrimSpace(n.id), link); id != "" {
		return id
	}
	title, date := heading(n.title), firstOf(n.published...)
	text := title + "\n" + date
	if title == "" || date == "" {
		said := strings.TrimSpace(n.title + n.content.text + n.summary.text + string(n.content.data))
		for _, e := range n.enclosures {
			said += e.url
		}
		if said += n.image; said == "" {
			return ""
		}
		if said != n.title {
			text = title + "\n" + said
		}
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:16])
}

// absolute is an address to be asked for.
func (a adapter) absolute(address string) string { return resolve(cmp.Or(a.at, a.base), nil, address) }

// dates sets when the entry was published and updated. Where dates are there and
// none can be read, it is an error, or they are kept as they are when the params
// say so. One in a zone that nobody knows is read as UTC, and both are said.
func (a adapter) dates(d *harvest.Document, n entry) error {
	at, text, ok := firstDate(n.published)
	switch {
	case ok && at.Unknown != "":
		a.zones[at.Unknown]++
		d.Fields["published_raw"] = text
	case !ok && text != "":
		if a.params.BadDates != "keep" {
			return fmt.Errorf("date %q", wording.Clip(text, 100))
		}
		d.Fields["published_raw"] = text
	}
	d.Published = at.At
	if at, updated, ok := firstDate(n.updated); ok && at.Unknown == "" {
		if !at.At.Equal(d.Published) {
			d.Fields["updated"] = at.At.Format(time.RFC3339)
		}
	} else if updated != text {
		put(d.Fields, "updated", updated)
	}
	return nil
}

// firstDate returns the first date that can be read, and its text; where none can,
// the first text.
func firstDate(texts []string) (dates.Date, string, bool) {
	for _, text := range texts {
		if at, ok := dates.Read(text); ok {
			return at, text, true
		}
	}
	return dates.Date{}, firstOf(texts...), false
}
