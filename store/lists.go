package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// listPart is how many bytes of lines are compressed together: what a reader
// holds in memory at a time.
const listPart = 1 << 20

// listFresh is how long a list counts as just seen: far below the age at which
// lists that nothing names go.
const listFresh = 24 * time.Hour

// SaveList stores a list under its digest. A list that is there already is not
// written again and not read from the sequence, but will not go soon.
func (s *Store) SaveList(ctx context.Context, digest string, list iter.Seq[rows.ListRow]) error {
	known, err := s.seeList(ctx, digest)
	if err != nil || known {
		return fault("save list", digest, err)
	}
	parts, n, err := s.packList(list)
	if err != nil {
		return fault("save list", digest, err)
	}
	return s.write(ctx, "save list", digest, func(t *tx) error {
		added, err := t.exec(`INSERT INTO lists (digest, rows, seen_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, digest, n, micros(time.Now()))
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

// seeList notes that a list is in use, and reports whether it is there.
func (s *Store) seeList(ctx context.Context, digest string) (known bool, err error) {
	seen, known, err := first(s.reader(ctx), scanNumber, `SELECT seen_at FROM lists WHERE digest = ?`, digest)
	if err != nil || !known || seen > micros(time.Now().Add(-listFresh)) {
		return known, err
	}
	var n int64
	err = s.write(ctx, "see list", digest, func(t *tx) (err error) {
		n, err = t.exec(`UPDATE lists SET seen_at = ? WHERE digest = ?`, micros(time.Now()), digest)
		return err
	})
	return n > 0, err
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
