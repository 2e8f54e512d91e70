package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/store/storetest"
)

const (
	killItems = 4
	killRun   = 1
)

// commitForever takes all items over from the child before and commits pages. It
// says "ITEM SEQ" after each answer.
func commitForever(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.WithNap(store.Options{}, os.Getenv(napVariable)))
	if err != nil {
		return err
	}
	epoch := time.Now().UnixMicro()
	var say sync.Mutex
	for {
		got, err := s.Claim(ctx, rows.Claim{Run: killRun, Shared: true, Idle: true, Epoch: epoch, Worker: fmt.Sprint(os.Getpid()), Max: killItems, Now: time.Now()})
		if err != nil {
			return err
		}
		var wg sync.WaitGroup
		errs := make([]error, len(got.Items))
		for i, it := range got.Items {
			wg.Go(func() { errs[i] = commitSome(ctx, s, it, 12, &say) })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
	}
}

// commitSome commits a few pages of an item and gives it back.
func commitSome(ctx context.Context, s *store.Store, it rows.ClaimedItem, pages int, say *sync.Mutex) error {
	for range pages {
		w := killPage(it)
		if err := s.Write(ctx, w).Err; err != nil {
			return err
		}
		it.Seq++
		it.Checkpoint.Version++
		say.Lock()
		fmt.Printf("%s %d\n", it.Key, it.Seq)
		say.Unlock()
	}
	w := killPage(it)
	w.Page, w.Ledger = nil, nil
	w.Settle = &rows.Settle{State: rows.ItemOpen}
	return s.Write(ctx, w).Err
}

// killPage is the page that must follow: everything in it names its number. One
// document of each page is large enough to be a blob.
func killPage(it rows.ClaimedItem) rows.Write {
	seq := it.Seq + 1
	docs := make([]harvest.Document, 6)
	for i := range docs {
		docs[i] = harvest.Document{ID: fmt.Sprintf("%s/%d/%d", it.Key, seq, i), Body: []byte(strings.Repeat("x", 100*i))}
	}
	docs[0].Body = []byte(strings.Repeat(docs[0].ID+" ", 8000))
	return rows.Write{
		Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, Item: units.Item{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key}, At: time.Now(), Attempt: 1,
		Ledger: []visit.Exchange{{At: time.Now(), Method: "GET", URL: fmt.Sprintf("https://example.org/%s?page=%d", it.Key, seq), Host: "example.org", Status: 200}},
		Page: &rows.PageWrite{Seq: seq, Version: it.Checkpoint.Version, Collection: "kill", Page: harvest.Page{
			Documents: docs, Listed: len(docs), Checkpoint: json.RawMessage(fmt.Sprintf(`{"page":%d}`, seq)),
		}},
	}
}

func TestKilled(t *testing.T) {
	t.Parallel()
	const kills = 25
	path := filepath.Join(t.TempDir(), "killed.db")
	s := storetest.Open(t, path, store.Options{Create: true})
	startRun(t, s.Store, "kill", "run", killItems)
	answered := answers{}
	for range kills {
		err := startChild(t, "pages", path, "").killAfter(2+rand.IntN(40), func(line string) { answered.hear(t, line) })
		require.Error(t, err, "it was killed")
		verify(t, s, answered)
	}
	counts, err := s.Counts(t.Context(), "")
	require.NoError(t, err)
	t.Logf("%d kills: %d pages, %d documents, %d changes, %d exchanges; every page once, none lost", kills, counts.Pages, counts.Documents, counts.Changes, counts.Exchanges)
	require.Greater(t, counts.Pages, int64(kills))
}

// verify compares pages, checkpoints, documents and ledger with each other and
// with what was answered.
func verify(t *testing.T, s storetest.Store, answered answers) {
	t.Helper()
	items, err := s.RunItems(t.Context(), killRun, rows.ItemFilter{})
	require.NoError(t, err)
	cps, err := s.Checkpoints(t.Context(), rows.CheckpointFilter{})
	require.NoError(t, err)
	checkpoints := map[string]rows.Checkpoint{}
	for _, cp := range cps {
		checkpoints[cp.Key] = cp
	}
	documents, exchanges, total := map[string]int{}, map[string]int{}, 0
	for d, err := range s.Documents(t.Context(), rows.DocumentFilter{}) {
		require.NoError(t, err)
		require.Equal(t, 1, d.Version, "stored once")
		documents[d.Key]++
		total++
	}
	for l, err := range s.Ledger(t.Context(), rows.LedgerFilter{Run: killRun}) {
		require.NoError(t, err)
		exchanges[l.Key]++
	}
	for _, it := range items {
		require.GreaterOrEqual(t, it.Seq, answered[it.Key], "an answered page is there")
		require.Equal(t, 6*it.Seq, documents[it.Key])
		require.Equal(t, 6*it.Seq, it.Tally.New)
		require.Equal(t, it.Seq, exchanges[it.Key])
		require.EqualValues(t, it.Seq, checkpoints[it.Key].Version)
		if it.Seq > 0 {
			require.JSONEq(t, fmt.Sprintf(`{"page":%d}`, it.Seq), string(checkpoints[it.Key].Value))
			_, err := s.Document(t.Context(), "kill", fmt.Sprintf("%s/%d/0", it.Key, it.Seq))
			require.NoError(t, err, "with its blob")
		}
	}
	last, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, total, last)
}
