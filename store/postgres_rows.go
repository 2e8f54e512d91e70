package store

import (
	"cmp"
)

func compareSpots(a, b moveRow) int {
	return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.lane, b.lane))
}

func compareItems(a, b endRow) int { return cmp.Compare(a.item, b.item) }

func moveColumns() []column[moveRow] {
	return []column[moveRow]{
		integers("item", func(m *moveRow) int64 { return m.item }),
		texts("lane", func(m *moveRow) string { return m.lane }),
		integers("was", func(m *moveRow) int64 { return m.from }),
		integers("version", func(m *moveRow) int64 { return m.to }),
		texts("value", func(m *moveRow) string { return m.value }),
		texts("params", func(m *moveRow) string { return m.params }),
		texts("extraction", func(m *moveRow) string { return m.extraction }),
		integers("updated_at", func(m *moveRow) int64 { return m.at }),
		integers("run", func(m *moveRow) int64 { return m.run }),
	}
}

func closedColumns() []column[closedRow] {
	return []column[closedRow]{
		integers("run", func(c *closedRow) int64 { return c.run }),
		integers("ord", func(c *closedRow) int64 { return c.ord }),
		texts("outcome", func(c *closedRow) string { return c.outcome }),
		texts("why", func(c *closedRow) string { return c.why }),
		integers("at", func(c *closedRow) int64 { return c.at }),
	}
}

func placeColumns() []column[noteRow] {
	return []column[noteRow]{
		integers("run", func(n *noteRow) int64 { return n.run }),
		integers("ord", func(n *noteRow) int64 { return n.ord }),
	}
}

func counterColumns() []column[noteRow] {
	count := func(name string, of func(*heldItem) int) column[noteRow] {
		return integers(name, func(n *noteRow) int64 { return int64(of(n.h)) })
	}
	return []column[noteRow]{
		count("seq", func(h *heldItem) int { return h.seq }),
		texts("page", func(n *noteRow) string { return n.h.page }),
		integers("done", func(n *noteRow) int64 { return n.h.done }),
		integers("total", func(n *noteRow) int64 { return n.h.total }),
		count("listed", func(h *heldItem) int { return h.tally.Listed }),
		count("new", func(h *heldItem) int { return h.tally.New }),
		count("changed", func(h *heldItem) int { return h.tally.Changed }),
		count("same", func(h *heldItem) int { return h.tally.Same }),
		count("deleted", func(h *heldItem) int { return h.tally.Deleted }),
		count("quarantined", func(h *heldItem) int { return h.tally.Quarantined }),
		count("asked", func(h *heldItem) int { return h.tally.Asked }),
		integers("bytes", func(n *noteRow) int64 { return n.h.tally.Bytes }),
		integers("not_modified", func(n *noteRow) int64 { return number01(n.h.tally.NotModified) }),
		integers("partial", func(n *noteRow) int64 { return number01(n.h.tally.Partial) }),
		integers("live", func(n *noteRow) int64 { return n.h.live }),
		texts("warnings", func(n *noteRow) string { return n.h.warnings }),
	}
}

func endColumns() []column[noteRow] {
	return []column[noteRow]{
		texts("state", func(n *noteRow) string { return string(n.end.state) }),
		texts("outcome", func(n *noteRow) string { return string(n.end.outcome) }),
		texts("why", func(n *noteRow) string { return n.end.why }),
		texts("kind", func(n *noteRow) string { return string(n.end.kind) }),
		texts("error", func(n *noteRow) string { return n.end.err }),
		integers("not_before", func(n *noteRow) int64 { return n.end.notBefore }),
		integers("attempts", func(n *noteRow) int64 { return int64(n.end.attempts) }),
		integers("throttles", func(n *noteRow) int64 { return int64(n.end.throttles) }),
		integers("closed_at", func(n *noteRow) int64 { return n.end.closedAt }),
	}
}

func packColumns() []column[pack] {
	return []column[pack]{
		integers("id", func(p *pack) int64 { return p.id }),
		integers("live", func(p *pack) int64 { return int64(p.used) }),
		bytesOf("content", func(p *pack) []byte { return p.content }),
	}
}

func ledgerColumns() []column[exchangeRow] {
	return []column[exchangeRow]{
		integers("run", func(x *exchangeRow) int64 { return x.run }),
		integers("ord", func(x *exchangeRow) int64 { return x.ord }),
		integers("seq", func(x *exchangeRow) int64 { return int64(x.seq) }),
		integers("attempt", func(x *exchangeRow) int64 { return int64(x.attempt) }),
		integers("item", func(x *exchangeRow) int64 { return x.item }),
		integers("at", func(x *exchangeRow) int64 { return micros(x.At) }),
		integers("status", func(x *exchangeRow) int64 { return int64(x.Status) }),
		integers("bytes", func(x *exchangeRow) int64 { return x.Bytes }),
		integers("took", func(x *exchangeRow) int64 { return x.Took.Microseconds() }),
		integers("waited", func(x *exchangeRow) int64 { return x.Waited.Microseconds() }),
		integers("retry_after", func(x *exchangeRow) int64 { return x.RetryAfter.Microseconds() }),
		texts("method", func(x *exchangeRow) string { return x.Method }),
		texts("url", func(x *exchangeRow) string { return x.URL }),
		texts("host", func(x *exchangeRow) string { return x.Host }),
		texts("kind", func(x *exchangeRow) string { return string(x.Kind) }),
		texts("error", func(x *exchangeRow) string { return x.Error }),
		texts("raw", func(x *exchangeRow) string { return x.Raw }),
		texts("note", func(x *exchangeRow) string { return x.Note }),
		texts("worker", func(x *exchangeRow) string { return x.worker }),
	}
}

func rejectColumns() []column[rejectRow] {
	return []column[rejectRow]{
		integers("item", func(r *rejectRow) int64 { return r.item }),
		integers("run", func(r *rejectRow) int64 { return r.run }),
		integers("seq", func(r *rejectRow) int64 { return int64(r.seq) }),
		integers("at", func(r *rejectRow) int64 { return r.at }),
		texts("kind", func(r *rejectRow) string { return string(r.kind) }),
		texts("record", func(r *rejectRow) string { return r.ID }),
		texts("reason", func(r *rejectRow) string { return r.Reason }),
		integers("size", func(r *rejectRow) int64 { return int64(len(r.Bytes)) }),
		bytesOf("bytes", func(r *rejectRow) []byte { return r.Bytes[:min(len(r.Bytes), maxRejectBytes)] }),
	}
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
		texts("fields", func(v *versionRow) string { return v.d.fields }),
		bytesOf("body", func(v *versionRow) []byte { return v.d.body }),
	}
}

func itemColumns(number numbering) []column[endRow] {
	return []column[endRow]{
		integers("item", func(e *endRow) int64 { return e.item }),
		integers("tells", func(e *endRow) int64 { return number01(e.tells) }),
		texts("outcome", func(e *endRow) string { return string(e.outcome) }),
		texts("kind", func(e *endRow) string { return string(e.kind) }),
		texts("why", func(e *endRow) string { return e.why }),
		integers("severity", func(e *endRow) int64 { return int64(e.severity) }),
		integers("run", func(e *endRow) int64 { return e.run }),
		integers("at", func(e *endRow) int64 { return e.ending.at }),
		integers("good", func(e *endRow) int64 { return e.good }),
		integers("brought", func(e *endRow) int64 { return e.brought }),
		integers("listed", func(e *endRow) int64 { return int64(e.listed) }),
		integers("live", func(e *endRow) int64 { return e.live }),
		changes("first", func(e *endRow) int64 { return number(e.changes.begin()) }),
		changes("last", func(e *endRow) int64 { return number(e.changes.end()) }),
	}
}

// claimColumns name the claims of a round.
func claimColumns() []column[*claiming] {
	return []column[*claiming]{
		integers("run", func(c **claiming) int64 { return (*c).Run }),
		integers("lo", func(c **claiming) int64 { return (*c).Lo }),
		integers("hi", func(c **claiming) int64 { return (*c).Hi }),
		integers("epoch", func(c **claiming) int64 { return (*c).Epoch }),
		integers("now", func(c **claiming) int64 { return micros((*c).Now) }),
		integers("most", func(c **claiming) int64 { return int64((*c).choose().limit) }),
		texts("worker", func(c **claiming) string { return (*c).Worker }),
		texts("lane", func(c **claiming) string { return (*c).run.lane }),
	}
}

// listingRow is a line of listings.
type listingRow struct {
	listing
	pass int64
}

func compareListings(a, b listingRow) int {
	return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.collection, b.collection), cmp.Compare(a.id, b.id))
}

func listingColumns() []column[listingRow] {
	return []column[listingRow]{
		integers("item", func(l *listingRow) int64 { return l.item }),
		texts("collection", func(l *listingRow) string { return l.collection }),
		texts("id", func(l *listingRow) string { return l.id }),
		integers("pass", func(l *listingRow) int64 { return l.pass }),
	}
}

func sightColumns() []column[sighting] {
	return []column[sighting]{
		integers("item", func(s *sighting) int64 { return s.item }),
		integers("pass", func(s *sighting) int64 { return s.pass }),
		integers("run", func(s *sighting) int64 { return s.run }),
		integers("unlisted", func(s *sighting) int64 { return s.unlisted }),
		texts("doubts", func(s *sighting) string { return s.doubts }),
	}
}

func passColumnsOf() []column[passEnd] {
	return []column[passEnd]{
		integers("item", func(e *passEnd) int64 { return e.item }),
		integers("pass", func(e *passEnd) int64 { return e.pass }),
		integers("at", func(e *passEnd) int64 { return e.at }),
		texts("void", func(e *passEnd) string { return e.void }),
	}
}
