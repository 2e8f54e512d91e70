package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func pageRace(t *testing.T, s Store) {
	again := s.Again(t)
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	for range 10 {
		var results [2]rows.Written
		var wg sync.WaitGroup
		for i, st := range []Store{s, again} {
			w := page(it, fmt.Sprintf("d%d-%d", it.Seq, i))
			if i == 1 {
				w.Epoch = 99 // nobody's claim
			}
			wg.Go(func() { results[i] = st.Write(t.Context(), w) })
		}
		wg.Wait()
		require.NoError(t, results[0].Err)
		require.ErrorIs(t, results[1].Err, rows.ErrFenced)
		it.Seq++
		it.Checkpoint.Version++
	}
	require.EqualValues(t, 10, counts(t, s).Documents)
}

func pageBadNeighbour(t *testing.T, s Store) {
	const n = 64
	run := openRun(t, s, "1", keys(n)...)
	items := claim(t, s, run, 1, n).Items
	require.Len(t, items, n)
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i, it := range items {
		w := closed(page(it, "d"+it.Key), outcomes.Done)
		if i%16 == 3 {
			w.Page.Seq = 9 // a gap: an error of the transaction, not an answer
		}
		wg.Go(func() { errs[i] = s.Write(t.Context(), w).Err })
	}
	wg.Wait()
	for i, err := range errs {
		if i%16 == 3 {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
		}
	}
	require.EqualValues(t, n-4, counts(t, s).Documents)
	last, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, n-4, last, "numbers of what failed are not lost")
}

func pageFollower(t *testing.T, s Store) {
	const writers, pages, docs = 8, 15, 6
	run := openRun(t, s, "1", keys(writers)...)
	items := claim(t, s, run, 1, writers).Items
	again := s.Again(t)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i, it := range items {
		st := []Store{s, again}[i%2]
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for p := range pages {
				w := page(it)
				for range docs {
					id := fmt.Sprintf("d%d", r.IntN(40)) // shared by all writers
					w.Page.Page.Documents = append(w.Page.Page.Documents, doc(id, fmt.Sprintf("%d %d %d", i, p, r.Int())))
				}
				if err := st.Write(t.Context(), w).Err; err != nil {
					t.Error(err)
					return
				}
				it.Seq++
				it.Checkpoint.Version++
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	seen := follow(t, s.Again(t), done)
	require.EqualValues(t, counts(t, s).Changes, len(seen))
	for i, n := range seen {
		require.EqualValues(t, i+1, n, "no number is skipped")
	}
}

// follow reads the feed until the writers are done and it has ended.
func follow(t *testing.T, s Store, done chan struct{}) (seen []int64) {
	t.Helper()
	after := int64(0)
	for last := false; ; {
		n := 0
		for c, err := range s.Changes(t.Context(), rows.ChangeFilter{After: after}) {
			require.NoError(t, err)
			seen = append(seen, c.Number)
			after = c.Number
			n++
		}
		if last && n == 0 {
			return seen
		}
		select {
		case <-done:
			last = true
		default:
		}
	}
}

func pageMany(t *testing.T, s Store) {
	const n = 200
	run := openRun(t, s, "1", keys(n)...)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var sum harvest.Tally
	for _, it := range claim(t, s, run, 1, n).Items {
		wg.Go(func() {
			// Every page holds the same document: one of them finds it new.
			got := s.Write(t.Context(), closed(page(it, "shared", "own-"+it.Key), outcomes.Done))
			if got.Err != nil {
				t.Error(got.Err)
			}
			mu.Lock()
			sum = sum.Add(got.Tally)
			mu.Unlock()
		})
	}
	wg.Wait()
	require.Equal(t, n+1, sum.New)
	require.Equal(t, n-1, sum.Same)
	require.Equal(t, rows.Counts{Documents: n + 1, Changes: n + 1, Pages: n}, counts(t, s))
	totals, err := s.Totals(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, []rows.OutcomeCount{{Outcome: outcomes.Done, Items: n, Tally: sum}}, totals)
}
