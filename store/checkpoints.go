package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

func checkpointWhere(f rows.CheckpointFilter) where {
	w := where{}
	w.text("i.campaign", f.Campaign)
	w.text("i.entry", f.Entry)
	w.text("i.key", f.Key)
	if f.Lane != nil {
		w.add("c.lane = ?", *f.Lane)
	}
	return w
}

// Checkpoints lists checkpoints by campaign, entry, key and lane. One that was
// reset has no value, but keeps its version.
func (s *Store) Checkpoints(ctx context.Context, f rows.CheckpointFilter) ([]rows.Checkpoint, error) {
	w := checkpointWhere(f)
	list, err := collect(s.reader(ctx), scanCheckpoint, `SELECT i.campaign, i.entry, i.key, c.lane, c.version, c.value, c.params, c.extraction, c.updated_at, coalesce(r.workflow_id, '')
		FROM checkpoints c JOIN items i ON i.id = c.item LEFT JOIN runs r ON r.id = c.run`+w.sql()+` ORDER BY i.campaign, i.entry, i.key, c.lane`, w.args...)
	return list, fault("list checkpoints", f.Campaign, err)
}

func scanCheckpoint(s scanner) (c rows.Checkpoint, err error) {
	var value string
	var updated int64
	err = s.Scan(&c.Campaign, &c.Entry, &c.Key, &c.Lane, &c.Version, &value, &c.Params, &c.Extraction, &updated, &c.Run)
	c.Value, c.UpdatedAt = raw(value), moment(updated)
	return c, err
}

// SetCheckpoint puts an item's checkpoint by hand; a page that is on its way is
// fenced. The item need not have run yet.
func (s *Store) SetCheckpoint(ctx context.Context, item units.Item, lane string, value json.RawMessage) error {
	if len(value) > 0 && !json.Valid(value) {
		return refuse("set checkpoint", item.String(), "give any JSON value", "the value is not JSON")
	}
	return s.write(ctx, "set checkpoint", item.String(), func(t *tx) error {
		id, err := itemID(t, item)
		if err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO checkpoints (item, lane, version, value, params, extraction, updated_at, run) VALUES (?, ?, 1, ?, '', '', ?, 0)
			ON CONFLICT (item, lane) DO UPDATE SET version = checkpoints.version + 1, value = excluded.value, updated_at = excluded.updated_at, run = 0`,
			id, lane, string(value), micros(time.Now()))
		return err
	})
}

// ResetCheckpoints forgets values and fingerprints and returns how many
// checkpoints that were. Versions go on growing, and items whose first page is
// on its way get one, so that no page in work can commit on what was reset.
func (s *Store) ResetCheckpoints(ctx context.Context, f rows.CheckpointFilter) (int, error) {
	var n int64
	err := s.writeLocked(ctx, lockExclusive, "reset checkpoints", f.Campaign, func(t *tx) error {
		now := micros(time.Now())
		w := checkpointWhere(f)
		var err error
		n, err = t.exec(`UPDATE checkpoints SET version = version + 1, value = '', params = '', extraction = '', updated_at = ?
			WHERE (item, lane) IN (SELECT c.item, c.lane FROM checkpoints c JOIN items i ON i.id = c.item`+w.sql()+`)`, append([]any{now}, w.args...)...)
		if err != nil {
			return err
		}
		return fenceFirstPages(t, f, now)
	})
	return int(n), err
}

func fenceFirstPages(t *tx, f rows.CheckpointFilter, now int64) error {
	lane := f.Lane
	f.Lane = nil
	w := checkpointWhere(f)
	w.add("r.state = 'open' AND ri.state = 'claimed'")
	if lane != nil {
		w.add("r.lane = ?", *lane)
	}
	_, err := t.exec(`INSERT INTO checkpoints (item, lane, version, value, params, extraction, updated_at, run)
		SELECT ri.item, r.lane, 1, '', '', '', ?, 0 FROM runs r JOIN run_items ri ON ri.run = r.id JOIN items i ON i.id = ri.item`+w.sql()+
		` ON CONFLICT DO NOTHING`, append([]any{now}, w.args...)...)
	return err
}
