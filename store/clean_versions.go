package store

import (
	"context"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// link is a version that replaced another one, and where the body of that is.
type link struct {
	aged
	before, pack int64
}

// versions cuts the line of versions behind each one that replaced another before
// its campaign's moment, the oldest first.
func (c *cleaning) versions(ctx context.Context) (int, error) {
	total := 0
	err := eachAged(ctx, c, func(r rows.Retention) time.Time { return r.Versions }, scanLink, `
		SELECT v.number, v.at, v.at, coalesce(i.campaign, ''), v.before, coalesce(o.pack, 0)
		FROM versions v LEFT JOIN versions o ON o.number = v.before LEFT JOIN items i ON i.id = v.item
		WHERE v.before > 0 AND (v.at, v.number) > (?, ?) AND v.at < ? ORDER BY v.at, v.number LIMIT ?`,
		func(list []link) error {
			for part := range slices.Chunk(list, cleanLinks) {
				cut := 0
				err := c.store.cleanOnce(ctx, func(t *tx) (err error) {
					cut, err = cutVersions(t, part)
					return err
				})
				if err != nil {
					return err
				}
				total += cut
			}
			return nil
		})
	return total, err
}

func scanLink(s scanner) (l link, err error) {
	return l, s.Scan(&l.key, &l.at, &l.since, &l.campaign, &l.before, &l.pack)
}

func cutVersions(t *tx, links []link) (cut int, err error) {
	for _, l := range links {
		n, err := cutVersion(t, l)
		if err != nil {
			return 0, err
		}
		cut += n
	}
	if cut > 0 {
		_, err = t.exec(`UPDATE sequences SET value = value + ? WHERE name = 'cut'`, cut)
	}
	return cut, err
}

// cutVersion removes a version that was replaced, unless an older one stays: the
// line behind that one would be nobody's any more, and never be removed. One that
// another cleaner has cut meanwhile is left alone.
func cutVersion(t *tx, l link) (cut int, err error) {
	n, err := t.exec(`UPDATE versions SET before = 0 WHERE number = ? AND before = ? AND NOT EXISTS (SELECT 1 FROM versions o WHERE o.number = ? AND o.before > 0)`,
		l.key, l.before, l.before)
	if err != nil || n == 0 {
		return 0, err
	}
	if n, err = t.exec(`DELETE FROM versions WHERE number = ?`, l.before); err != nil || n == 0 || l.pack == 0 {
		return int(n), err
	}
	return int(n), unpack(t, l.pack)
}

// unpack counts one body of a pack as gone, and removes a pack without any.
func unpack(t *tx, pack int64) error {
	if _, err := t.exec(`UPDATE packs SET live = live - 1 WHERE id = ?`, pack); err != nil {
		return err
	}
	_, err := t.exec(`DELETE FROM packs WHERE id = ? AND live <= 0`, pack)
	return err
}
