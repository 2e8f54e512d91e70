package activities

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// arranged lists hosts in dispatch order.
func arranged(t *testing.T, hosts []string) []string {
	t.Helper()
	a := newArrangement()
	for _, h := range hosts {
		a.count(h)
	}
	a.settle()
	order := make([]string, len(hosts))
	for i, h := range hosts {
		at := a.place(h)
		require.Empty(t, order[at], "place %d is given twice", at)
		order[at] = fmt.Sprintf("%s%d", h, i)
	}
	require.NotContains(t, order, "", "a place is left empty")
	return order
}

func TestDispatchOrderAlternatesHosts(t *testing.T) {
	t.Parallel()
	lists := map[string][]string{
		"one host":      strings.Fields("a a a a"),
		"three hosts":   strings.Fields("a a a a b b c"),
		"mixed":         strings.Fields("c a b a b a a c a b"),
		"all different": strings.Fields("a b c d"),
		"one big":       strings.Fields("x a a a a a a a b c"),
		"nothing":       nil,
	}
	var out strings.Builder
	for _, name := range []string{"one host", "three hosts", "mixed", "all different", "one big", "nothing"} {
		fmt.Fprintf(&out, "%-14s %s\n", name, strings.Join(arranged(t, lists[name]), " "))
	}
	golden(t, "arrange.golden", out.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestAMillionItemsAreArrangedInBoundedMemory(t *testing.T) {
	const n, hosts = 1_000_000, 50_000
	before := heap()
	a := newArrangement()
	host := func(i int) string { return fmt.Sprintf("h%d.example", i*i%hosts) }
	for i := range n {
		a.count(host(i))
	}
	a.settle()
	taken := make([]uint64, n/64+1)
	for i := range n {
		at := a.place(host(i))
		require.Zero(t, taken[at/64]&(1<<(at%64)), "place %d is given twice", at)
		taken[at/64] |= 1 << (at % 64)
	}
	require.Less(t, grown(before), uint64(16<<20))
	runtime.KeepAlive(a)
}

// sink counts what would be written.
type sink struct {
	seam
	items   int
	highest int64
	heap    uint64
	before  uint64
	rows    iter.Seq2[rows.ListRow, error]
}

func (s *sink) List(context.Context, string) iter.Seq2[rows.ListRow, error] { return s.rows }

func (s *sink) AddItems(_ context.Context, _ int64, items []rows.RunItem) error {
	s.items += len(items)
	for _, item := range items {
		s.highest = max(s.highest, item.Ord)
	}
	s.heap = max(s.heap, grown(s.before))
	return nil
}

// grown is how much the heap has grown since it had a size.
func grown(since uint64) uint64 {
	now := heap()
	return now - min(now, since)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestALongListIsNeverInMemory(t *testing.T) {
	const n = 200_000
	w := newWorld(t)
	s := &sink{before: heap(), rows: func(yield func(rows.ListRow, error) bool) {
		filler := strings.Repeat("x", 500)
		for i := range n {
			row := fmt.Sprintf(`{"key":"k%d","label":%q,"params":{"name":"n%d","url":"https://h%d.example/feed"}}`, i, filler, i, i%1000)
			if !yield(rows.ListRow(row), nil) {
				return
			}
		}
	}}
	w.seam = s
	c := campaign("long")
	c.Entries[0].Split = &campaigns.Split{List: "sha256:x", Count: n}
	require.NoError(t, w.populate(t.Context(), rows.Run{ID: 1}, &c, steps.Start{}))
	require.Equal(t, n, s.items)
	require.Equal(t, int64(n-1), s.highest, "places are dense")
	require.Less(t, s.heap, uint64(40<<20), "the list has 120 MB")
}
