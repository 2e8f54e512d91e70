package store

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// integrity asks SQLite to look at every page, row and index.
func (f *sqliteFile) integrity(ctx context.Context, c *rows.Check) error {
	c.Looked = 1
	lines, err := collect(reader{ctx, f}, scanText, `PRAGMA integrity_check`)
	for _, line := range lines {
		if line != "ok" {
			c.Found(line)
		}
	}
	return err
}

// integrity reads every table to its end, which finds pages whose checksum is
// wrong, and every index, and lets amcheck look at those, too, where the database has
// it (CREATE EXTENSION amcheck).
func (p *postgres) integrity(ctx context.Context, c *rows.Check) error {
	q := reader{ctx, p}
	tables, err := collect(q, scanText, `SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`)
	if err != nil {
		return err
	}
	for _, table := range tables {
		c.Looked++
		if _, err := number(q, `SELECT count(t.*::text) FROM `+table+` t`); err != nil {
			c.Found(fmt.Sprintf("table %s: %s", table, err))
		}
	}
	if err := p.integrityOfIndexes(ctx, c); err != nil {
		return err
	}
	amcheck, err := number(q, `SELECT count(*) FROM pg_extension WHERE extname = 'amcheck'`)
	if err != nil || amcheck == 0 {
		return err
	}
	indexes, err := collect(q, scanText, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relnamespace = current_schema()::regnamespace`)
	for _, index := range indexes {
		c.Looked++
		if _, err := collect(q, scanText, `SELECT bt_index_check('`+index+`'::regclass, true)::text`); err != nil {
			c.Found(fmt.Sprintf("index %s: %s", index, err))
		}
	}
	return err
}
