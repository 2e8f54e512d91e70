package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/store/storetest"
)

const (
	passDocuments = 6000
	passPages     = 12
	passStays     = 3 // every so-manieth document is listed in the second pass
)

func passID(i int) string { return fmt.Sprintf("doc-%05d", i) }

// passPage is page n, from 1, of a list of every so-manieth document.
func passPage(it rows.ClaimedItem, n, every int) rows.Write {
	w := rows.Write{
		Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, Item: units.Item{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key}, At: time.Now(), Attempt: 1,
		Page: &rows.PageWrite{Seq: it.Seq + 1, Version: it.Checkpoint.Version, Collection: "kill", Sighting: &rows.Sighting{Pass: it.Pass.Number}},
	}
	const size = passDocuments / passPages
	for i := (n - 1) * size; i < n*size; i++ {
		if i%every == 0 {
			w.Page.Page.Documents = append(w.Page.Page.Documents, harvest.Document{ID: passID(i), Body: []byte(passID(i))})
		}
	}
	w.Page.Page.Listed, w.Page.Page.Checkpoint = len(w.Page.Page.Documents), json.RawMessage(fmt.Sprint(n))
	return w
}

// makePass goes on where the worker before was killed, until the pass is over.
func makePass(ctx context.Context, s *store.Store, run int64, every int, say func(string)) error {
	got, err := s.Claim(ctx, rows.Claim{Run: run, Shared: true, Idle: true, Epoch: time.Now().UnixMicro(), Worker: fmt.Sprint(os.Getpid()), Max: 1, Now: time.Now()})
	if err != nil || len(got.Items) != 1 {
		return errors.Join(err, errors.New("there is nothing to claim"))
	}
	it := got.Items[0]
	item := units.Item{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key}
	if !it.Pass.UnderWay() {
		if it.Pass, it.Checkpoint.Version, err = s.BeginPass(ctx, rows.PassStart{Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, Item: item, At: time.Now()}); err != nil {
			return err
		}
		it.Checkpoint.Value = nil
	}
	done := 0
	if len(it.Checkpoint.Value) > 0 {
		if err := json.Unmarshal(it.Checkpoint.Value, &done); err != nil {
			return err
		}
	}
	for n := done + 1; n <= passPages; n++ {
		if err := s.Write(ctx, passPage(it, n, every)).Err; err != nil {
			return err
		}
		it.Seq, it.Checkpoint.Version = it.Seq+1, it.Checkpoint.Version+1
		say("page")
	}
	sweep := rows.Sweep{Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, Item: item, Collection: "kill", Pass: it.Pass.Number, At: time.Now(), Whole: true}
	for !sweep.After.Done {
		out, err := s.Sweep(ctx, sweep)
		if err != nil || out.Void != "" {
			return errors.Join(err, errors.New("swept: "+out.Void))
		}
		sweep.After = out.Next
		say("swept")
	}
	w := passPage(it, 1, every)
	w.Page, w.Settle = nil, &rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Done, Attempts: 1, Pass: &rows.PassEnd{Number: it.Pass.Number}}
	return s.Write(ctx, w).Err
}

// passChild makes one pass of the item of the second run, and says a word after
// each step.
func passChild(path string) error {
	s, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		return err
	}
	err = makePass(context.Background(), s, 2, passStays, func(word string) { fmt.Println(word) })
	if err == nil {
		fmt.Println("over")
	}
	return err
}

// Workers are killed in the middle of a pass and of its sweep; what is left in the
// end is what was listed, each document deleted once.
func TestKilledInAPass(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "killed.db")
	s := storetest.Open(t, path, store.Options{Create: true})
	require.NoError(t, makePass(t.Context(), s.Store, startRun(t, s.Store, "kill", "first", 1), 1, func(string) {}))
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: 1, Outcome: outcomes.Done, At: time.Now()}))
	require.EqualValues(t, 2, startRun(t, s.Store, "kill", "second", 1))
	kills, last := map[string]int{}, ""
	for last != "over" {
		startChild(t, "pass", path, "").killAfter(1+rand.IntN(2), func(line string) { // it was killed, or has ended
			require.Contains(t, []string{"page", "swept", "over"}, line)
			last = line
		})
		kills[last]++
	}
	t.Logf("killed after: %v", kills)

	left := 0
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{}) {
		require.NoError(t, err)
		var i int
		_, err := fmt.Sscanf(d.Line.ID, "doc-%d", &i)
		require.NoError(t, err)
		require.Equal(t, i%passStays != 0, d.Line.Deleted, d.Line.ID)
		if !d.Line.Deleted {
			require.Equal(t, 1, d.Version)
			left++
			continue
		}
		require.Equal(t, 2, d.Version, "deleted once")
	}
	require.Equal(t, passDocuments/passStays, left)
	items, err := s.RunItems(t.Context(), 2, rows.ItemFilter{})
	require.NoError(t, err)
	require.Equal(t, passDocuments-left, items[0].Tally.Deleted)
	require.Equal(t, left, items[0].Tally.Same)
	require.Equal(t, passPages, items[0].Seq, "no page twice")
	health, err := s.Items(t.Context(), rows.ItemsFilter{})
	require.NoError(t, err)
	require.EqualValues(t, left, health[0].Documents)
	require.Equal(t, 2, health[0].Pass.Number)
	require.False(t, health[0].Pass.UnderWay())
	change, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, passDocuments+passDocuments-left, change)
}
