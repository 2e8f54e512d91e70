package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// pgIndex is an index, and how its table is read in its order.
type pgIndex struct{ name, table, keys, order, only string }

// integrityOfIndexes reads every index to its end, alone and with the rows that it
// leads to, and compares both with the table. It needs no extension, and does not
// see all that amcheck sees.
func (p *postgres) integrityOfIndexes(ctx context.Context, c *rows.Check) error {
	list, err := collect(reader{ctx, p}, func(s scanner) (i pgIndex, err error) {
		return i, s.Scan(&i.name, &i.table, &i.keys, &i.order, &i.only)
	}, `SELECT i.indexrelid::regclass::text, i.indrelid::regclass::text, string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' ORDER BY n),
			string_agg(pg_get_indexdef(i.indexrelid, n, true) || CASE WHEN i.indoption[n - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY n),
			coalesce(pg_get_expr(i.indpred, i.indrelid), 'true')
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam, generate_series(1, i.indnkeyatts) n
		WHERE a.amname = 'btree' AND c.relnamespace = current_schema()::regnamespace GROUP BY i.indexrelid, i.indrelid, i.indpred ORDER BY 1`)
	for _, i := range list {
		c.Looked++
		if err := p.compareIndex(ctx, i); err != nil {
			c.Found(fmt.Sprintf("index %s: %s", i.name, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

// compareIndex counts and adds up the keys of an index in each way to read them, at
// one moment.
func (p *postgres) compareIndex(ctx context.Context, i pgIndex) error {
	tx, err := p.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it only read
	var of [3]struct{ count, sum string }
	for n, way := range []string{"seqscan", "indexscan", "indexonlyscan"} {
		for _, other := range []string{"seqscan", "indexscan", "indexonlyscan", "bitmapscan", "sort"} {
			if _, err := tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL enable_%s = %t", other, other == way)); err != nil {
				return err
			}
		}
		order := ""
		if n > 0 {
			order = " ORDER BY " + i.order
		}
		// The way is part of the text: a plan is kept by its text.
		query := fmt.Sprintf("/* %s */ SELECT count(*), coalesce(sum(hashtext(k)), 0)::text FROM (SELECT ROW(%s)::text AS k FROM %s WHERE %s%s OFFSET 0) keys", way, i.keys, i.table, i.only, order)
		if err := tx.QueryRowContext(ctx, query).Scan(&of[n].count, &of[n].sum); err != nil {
			return err
		}
		if of[n] != of[0] {
			return fmt.Errorf("the table has %s rows for it, and it leads to %s, or to others", of[0].count, of[n].count)
		}
	}
	return nil
}
