package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// events removes old ones. The newest of each verb about a campaign stays: it says
// how the campaign came to be as it is.
func (c *cleaning) events(ctx context.Context) (total int, err error) {
	of := func(r rows.Retention) time.Time { return r.Events }
	err = eachAged(ctx, c, of, scanAged, `SELECT e.id, e.at, e.at, '' FROM events e WHERE (e.at, e.id) > (?, ?) AND e.at < ?
		AND (EXISTS (SELECT 1 FROM events n WHERE n.what = e.what AND n.verb = e.verb AND (n.at, n.id) > (e.at, e.id))
			OR NOT EXISTS (SELECT 1 FROM campaigns k WHERE k.name = e.what)) ORDER BY e.at, e.id LIMIT ?`, func(list []aged) error {
		n, err := c.store.drop(ctx, keysOf(list), `DELETE FROM events WHERE id IN `+theKeys)
		total += n
		return err
	})
	return total, err
}

// hosts removes states that say nothing of hosts that no file names.
func (c *cleaning) hosts(ctx context.Context) (total int, err error) {
	limit := c.rule("").Unused
	if limit.IsZero() {
		return 0, nil
	}
	silent := c.store.engine.timed(`changed_at < ? AND paused = '' AND slow = 0 AND rest_until < {now} AND delay_until < {now}
		AND NOT EXISTS (SELECT 1 FROM hosts h WHERE h.name = host_states.name)`)
	names, err := collect(c.store.reader(ctx), scanText, `SELECT name FROM host_states WHERE `+silent+` ORDER BY name`, micros(limit))
	for part := range slices.Chunk(names, cleanBatch) {
		if err != nil {
			break
		}
		var n int64
		err = c.store.cleanOnce(ctx, func(t *tx) (err error) {
			n, err = t.exec(`DELETE FROM host_states WHERE name IN (SELECT value FROM json_each(?)) AND `+silent, text(part), micros(limit))
			return err
		})
		total += int(n)
	}
	return total, err
}

// lists removes those that nothing has named for so long: no current definition, none
// of a run that is open, and no list of a source that was asked for its items.
func (c *cleaning) lists(ctx context.Context) (total int, err error) {
	limit := c.rule("").Unused
	if limit.IsZero() {
		return 0, nil
	}
	if err := c.store.markLists(ctx); err != nil {
		return 0, err
	}
	digests, err := collect(c.store.reader(ctx), scanText, `SELECT digest FROM lists WHERE seen_at < ? ORDER BY digest`, micros(limit))
	for _, digest := range digests {
		if err != nil {
			break
		}
		var n int64
		err = c.store.cleanOnce(ctx, func(t *tx) (err error) {
			if n, err = t.exec(`DELETE FROM lists WHERE digest = ? AND seen_at < ?`, digest, micros(limit)); err != nil || n == 0 {
				return err
			}
			_, err = t.exec(`DELETE FROM list_parts WHERE digest = ?`, digest)
			return err
		})
		total += int(n)
	}
	return total, err
}

// markLists notes of all lists that something names that they were seen now.
func (s *Store) markLists(ctx context.Context) error {
	digests, err := collect(s.reader(ctx), scanText, `SELECT digest FROM lists`)
	if err != nil || len(digests) == 0 {
		return err
	}
	known, named := make(map[string]bool, len(digests)), map[string]bool{}
	for _, digest := range digests {
		known[digest] = true
	}
	for _, query := range []string{
		`SELECT d.spec FROM definitions d JOIN campaigns c ON c.name = d.campaign AND c.version = d.version`,
		`SELECT d.spec FROM runs r JOIN definitions d ON d.campaign = r.campaign AND d.version = r.version WHERE r.state <> 'closed'`,
		`SELECT c.value FROM items i JOIN checkpoints c ON c.item = i.id WHERE i.key = 'split'`,
	} {
		texts, err := collect(s.reader(ctx), scanText, query)
		if err != nil {
			return err
		}
		for _, text := range texts {
			nameLists(text, known, named)
		}
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(named)), cleanBatch) {
		err := s.cleanOnce(ctx, func(t *tx) error {
			_, err := t.exec(`UPDATE lists SET seen_at = ? WHERE digest IN (SELECT value FROM json_each(?))`, micros(time.Now()), text(part))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nameLists notes which of the known lists stand as a text anywhere in a JSON text.
// What is not JSON names none.
func nameLists(text string, known, named map[string]bool) {
	for read := json.NewDecoder(strings.NewReader(text)); ; {
		token, err := read.Token()
		if err != nil {
			return
		}
		if name, ok := token.(string); ok && known[name] {
			named[name] = true
		}
	}
}
