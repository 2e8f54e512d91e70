package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
)

// harvested puts one run into the bench's store: documents, and the pages that
// were asked for, by address.
func (b *bench) harvested(run string, pages map[string]string, docs ...harvest.Document) {
	b.t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, "sqlite:"+filepath.Join(b.dir, ".vendemmia", "vendemmia.db"), store.Options{Create: true})
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, s.Close()) }()
	g, err := s.OpenRun(ctx, rows.NewRun{Run: rows.Run{RunID: run, WorkflowID: run, Campaign: "acts", Trigger: "hand", StartedAt: moment()}})
	require.NoError(b.t, err)
	require.NoError(b.t, s.AddItems(ctx, g.Run.ID, []rows.RunItem{{Ord: 1, Entry: "web", Key: "site", Fetcher: "web"}}))
	_, err = s.SealRun(ctx, g.Run.ID, 1, time.Time{})
	require.NoError(b.t, err)
	claimed, err := s.Claim(ctx, rows.Claim{Run: g.Run.ID, Shared: true, Epoch: 1, Max: 1, Now: moment()})
	require.NoError(b.t, err)
	w := rows.Write{Run: g.Run.ID, Ord: 1, Epoch: 1, Item: units.Item{Campaign: "acts", Entry: "web", Key: "site"}, Fetcher: "web", At: moment()}
	for address, body := range pages {
		x := visit.Exchange{At: moment(), Method: "GET", URL: address, Host: "x.example", Status: 200}
		raw, err := s.PackRaw(ctx, []byte(body))
		require.NoError(b.t, err)
		x.Raw, w.Raw = raw.Digest, append(w.Raw, raw)
		w.Ledger = append(w.Ledger, x)
	}
	w.Page = &rows.PageWrite{Seq: 1, Collection: "acts", Version: claimed.Items[0].Checkpoint.Version, Page: harvest.Page{Documents: docs, Checkpoint: json.RawMessage(`{}`), Last: true}}
	w.Settle = &rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Done}
	require.NoError(b.t, s.Write(ctx, w).Err)
	require.NoError(b.t, s.FinishRun(ctx, rows.Finish{Run: g.Run.ID, Outcome: outcomes.Done, At: moment(), Summary: []byte(`{}`)}))
}

// The page a version was read from is at hand: by the document's address, with
// what the ledger masks, by its id where it names another address, and of a list
// that is one page, that.
func TestDocumentsGetRaw(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	act := func(id, at, title string) harvest.Document { return harvest.Document{ID: id, URL: at, Title: title} }
	for n := range 2 {
		b.harvested(fmt.Sprint("acts-", n+1), map[string]string{
			"https://x.example/list": "the list", "https://x.example/1?token=***": fmt.Sprint("page one, ", n+1), "https://x.example/2": "page two",
		}, act("one", "https://x.example/1?token=abc", fmt.Sprint("edition ", n+1)), act("https://x.example/2", "https://x.example/pretty", "x"), act("row-1", "", "x"))
	}
	require.Equal(t, "page one, 2", b.ok("documents", "get", "one", "--raw"))
	require.Equal(t, "page one, 1", b.ok("documents", "get", "one", "--raw", "--version", "1"))
	require.Equal(t, "page two", b.ok("documents", "get", "https://x.example/2", "--raw"))
	r := b.run("documents", "get", "row-1", "--raw")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "of the 3 pages that run acts-1 kept for its item, none has its address")
	b.harvested("acts-3", map[string]string{"https://x.example/list": "the list"}, act("row-2", "", "x"))
	require.Equal(t, "the list", b.ok("documents", "get", "row-2", "--raw"))
	require.Equal(t, 2, b.run("documents", "get", "one", "--raw", "--body").code)
}
