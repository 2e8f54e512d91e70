package store

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// whole looks, after everything was read, whether rows are missing: a row that is
// not found is in no list, and its checksum is never looked at.
func (s *Store) whole(ctx context.Context) error {
	for _, look := range []func(context.Context, *rows.Check) error{s.verifyDocuments, s.verifyNumbers} {
		var c rows.Check
		if err := look(ctx, &c); err != nil {
			return err
		}
		if c.Wrong > 0 {
			return damaged(c.Examples[0])
		}
	}
	return nil
}

// wholeDocuments ends a list with whole. Where no change is stored meanwhile, the
// list must be as long as what is found from the other side, by the documents' own
// rows.
func (s *Store) wholeDocuments(ctx context.Context, f rows.DocumentFilter, list iter.Seq2[rows.Document, error]) iter.Seq2[rows.Document, error] {
	return func(yield func(rows.Document, error) bool) {
		before, err := s.LastChange(ctx)
		afterAll(list, func(listed int64) error {
			return fault("list documents", f.Collection, errors.Join(err, s.whole(ctx), s.asMany(ctx, f, before, listed)))
		})(yield)
	}
}

func (s *Store) asMany(ctx context.Context, f rows.DocumentFilter, before, listed int64) error {
	w := documentWhere(f)
	there, err := number(s.reader(ctx), `SELECT count(*) FROM documents d CROSS JOIN versions v`+w.sql(), w.args...)
	if err != nil || there == listed {
		return err
	}
	if after, err := s.LastChange(ctx); err != nil || after != before {
		return err
	}
	return damaged(fmt.Sprintf("%d documents were read and %d are there", listed, there))
}

// verifyListed lists all documents as every reader does, by the indexes.
func (s *Store) verifyListed(ctx context.Context, c *rows.Check) error {
	if err := s.verifyDocuments(ctx, c); err != nil {
		return err
	}
	before, err := s.LastChange(ctx)
	if err != nil {
		return err
	}
	listed := int64(0)
	for _, err := range s.Documents(ctx, rows.DocumentFilter{}) {
		if err != nil {
			return err
		}
		listed++
	}
	if err := s.asMany(ctx, rows.DocumentFilter{}, before, listed); !errors.Is(err, rows.ErrDamaged) {
		return err
	} else if c.Wrong == 0 {
		c.Found(err.Error())
	}
	return nil
}

// afterAll looks at something after the last of a list, with how many they were.
func afterAll[T any](list iter.Seq2[T, error], look func(listed int64) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		listed := int64(0)
		for one, err := range list {
			if !yield(one, err) || err != nil {
				return
			}
			listed++
		}
		if err := look(listed); err != nil {
			var none T
			yield(none, err)
		}
	}
}
