package store

import (
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// Bounds of what is kept of an unreadable record.
const (
	maxRejectBytes = 64 << 10
	maxName        = 200
	maxPlace       = 4 << 10
)

// isOpen selects what nobody has accepted and nothing has resolved.
const isOpen = `accepted = 0 AND resolved = 0`

// nameOf is what a record is recognised by within its item. An id that is too
// long for an index is known by its digest.
func nameOf(id string) string {
	if id = clean(id); len(id) > maxName {
		return harvest.Digest([]byte(id))
	}
	return id
}

// nameOfReject falls back on the record's bytes, and then on the reason.
func nameOfReject(r harvest.Reject) string {
	switch {
	case r.ID != "":
		return nameOf(r.ID)
	case len(r.Bytes) > 0:
		return harvest.Digest(r.Bytes)
	default:
		return harvest.Digest([]byte(r.Reason))
	}
}

// quarantine keeps the records of a page that could not be read, resolves those
// that were, and returns what is unread then.
func (b *batchWriter) quarantine(j *job, h *heldItem, lane string) (rows.Unread, error) {
	if h.quarantined == 0 && (j.Page == nil || len(j.Page.Page.Rejects) == 0) {
		return rows.Unread{}, nil
	}
	if err := b.sink.lockQuarantine(h.item); err != nil {
		return rows.Unread{}, err
	}
	if j.Page != nil {
		if err := b.reject(j, h, lane); err != nil {
			return rows.Unread{}, err
		}
		if err := b.resolve(j, h); err != nil {
			return rows.Unread{}, err
		}
	}
	if err := b.resolveUnlisted(j, h, lane); err != nil {
		return rows.Unread{}, err
	}
	return unreadOf(b.sink.tx(), h.item, lane, j.Run)
}

// reject keeps each record of the page once: the last one of a name counts.
func (b *batchWriter) reject(j *job, h *heldItem, lane string) error {
	list := j.Page.Page.Rejects
	last := make(map[string]int, len(list))
	for i := range list {
		last[nameOfReject(list[i])] = i
	}
	var put []rejectRow
	for i, r := range list {
		if name := nameOfReject(r); last[name] == i {
			put = append(put, rejectRow{
				item: h.item, run: j.Run, lane: lane, name: name, at: micros(j.At), seq: j.Page.Seq, kind: harvest.KindBadRecord, Reject: r,
			})
		}
	}
	if len(put) == 0 {
		return nil
	}
	h.requarantined = true
	return b.sink.quarantine(put)
}

// resolve ends the quarantine of records that this page brings, or has no more.
func (b *batchWriter) resolve(j *job, h *heldItem) error {
	names := make([]string, 0, len(j.documents)+len(j.Page.Page.Resolved))
	for i := range j.documents {
		names = append(names, nameOf(j.documents[i].name.id))
	}
	for _, id := range j.Page.Page.Resolved {
		names = append(names, nameOf(id))
	}
	if len(names) == 0 {
		return nil
	}
	n, err := b.sink.tx().exec(`UPDATE quarantine SET resolved = ? WHERE item = ? AND `+isOpen+` AND name <> '' AND name IN (SELECT value FROM json_each(?))`,
		micros(j.At), h.item, text(names))
	h.requarantined = h.requarantined || n > 0
	return err
}

// resolveUnlisted ends the quarantine of records that a full pass did not meet: the
// source has them no more.
func (b *batchWriter) resolveUnlisted(j *job, h *heldItem, lane string) error {
	if j.Settle == nil || j.Settle.Pass == nil || j.Settle.Pass.Void != "" {
		return nil
	}
	n, err := b.sink.tx().exec(`UPDATE quarantine SET resolved = ? WHERE item = ? AND lane = ? AND `+isOpen+` AND name <> ''
		AND at < (SELECT i.pass_begun FROM items i WHERE i.id = ? AND i.pass = ?)`, micros(j.At), h.item, lane, h.item, j.Settle.Pass.Number)
	h.requarantined = h.requarantined || n > 0
	return err
}

// unreadOf says what is unread of an item: in the default lane of all lanes, else
// of the lane.
func unreadOf(q querier, item int64, lane string, run int64) (u rows.Unread, err error) {
	var since int64
	err = scanOne(q, []any{&u.Records, &since, &u.Now}, `SELECT count(DISTINCT name), coalesce(min(since), 0), count(DISTINCT CASE WHEN run = ? THEN name END)
		FROM quarantine WHERE item = ? AND `+isOpen+` AND name <> '' AND (? = '' OR lane = ?)`, run, item, lane, lane)
	u.Since = moment(since)
	return u, err
}

// evidence keeps what came in place of the source's answer once the item is given
// up, and resolves it once the item ends well. It notes how much is quarantined
// where that has changed.
func (b *batchWriter) evidence(j *job, h *heldItem, lane string) error {
	if err := b.settleEvidence(j, h, lane); err != nil || !h.requarantined {
		return err
	}
	n, err := number(b.sink.tx(), `SELECT count(*) FROM quarantine WHERE item = ? AND `+isOpen, h.item)
	if err != nil {
		return err
	}
	h.quarantined, h.requarantined = n, false
	return b.sink.noteQuarantined(h.item, n)
}

func (b *batchWriter) settleEvidence(j *job, h *heldItem, lane string) error {
	s := j.Settle
	switch {
	case s == nil || s.State != rows.ItemClosed:
		return nil
	case len(s.Evidence) > 0:
		if err := b.sink.lockQuarantine(h.item); err != nil {
			return err
		}
		h.requarantined = true
		return b.sink.quarantine([]rejectRow{{
			item: h.item, run: j.Run, lane: lane, at: micros(j.At), seq: h.seq + 1, kind: s.Kind,
			Reject: harvest.Reject{Reason: s.Error, Bytes: s.Evidence},
		}})
	case h.quarantined == 0 || !tells(lane, s.Outcome) || s.Outcome.Severity() == outcomes.Bad:
		return nil
	}
	n, err := b.sink.tx().exec(`UPDATE quarantine SET resolved = ? WHERE item = ? AND lane = ? AND name = '' AND `+isOpen, micros(j.At), h.item, lane)
	h.requarantined = h.requarantined || n > 0
	return err
}

// upsertReject lets a record that is rejected again keep its row. One that was
// accepted stays so; one that had been read since is a new one.
const upsertReject = ` ON CONFLICT (item, lane, name) DO UPDATE SET run = excluded.run, seq = excluded.seq, at = excluded.at, kind = excluded.kind,
	reason = excluded.reason, size = excluded.size, bytes = excluded.bytes, record = excluded.record, place = excluded.place,
	since = CASE WHEN quarantine.resolved > 0 THEN excluded.since ELSE quarantine.since END,
	times = CASE WHEN quarantine.resolved > 0 THEN 1 ELSE quarantine.times + 1 END,
	accepted = CASE WHEN quarantine.name = '' AND quarantine.kind <> excluded.kind THEN 0 ELSE quarantine.accepted END, resolved = 0`

func (r *rejectRow) place() string {
	if len(r.Where) > maxPlace {
		return ""
	}
	return clean(r.Where)
}

func (r *rejectRow) content() []byte { return r.Bytes[:min(len(r.Bytes), maxRejectBytes)] }

// recount counts anew what is quarantined of the items that a condition selects.
func recount(t *tx, condition string, args ...any) error {
	_, err := t.exec(`UPDATE items SET quarantined = (SELECT count(*) FROM quarantine q WHERE q.item = items.id AND q.accepted = 0 AND q.resolved = 0) WHERE `+condition, args...)
	return err
}
