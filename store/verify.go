package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Verify looks whether everything in the store is as it was written: the database
// itself, each version with its body, each document, the change numbers, the counts
// of items, each blob. It reads all there is, and writes nothing; progress is told
// how many of how many versions are behind, and may be nil. What is wrong is in the
// answer; an error is only that it could not be found out.
func (s *Store) Verify(ctx context.Context, progress func(done, total int64)) ([]rows.Check, error) {
	var all []rows.Check
	for _, step := range []struct {
		name string
		do   func(context.Context, *rows.Check) error
	}{
		{"database", s.engine.integrity},
		{"versions", func(ctx context.Context, c *rows.Check) error { return s.verifyVersions(ctx, c, progress) }},
		{"documents", s.verifyListed},
		{"change numbers", s.verifyNumbers},
		{"items", s.verifyItems},
		{"blobs", s.verifyBlobs},
	} {
		check := rows.Check{Name: step.name}
		if err := step.do(ctx, &check); err != nil {
			if ctx.Err() != nil {
				return all, context.Cause(ctx)
			}
			if trouble := diagnose(err).trouble; trouble != "" && trouble != rows.TroubleDamaged {
				return all, fault("verify", step.name, err)
			}
			check.Found(err.Error())
		}
		all = append(all, check)
	}
	return all, nil
}

// verifyVersions reads each version with its body.
func (s *Store) verifyVersions(ctx context.Context, c *rows.Check, progress func(done, total int64)) error {
	total, err := number(s.reader(ctx), `SELECT count(*) FROM versions`)
	if err != nil {
		return err
	}
	for after := int64(-1 << 62); ; {
		list, err := collect(s.reader(ctx), scanNumber, `SELECT number FROM versions WHERE number > ? ORDER BY number LIMIT ?`, after, pageRows)
		if err != nil || len(list) == 0 {
			return err
		}
		if !slices.IsSorted(list) || list[0] <= after {
			c.Found(fmt.Sprintf("changes after %d come in no order", after))
			return nil
		}
		if err := s.verifyPage(ctx, c, after, list); err != nil {
			return err
		}
		after = list[len(list)-1]
		c.Looked += int64(len(list))
		if progress != nil {
			progress(c.Looked, total)
		}
	}
}

// verifyPage reads many versions at once, and one by one where that fails.
func (s *Store) verifyPage(ctx context.Context, c *rows.Check, after int64, list []int64) error {
	_, err := s.versions(ctx, true, fromVersions+` WHERE v.number > ? AND v.number <= ? ORDER BY v.number`, after, list[len(list)-1])
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	for _, n := range list {
		found, err := s.versions(ctx, true, fromVersions+` WHERE v.number = ?`, n)
		if err == nil && len(found) != 1 {
			err = fmt.Errorf("change %d is not found by its number", n)
		}
		if err != nil {
			c.Found(fmt.Sprintf("change %d: %s", n, err))
		}
	}
	return ctx.Err()
}

// verifyDocuments: each document points at its version, and that at an item.
func (s *Store) verifyDocuments(ctx context.Context, c *rows.Check) (err error) {
	if c.Looked, err = number(s.reader(ctx), `SELECT count(*) FROM documents`); err != nil {
		return err
	}
	return s.wrong(ctx, c, `SELECT d.collection, d.id FROM documents d LEFT JOIN versions v ON v.number = d.number LEFT JOIN items i ON i.id = d.item
		WHERE v.number IS NULL OR v.collection <> d.collection OR v.id <> d.id OR v.hash <> d.hash OR v.version <> d.version OR v.first_seen <> d.first_seen
		OR d.deleted <> CASE WHEN v.op = 2 THEN 1 ELSE 0 END OR i.id IS NULL`, "document %s / %s does not fit its last change")
}

// verifyNumbers: no change is missing but those that were removed.
func (s *Store) verifyNumbers(ctx context.Context, c *rows.Check) error {
	var last, cut, there, highest int64
	err := scanOne(s.reader(ctx), []any{&last, &cut, &there, &highest}, `SELECT (SELECT value FROM sequences WHERE name = 'change'), (SELECT value FROM sequences WHERE name = 'cut'),
		(SELECT count(*) FROM versions), (SELECT coalesce(max(number), 0) FROM versions)`)
	if err != nil {
		return err
	}
	c.Looked = last
	if there+cut != last {
		c.Found(fmt.Sprintf("%d changes were numbered, %d are there and %d were removed: %d are missing", last, there, cut, last-there-cut))
	}
	if highest > last {
		c.Found(fmt.Sprintf("there is a change %d, and the last one was %d", highest, last))
	}
	return s.wrong(ctx, c, `SELECT v.collection, v.id FROM versions v LEFT JOIN documents d ON d.collection = v.collection AND d.id = v.id WHERE d.id IS NULL`, "document %s / %s has changes, and is not there")
}

// verifyItems: an item counts its documents.
func (s *Store) verifyItems(ctx context.Context, c *rows.Check) (err error) {
	if c.Looked, err = number(s.reader(ctx), `SELECT count(*) FROM items`); err != nil {
		return err
	}
	return s.wrong(ctx, c, `SELECT i.entry, i.key FROM items i LEFT JOIN (SELECT item, count(*) AS n FROM documents WHERE deleted = 0 GROUP BY item) k ON k.item = i.id
		WHERE i.documents <> coalesce(k.n, 0)`, "item %s / %s does not count its documents")
}

func (s *Store) wrong(ctx context.Context, c *rows.Check, query, text string) error {
	_, err := collect(s.reader(ctx), func(sc scanner) (none struct{}, err error) {
		var a, b string
		if err = sc.Scan(&a, &b); err == nil {
			c.Found(fmt.Sprintf(text, a, b))
		}
		return none, err
	}, query)
	return err
}

// verifyBlobs reads each blob that a row names.
func (s *Store) verifyBlobs(ctx context.Context, c *rows.Check) error {
	named, err := collect(s.reader(ctx), scanText, `SELECT body_ref FROM versions WHERE body_ref <> '' UNION SELECT raw FROM ledger WHERE raw <> ''`)
	if err != nil {
		return err
	}
	for _, digest := range named {
		c.Looked++
		if err := s.verifyBlob(ctx, digest); err != nil {
			c.Found(fmt.Sprintf("%s: %s", digest, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (s *Store) verifyBlob(ctx context.Context, digest string) error {
	r, err := s.Blob(ctx, digest)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}
