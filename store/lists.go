package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// listPart is how many bytes of lines are compressed together: what a reader
// holds in memory at a time.
const listPart = 1 << 20

// SaveList stores a list under its digest. A list that is there already is not
// written again and not read from the sequence.
func (s *Store) SaveList(ctx context.Context, digest string, list iter.Seq[rows.ListRow]) error {
	known, err := s.HasList(ctx, digest)
	if err != nil || known {
		return err
	}
	parts, n, err := s.packList(list)
	if err != nil {
		return fault("save list", digest, err)
	}
	return s.write(ctx, "save list", digest, func(t *tx) error {
		added, err := t.exec(`INSERT INTO lists (digest, rows) VALUES (?, ?) ON CONFLICT DO NOTHING`, digest, n)
		if err != nil || added == 0 {
			return err
		}
		for i, part := range parts {
			if _, err := t.exec(`INSERT INTO list_parts (digest, part, lines) VALUES (?, ?, ?)`, digest, i, part); err != nil {
				return err
			}
		}
		return nil
	})
}

// packList writes the rows as compressed parts of JSON lines.
func (s *Store) packList(list iter.Seq[rows.ListRow]) (parts [][]byte, n int, err error) {
	var lines bytes.Buffer
	flush := func() {
		parts = append(parts, s.codec.enc.EncodeAll(lines.Bytes(), nil))
		lines.Reset()
	}
	for row := range list {
		if err := json.Compact(&lines, row); err != nil {
			return nil, 0, fmt.Errorf("row %d: %w", n+1, err)
		}
		lines.WriteByte('\n')
		n++
		if lines.Len() >= listPart {
			flush()
		}
	}
	if lines.Len() > 0 {
		flush()
	}
	return parts, n, nil
}

// HasList reports whether a list is stored.
func (s *Store) HasList(ctx context.Context, digest string) (bool, error) {
	n, err := number(s.reader(ctx), `SELECT count(*) FROM lists WHERE digest = ?`, digest)
	return n > 0, fault("look for list", digest, err)
}

// List reads a stored list in its order, a part at a time; rows.ErrNotFound
// when there is none.
func (s *Store) List(ctx context.Context, digest string) iter.Seq2[rows.ListRow, error] {
	return func(yield func(rows.ListRow, error) bool) {
		if known, err := s.HasList(ctx, digest); err != nil || !known {
			if err == nil {
				err = notFound("list %s", digest)
			}
			yield(nil, err)
			return
		}
		for part := 0; ; part++ {
			lines, found, err := s.listPart(ctx, digest, part)
			if err != nil {
				yield(nil, fault("read list", digest, err))
				return
			}
			if !found || !yieldLines(lines, yield) {
				return
			}
		}
	}
}

func (s *Store) listPart(ctx context.Context, digest string, part int) ([]byte, bool, error) {
	packed, found, err := first(s.reader(ctx), scanBytes, `SELECT lines FROM list_parts WHERE digest = ? AND part = ?`, digest, part)
	if err != nil || !found {
		return nil, false, err
	}
	lines, err := s.codec.unpack(packed)
	return lines, true, err
}

func yieldLines(lines []byte, yield func(rows.ListRow, error) bool) bool {
	for line := range bytes.Lines(lines) {
		if !yield(rows.ListRow(bytes.TrimSuffix(line, []byte("\n"))), nil) {
			return false
		}
	}
	return true
}
