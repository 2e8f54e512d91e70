package store

import (
	"context"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Counts returns totals of one campaign, or ("") of the whole store. Versions
// are the older ones of documents; Changes the lines of the change feed.
func (s *Store) Counts(ctx context.Context, campaign string) (rows.Counts, error) {
	var c rows.Counts
	q := s.reader(ctx)
	deleted, err := s.countDeleted(ctx, campaign)
	if err != nil {
		return c, err
	}
	c.Documents, c.Deleted = deleted[0], deleted[1]
	for into, query := range map[*int64]string{
		&c.Changes: `SELECT count(*) FROM versions v WHERE ?1 = '' OR v.item IN (SELECT id FROM items WHERE campaign = ?1)`,
		&c.Pages: `SELECT CAST(coalesce(sum(coalesce((SELECT CAST(sum(seq) AS BIGINT) FROM run_items WHERE run = r.id), ` + s.engine.jsonNumber("r.tally", "pages") + `, 0)), 0) AS BIGINT)
			FROM runs r WHERE ?1 = '' OR r.campaign = ?1`,
		&c.Exchanges: `SELECT count(*) FROM ledger l WHERE ?1 = '' OR l.item IN (SELECT id FROM items WHERE campaign = ?1)`,
	} {
		if *into, err = number(q, query, campaign); err != nil {
			return c, fault("count", campaign, err)
		}
	}
	c.Versions = c.Changes - c.Documents - c.Deleted
	return c, nil
}

// countDeleted counts current documents, the living first and then the deleted.
func (s *Store) countDeleted(ctx context.Context, campaign string) (n [2]int64, err error) {
	for i, deleted := range []bool{false, true} {
		if campaign == "" {
			n[i], err = number(s.reader(ctx), `SELECT count(*) FROM documents WHERE deleted = ?`, deleted)
		} else {
			var counts map[string]int64
			counts, err = s.CountDocuments(ctx, rows.DocumentFilter{Campaign: campaign, Deleted: &deleted}, "")
			n[i] = counts[""]
		}
		if err != nil {
			return n, fault("count documents", campaign, err)
		}
	}
	return n, nil
}
