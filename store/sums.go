package store

import (
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func bodySum(content []byte) uint32 { return crc32.Checksum(content, castagnoli) }

// said is what a version says, without its body. The collection and the names of
// the item are left out: they may be changed.
type said struct {
	op, version, size, packAt       int64
	at, firstSeen                   int64
	published                       *int64
	id, kind, url, title, parent    string
	mediaType, hash, bodyRef, field string
}

func (s *said) sum() uint32 {
	b := make([]byte, 0, 256+len(s.field))
	for _, n := range [...]int64{s.op, s.version, s.size, s.packAt, s.at, s.firstSeen} {
		b = append(strconv.AppendInt(b, n, 10), ' ')
	}
	if s.published != nil {
		b = strconv.AppendInt(b, *s.published, 10)
	}
	for _, t := range [...]string{s.id, s.kind, s.url, s.title, s.parent, s.mediaType, s.hash, s.bodyRef, s.field} {
		b = append(append(strconv.AppendInt(append(b, ' '), int64(len(t)), 10), ':'), t...)
	}
	return bodySum(b)
}

// sumsOf are the sums of a version on its way.
func sumsOf(v *versionRow) int64 {
	d, now := v.d, v.now
	s := said{
		op: int64(v.op), version: int64(now.version), size: d.size, packAt: int64(d.packAt), at: v.at, firstSeen: now.firstSeen,
		id: d.name.id, kind: d.Kind, url: d.URL, title: d.Title, parent: d.Parent, mediaType: d.MediaType, hash: string(d.hash), bodyRef: d.bodyRef, field: d.fields,
	}
	if at, ok := d.published.(int64); ok {
		s.published = &at
	}
	return int64(uint64(s.sum())<<32 | uint64(d.bodySum))
}

func damaged(what string) error { return fmt.Errorf("%s: %w", what, rows.ErrDamaged) }
