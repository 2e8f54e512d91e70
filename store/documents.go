package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// pageRows is how many rows an iterator reads at a time. No transaction is open
// while the consumer looks at them.
const pageRows = 500

// versionColumns are a version's own; without the body, which may be long.
const versionColumns = `v.number, v.op, v.at, v.version, v.first_seen, v.published, v.size, v.pack, v.pack_at, v.collection, v.id, v.kind, v.url, v.title, v.parent,
	v.media_type, v.hash, v.body_ref, v.fields, v.fields_size, v.sums, coalesce(i.campaign, ''), coalesce(i.entry, ''), coalesce(i.key, ''), coalesce(i.fetcher, ''), coalesce(r.workflow_id, '')`

// Which table is read first is said by the order of CROSS JOIN: by number when
// many are wanted in that order, by name when one is.
const (
	versionNames = ` LEFT JOIN items i ON i.id = v.item LEFT JOIN runs r ON r.id = v.run`
	fromVersions = ` FROM versions v` + versionNames
	byNumber     = ` FROM versions v CROSS JOIN documents d` + versionNames
	byName       = ` FROM documents d CROSS JOIN versions v` + versionNames
	current      = `d.collection = v.collection AND d.id = v.id AND d.number = v.number`
)

// version is a row of versions as it was read.
type version struct {
	rows.Change
	pack   int64
	packed int // bytes of fields in the pack
	sums   int64
	said   said
	body   []byte
}

func scanVersionRow(bodies bool) func(scanner) (version, error) {
	return func(s scanner) (version, error) {
		var v version
		d, l := &v.Document, &v.Document.Line
		var op int
		var at, firstSeen int64
		var published *int64
		var hash []byte
		as := &v.said
		into := []any{
			&v.Number, &op, &at, &d.Version, &firstSeen, &published, &d.Size, &v.pack, &as.packAt, &d.Collection, &l.ID, &l.Kind, &l.URL, &l.Title, &l.Parent,
			&l.MediaType, &hash, &l.BodyRef, &as.field, &v.packed, &v.sums, &d.Campaign, &d.Entry, &d.Key, &l.Fetcher, &d.Run,
		}
		if bodies {
			into = append(into, &v.body)
		}
		if err := s.Scan(into...); err != nil {
			return v, err
		}
		if op < opNew || op > opDeleted {
			return v, v.damaged()
		}
		as.op, as.version, as.size, as.at, as.firstSeen, as.published = int64(op), int64(d.Version), d.Size, at, firstSeen, published
		as.id, as.kind, as.url, as.title, as.parent, as.mediaType, as.hash, as.bodyRef = l.ID, l.Kind, l.URL, l.Title, l.Parent, l.MediaType, string(hash), l.BodyRef
		v.Op, v.At, d.ChangedAt, d.FirstSeen, d.Change = opWord(op), moment(at), moment(at), moment(firstSeen), v.Number
		l.Deleted, l.Hash = op == opDeleted, unpackHash(hash)
		if published != nil {
			l.Published = time.UnixMicro(*published).UTC()
		}
		return v, nil
	}
}

func (v *version) damaged() error {
	return damaged(fmt.Sprintf("change %d (document %s / %s)", v.Number, v.Document.Collection, v.Document.Line.ID))
}

// fields puts the stored fields into the line, once all that the version says is as
// it was written.
func (v *version) fields(u *unpacker) error {
	if v.packed > 0 {
		b, err := u.part(v.pack, int(v.said.packAt), v.packed)
		if err != nil {
			return err
		}
		v.said.field = string(b)
	}
	if v.sums != 0 && v.said.sum() != uint32(uint64(v.sums)>>32) {
		return v.damaged()
	}
	if v.said.field == "" {
		return nil
	}
	return readFields(v.said.field, &v.Document.Line.Fields)
}

// readFields reads fields as JSON has them. A number that fits no float64 stays the
// text that it is: one of those must not keep a whole list from being read.
func readFields(stored string, into *map[string]any) error {
	err := json.Unmarshal([]byte(stored), into)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); !ok {
		return err
	}
	d := json.NewDecoder(strings.NewReader(stored))
	d.UseNumber()
	*into = nil
	return d.Decode(into)
}

// body puts the stored body into the line. What is not text stays a blob:
// a line of JSON cannot hold it.
func (s *Store) body(ctx context.Context, v *version, u *unpacker) (err error) {
	content := v.body
	switch {
	case v.Document.Line.BodyRef != "":
		content, err = s.blob(ctx, v.Document.Line.BodyRef, v.Document.Size)
	case v.pack != 0:
		content, err = u.part(v.pack, int(v.said.packAt)+v.packed, int(v.Document.Size))
	}
	if err == nil && v.Document.Line.BodyRef == "" && v.sums != 0 && bodySum(content) != uint32(v.sums) {
		err = rows.ErrDamaged
	}
	if err != nil {
		return fmt.Errorf("body of %s / %s: %w", v.Document.Collection, v.Document.Line.ID, err)
	}
	if utf8.Valid(content) {
		v.Document.Line.Body = string(content)
	}
	return nil
}

// blob reads a body that has so many bytes, or one more where it is another.
func (s *Store) blob(ctx context.Context, digest string, size int64) (content []byte, err error) {
	r, err := s.Blob(ctx, digest)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	content, err = io.ReadAll(io.LimitReader(r, size+1))
	if err == nil && int64(len(content)) != size {
		err = rows.ErrDamaged
	}
	return content, err
}

// versions reads a page of versions, with bodies when asked for; tail begins
// with FROM.
func (s *Store) versions(ctx context.Context, bodies bool, tail string, args ...any) ([]version, error) {
	columns := versionColumns
	if bodies {
		columns += `, v.body`
	}
	list, err := collect(s.reader(ctx), scanVersionRow(bodies), `SELECT `+columns+tail, args...)
	u := &unpacker{q: s.reader(ctx), codec: s.codec}
	for i := range list {
		if err == nil {
			err = list[i].fields(u)
		}
		if err == nil && bodies {
			err = s.body(ctx, &list[i], u)
		}
	}
	return list, err
}

func documentWhere(f rows.DocumentFilter) where {
	w := where{}
	w.add(current)
	w.text("v.collection", f.Collection)
	w.text("v.kind", f.Kind)
	w.text("v.id", f.ID)
	w.ofItems("v.item", f.Campaign, f.Entry, f.Key)
	w.since("v.at", f.Since)
	w.before("v.at", f.Until)
	if f.Campaigns != nil {
		of := where{}
		of.oneOf("campaign", f.Campaigns)
		w.add("v.item IN (SELECT id FROM items"+of.sql()+")", of.args...)
	}
	if f.Deleted != nil {
		w.add("d.deleted = ?", *f.Deleted)
	}
	return w
}

// Documents yields current documents, the last changed first. The sequence may
// be read slowly and ended at any moment; a document that changes meanwhile may
// be left out, because it is then in front of where the reader is.
func (s *Store) Documents(ctx context.Context, f rows.DocumentFilter) iter.Seq2[rows.Document, error] {
	read := func(before int64, limit int) ([]version, error) {
		w := documentWhere(f)
		if err := s.within(ctx, &w, f.Campaign, f.Entry, f.Key); err != nil {
			return nil, fault("list documents", f.Collection, err)
		}
		w.add("v.number < ?", before)
		from := byNumber
		if f.ID != "" {
			from = byName
		}
		list, err := s.versions(ctx, f.Bodies, from+w.sql()+` ORDER BY v.number DESC LIMIT ?`, append(w.args, limit)...)
		return list, fault("list documents", f.Collection, err)
	}
	list := func(yield func(rows.Document, error) bool) {
		pages(1<<62, f.Limit, read, func(v version) int64 { return v.Number },
			func(v version, err error) bool { return yield(v.Document, err) })
	}
	if f.Whole && f.Limit == 0 {
		return s.wholeDocuments(ctx, f, list)
	}
	return list
}

// within bounds a search among versions by what is known of the items it is
// about.
func (s *Store) within(ctx context.Context, w *where, campaign, entry, key string) error {
	if campaign == "" && entry == "" && key == "" {
		return nil
	}
	about := itemsNamed(campaign, entry, key)
	about.add("last_change > 0")
	var first, last int64
	err := scanOne(s.reader(ctx), []any{&first, &last}, `SELECT coalesce(min(first_change), 0), coalesce(max(last_change), 0) FROM items`+about.sql(), about.args...)
	w.add("v.number BETWEEN ? AND ?", first, last)
	return err
}

// pages yields what read returns, page after page, each beginning after the key
// of the last row.
func pages[T any](from int64, limit int, read func(key int64, limit int) ([]T, error), key func(T) int64, yield func(T, error) bool) {
	left, way := limited(limit), 0
	for left > 0 {
		n := int(min(left, pageRows))
		list, err := read(from, n)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, one := range list {
			next := cmp.Compare(key(one), from)
			if next == 0 || way != 0 && next != way { // it would go on for ever
				var none T
				yield(none, damaged(fmt.Sprintf("row %d comes after row %d", key(one), from)))
				return
			}
			if !yield(one, nil) {
				return
			}
			from, way = key(one), next
		}
		if len(list) < n {
			return
		}
		left -= int64(n)
	}
}

// Document returns a document with its body, or rows.ErrNotFound. One that was
// deleted is returned as a tombstone.
func (s *Store) Document(ctx context.Context, collection, id string) (rows.Document, error) {
	if id == "" { // as a filter it would fit any
		return rows.Document{}, notFound("document %s / %s", collection, id)
	}
	for d, err := range s.Documents(ctx, rows.DocumentFilter{Collection: collection, ID: id, Bodies: true, Limit: 1}) {
		return d, err
	}
	return rows.Document{}, notFound("document %s / %s", collection, id)
}

// History yields all kept versions of a document, the newest first.
func (s *Store) History(ctx context.Context, collection, id string, bodies bool) ([]rows.Change, error) {
	list, err := s.versions(ctx, bodies, fromVersions+` JOIN (WITH RECURSIVE line(number) AS (
			SELECT number FROM documents WHERE collection = ? AND id = ?
			UNION ALL SELECT o.before FROM versions o JOIN line ON o.number = line.number WHERE o.before > 0)
		SELECT number FROM line) line ON line.number = v.number ORDER BY v.number DESC`, collection, id)
	changes := make([]rows.Change, len(list))
	for i := range list {
		changes[i] = list[i].Change
	}
	return changes, fault("read history", collection+" / "+id, err)
}

// groupings are what CountDocuments can count by.
func groupings() []string {
	return []string{"collection", "campaign", "kind", "item", "day", "week", "month"}
}

// grouping is the SQL of one of them; days are of UTC, by the last change.
func (s *Store) grouping(by string) (string, error) {
	switch by {
	case "":
		return "''", nil
	case "collection", "kind":
		return "v." + by, nil
	case "campaign":
		return "i.campaign", nil
	case "item":
		return "i.campaign || ' / ' || i.entry || ' / ' || i.key", nil
	case "day", "week", "month":
		return s.engine.calendar("v.at", by), nil
	}
	return "", refuse("count documents", "by "+by, `count by `+strings.Join(groupings(), ", ")+` or ""`, "there is no such grouping")
}

// CountDocuments counts current documents by one of groupings: "item" is "campaign
// / entry / key", "week" is "2026-W18". Deleted ones count only when the filter
// asks for them.
func (s *Store) CountDocuments(ctx context.Context, f rows.DocumentFilter, by string) (map[string]int64, error) {
	list, err := s.CountGroups(ctx, f, by)
	counts := make(map[string]int64, len(list))
	for _, g := range list {
		counts[g.Names[0]] = g.Documents
	}
	return counts, err
}

// CountGroups is CountDocuments by several groupings at once, in their order.
func (s *Store) CountGroups(ctx context.Context, f rows.DocumentFilter, by ...string) ([]rows.Group, error) {
	if f.Deleted == nil {
		no := false
		f.Deleted = &no
	}
	columns, places := make([]string, len(by)), make([]string, len(by))
	for i, name := range by {
		column, err := s.grouping(name)
		if err != nil {
			return nil, err
		}
		columns[i], places[i] = `coalesce(`+column+`, '')`, strconv.Itoa(i+1)
	}
	w := documentWhere(f)
	if err := s.within(ctx, &w, f.Campaign, f.Entry, f.Key); err != nil {
		return nil, fault("count documents", f.Collection, err)
	}
	at := strings.Join(places, ", ")
	list, err := collect(s.reader(ctx), func(sc scanner) (rows.Group, error) {
		g := rows.Group{Names: make([]string, len(by))}
		into := make([]any, len(by), len(by)+1)
		for i := range by {
			into[i] = &g.Names[i]
		}
		return g, sc.Scan(append(into, &g.Documents)...)
	}, `SELECT `+strings.Join(columns, ", ")+`, count(*) `+byName+w.sql()+` GROUP BY `+at+` ORDER BY `+at, w.args...)
	return list, fault("count documents", f.Collection, err)
}
