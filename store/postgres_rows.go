package store

import "cmp"

type moveRow struct {
	checkpointMove
	to int64
}

func compareSpots(a, b moveRow) int {
	return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.lane, b.lane))
}

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

type closedRow struct {
	place
	outcome, why string
	at           int64
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

// noteRow is what a run's item becomes.
type noteRow struct {
	place
	h   *heldItem
	end *itemEnd
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

// endRow is what an item keeps across runs.
type endRow struct {
	item int64
	ending
	told
}

func compareItems(a, b endRow) int { return cmp.Compare(a.item, b.item) }

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
