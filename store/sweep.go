package store

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

// sweepBatch is how many documents one call looks at: it bounds how long other
// writers wait.
const sweepBatch = 1000

// Sweep does one step of deleting what a pass did not list; see rows.Sweep. It
// may be called again with the same or no place: what is gone is gone once. When
// the run was told to stop, rows.ErrStopped comes beside what was done;
// rows.ErrFenced when the claim is somebody else's or the pass another one.
func (s *Store) Sweep(ctx context.Context, w rows.Sweep) (rows.Swept, error) {
	j := &sweepJob{Sweep: w, store: s, filed: map[int64]*units.Item{}}
	err := j.step(ctx)
	return j.out, fault("delete what is no longer listed by", fmt.Sprintf("%s (run %d)", w.Item, w.Run), err)
}

// sweepJob is one step: what may go is looked for by a reader, and looked at
// again inside the transaction that deletes it.
type sweepJob struct {
	rows.Sweep
	store *Store
	item  int64
	filed map[int64]*units.Item // items in files, nil for others
	out   rows.Swept
}

func (j *sweepJob) step(ctx context.Context) error {
	if j.After == (rows.SweepPlace{}) {
		if err := j.begin(ctx); err != nil || j.out.Void != "" {
			return err
		}
	}
	if !j.After.Before {
		ids, err := j.former(ctx)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			j.out.Next = rows.SweepPlace{ID: ids[len(ids)-1]}
			return j.delete(ctx, ids, false)
		}
	}
	return j.before(ctx)
}

// begin notes that the list is whole, and refuses a pass that cannot be trusted.
func (j *sweepJob) begin(ctx context.Context) error {
	return j.write(ctx, func(t *tx, _ liveRun) error {
		stored := &storedPass{}
		var documents, unlisted int64
		err := scanOne(t, append([]any{&documents, &unlisted}, stored.into()...), `SELECT documents, unlisted, `+passColumns+` FROM items i WHERE i.id = ?`, j.item)
		if err != nil {
			return err
		}
		if j.out.Void = stored.note; j.out.Void != "" {
			return nil
		}
		if j.out.Empty, err = j.empty(t, documents > 0 && unlisted > 0); err != nil {
			return err
		}
		if j.out.Empty {
			j.out.Void = "nothing was listed where there always was something"
			return nil
		}
		_, err = t.exec(`UPDATE items SET pass_state = ? WHERE id = ?`, passDeletes, j.item)
		return err
	})
}

// empty reports whether the pass listed nothing, and there is something to lose.
func (j *sweepJob) empty(t *tx, documents bool) (bool, error) {
	seen, err := number(t, `SELECT 1 FROM listings WHERE item = ? AND collection = ? AND pass = ? LIMIT 1`, j.item, j.Collection, j.Pass)
	if err != nil || seen > 0 {
		return false, err
	}
	former, err := number(t, `SELECT 1 FROM listings WHERE item = ? AND collection = ? LIMIT 1`, j.item, j.Collection)
	return former > 0 || documents, err
}

// former are ids that the item listed in an earlier pass only.
func (j *sweepJob) former(ctx context.Context) ([]string, error) {
	return collect(j.store.reader(ctx), scanText, selectFormer, j.Run, j.Ord, j.Collection, j.After.ID, j.Pass, sweepBatch)
}

const selectFormer = `SELECT l.id FROM run_items ri JOIN listings l ON l.item = ri.item
	WHERE ri.run = ? AND ri.ord = ? AND l.collection = ? AND l.id > ? AND l.pass < ? ORDER BY l.id LIMIT ?`

// write runs fn in a transaction that holds the claim and the pass.
func (j *sweepJob) write(ctx context.Context, fn func(*tx, liveRun) error) error {
	return j.store.write(ctx, "delete what is no longer listed by", j.Item.String(), func(t *tx) (err error) {
		var run liveRun
		if j.item, run, err = j.store.heldBy(t, j.Run, j.Ord, j.Epoch); err != nil {
			return err
		}
		current, err := number(t, `SELECT count(*) FROM items WHERE id = ? AND pass = ? AND pass_state > 0`, j.item, j.Pass)
		if err == nil && current == 0 {
			err = fmt.Errorf("pass %d is not the one under way: %w", j.Pass, rows.ErrFenced)
		}
		if err != nil {
			return err
		}
		return fn(t, run)
	})
}
