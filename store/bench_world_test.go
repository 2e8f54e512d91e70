package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

// benchText is a record as repositories give them: the same elements in each,
// words of a common vocabulary, and a few numbers of its own.
func benchText(r *rand.Rand, vocabulary []string, n int) []byte {
	b := make([]byte, 0, n+200)
	b = append(b, `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`...)
	for _, element := range []string{"title", "creator", "subject", "description"} {
		b = fmt.Appendf(b, "<dc:%s>", element)
		for until := len(b) + n/6; len(b) < until; {
			b = append(append(b, vocabulary[r.IntN(len(vocabulary))]...), ' ')
		}
		b = fmt.Appendf(b, "</dc:%s>", element)
	}
	b = fmt.Appendf(b, "<dc:date>20%02d-0%d-1%d</dc:date><dc:identifier>https://repo.example.org/record/%d</dc:identifier>", r.IntN(26), 1+r.IntN(9), r.IntN(10), r.IntN(1_000_000))
	for len(b) < n-len("</oai_dc:dc>") {
		b = append(b, ' ')
	}
	return append(b, "</oai_dc:dc>"...)
}

func benchVocabulary(r *rand.Rand) []string {
	list := make([]string, 4000)
	for i := range list {
		word := make([]byte, 3+r.IntN(9))
		for k := range word {
			word[k] = "etaoinshrdlucmfw"[r.IntN(16)]
		}
		list[i] = string(word)
	}
	return list
}

func benchDocs(ids func(i int) string) []harvest.Document {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary, docs := benchVocabulary(r), make([]harvest.Document, benchDocuments)
	for i := range docs {
		docs[i] = harvest.Document{
			ID: ids(i), URL: "https://repo.example.org/record/" + ids(i), Kind: "record", Title: "A record of some length", MediaType: "text/xml",
			Published: time.Unix(1_700_000_000+int64(i), 0), Body: benchText(r, vocabulary, benchBody),
		}
	}
	return docs
}

func rising(i int) string { return fmt.Sprintf("oai:repo.example.org:%08d", i) }

func scattered(i int) string { return fmt.Sprintf("oai:%08x:%d", uint32(i)*2654435761, i) }

// bencher makes new stores for a benchmark: each call one store, opened as often
// as there are streams.
type bencher struct {
	address func(b *testing.B) string
	raw     func(b *testing.B, docs []harvest.Document) time.Duration
	streams int // processes that write at once
}

func benchers() map[string]bencher {
	served := func(b *testing.B) string { return store.BenchCluster.Database(b) }
	return map[string]bencher{
		"sqlite":     {func(b *testing.B) string { return filepath.Join(b.TempDir(), "bench.db") }, rawInsert, 1},
		"postgres":   {served, rawCopy, 1},
		"postgres-2": {served, nil, 2},
	}
}

func (e bencher) open(b *testing.B) []*store.Store {
	address := e.address(b)
	list := make([]*store.Store, e.streams)
	for i := range list {
		s, err := store.Open(b.Context(), address, store.Options{Create: true})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, s.Close()) })
		list[i] = s
	}
	return list
}

// startRun opens a run with n items of one page each.
func startRun(tb testing.TB, s *store.Store, campaign, id string, n int) int64 {
	g, err := s.OpenRun(context.Background(), rows.NewRun{Run: rows.Run{RunID: id, WorkflowID: id, Campaign: campaign}, Exclusive: true})
	require.NoError(tb, err)
	items := make([]rows.RunItem, n)
	for i := range items {
		items[i] = rows.RunItem{Ord: int64(i), Entry: "e", Key: fmt.Sprintf("item-%07d", i), Fetcher: "feed", Host: "feeds.example.org", Params: []byte(fmt.Sprintf(`{"url":"https://feeds.example.org/%d/feed.xml"}`, i))}
	}
	require.NoError(tb, s.AddItems(context.Background(), g.Run.ID, items))
	_, err = s.SealRun(context.Background(), g.Run.ID, 10, time.Time{})
	require.NoError(tb, err)
	return g.Run.ID
}
