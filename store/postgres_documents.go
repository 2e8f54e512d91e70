package store

// docRow is a document that changes: what it was before this transaction, and
// what it is after it.
type docRow struct {
	name     docName
	was, now *docState
}

func documentColumns(number numbering) []column[docRow] {
	return []column[docRow]{
		texts("collection", func(d *docRow) string { return d.name.collection }),
		texts("id", func(d *docRow) string { return d.name.id }),
		integers("was", func(d *docRow) int64 {
			if d.was == nil {
				return 0
			}
			return d.was.number
		}),
		changes("number", func(d *docRow) int64 { return number(d.now.number) }),
		integers("version", func(d *docRow) int64 { return int64(d.now.version) }),
		smalls("deleted", func(d *docRow) int16 { return int16(number01(d.now.deleted)) }),
		integers("item", func(d *docRow) int64 { return d.now.item }),
		integers("first_seen", func(d *docRow) int64 { return d.now.firstSeen }),
		bytesOf("hash", func(d *docRow) []byte { return d.now.hash }),
	}
}

func versionColumnsFrom(number numbering) []column[versionRow] {
	return []column[versionRow]{
		changes("number", func(v *versionRow) int64 { return number(v.now.number) }),
		integers("item", func(v *versionRow) int64 { return v.item }),
		integers("run", func(v *versionRow) int64 { return v.run }),
		integers("at", func(v *versionRow) int64 { return v.at }),
		smalls("op", func(v *versionRow) int16 { return int16(v.op) }),
		integers("version", func(v *versionRow) int64 { return int64(v.now.version) }),
		changes("before", func(v *versionRow) int64 { return number(v.before) }),
		integers("first_seen", func(v *versionRow) int64 { return v.now.firstSeen }),
		maybes("published", func(v *versionRow) any { return v.d.published }),
		integers("size", func(v *versionRow) int64 { return v.d.size }),
		integers("pack", func(v *versionRow) int64 { return v.pack }),
		integers("pack_at", func(v *versionRow) int64 { return int64(v.d.packAt) }),
		texts("collection", func(v *versionRow) string { return v.d.name.collection }),
		texts("id", func(v *versionRow) string { return v.d.name.id }),
		texts("kind", func(v *versionRow) string { return v.d.Kind }),
		texts("url", func(v *versionRow) string { return v.d.URL }),
		texts("title", func(v *versionRow) string { return v.d.Title }),
		texts("parent", func(v *versionRow) string { return v.d.Parent }),
		texts("media_type", func(v *versionRow) string { return v.d.MediaType }),
		bytesOf("hash", func(v *versionRow) []byte { return v.d.hash }),
		texts("body_ref", func(v *versionRow) string { return v.d.bodyRef }),
		texts("fields", func(v *versionRow) string { fields, _ := v.d.row(); return fields }),
		integers("fields_size", func(v *versionRow) int64 { _, packed := v.d.row(); return int64(packed) }),
		bytesOf("body", func(v *versionRow) []byte { return v.d.body }),
		integers("sums", func(v *versionRow) int64 { return v.sums }),
	}
}
