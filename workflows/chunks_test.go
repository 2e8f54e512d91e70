package workflows

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestChunkOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, items, processors, want int }{
		{0, 133, 10, 1},
		{0, 500, 10, 1},
		{0, 501, 10, 2},
		{0, 100_000, 500, 200},
		{0, 1_000_000, 500, 2000},
		{1, 133, 10, 1},
		{10, 133, 10, 10},
		{1, 5000, 1000, 3}, // 400 activities have to use 1,000 processors
		{1, 133, 1000, 1},  // but there are only so many items
		{0, 0, 4, 1},
	} {
		got := chunkOf(steps.Range{Chunk: c.given}, c.items, c.processors)
		require.Equal(t, c.want, got, "%+v", c)
	}
}

func TestWidths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		processors, chunk int
		want              []int // widths of the chunks that fly at once
	}{
		{1, 1, []int{1}},
		{4, 1, []int{1, 1, 1, 1}},
		{10, 4, []int{4, 3, 3}},
		{10, 20, []int{5, 5}},
		{4, 100, []int{4}},
		{4, 2, []int{2, 2}},
		{20, 10, []int{7, 7, 6}},
		{500, 200, slices.Concat(slices.Repeat([]int{21}, 20), slices.Repeat([]int{20}, 4))},
		{500, 2000, slices.Concat(slices.Repeat([]int{21}, 20), slices.Repeat([]int{20}, 4))},
		{64, 64, []int{8, 8, 8, 8, 8, 8, 8, 8}},
	} {
		var got []int
		used := 0
		for {
			w := widthOf(c.processors, c.chunk, len(got), used)
			if w == 0 {
				break
			}
			got, used = append(got, w), used+w
		}
		require.Equal(t, c.want, got, "processors %d chunk %d", c.processors, c.chunk)
	}
}

func TestWidthsNeverExceedTheProcessors(t *testing.T) {
	t.Parallel()
	for processors := 1; processors <= 1200; processors += 1 + processors/7 {
		for _, items := range []int{1, 7, 133, 499, 501, 5000, 100_000} {
			for _, given := range []int{0, 1, 3, 10, 700} {
				name := fmt.Sprintf("processors %d items %d chunk %d", processors, items, given)
				chunk := chunkOf(steps.Range{Chunk: given}, items, processors)
				used, flying := 0, 0
				for w := widthOf(processors, chunk, flying, used); w > 0; w = widthOf(processors, chunk, flying, used) {
					used, flying = used+w, flying+1
				}
				require.LessOrEqual(t, used, processors, name)
				require.LessOrEqual(t, flying, maxFlights, name)
				require.Positive(t, used, name)
				require.GreaterOrEqual(t, min(used, items), min(processors, items), "%s: all processors work", name)
			}
		}
	}
}

func TestASmallRemainderWaits(t *testing.T) {
	t.Parallel()
	require.Equal(t, 0, widthOf(11, 20, 1, 10), "one processor for twenty items would trail behind")
	require.Equal(t, 1, widthOf(11, 20, 0, 10), "unless there is nothing to wait for")
	require.Equal(t, 0, widthOf(4, 1, 6, 6), "fewer processors than before: what flies comes home first")
}

func TestTake(t *testing.T) {
	t.Parallel()
	pending := []steps.Range{
		{Entry: "theses", Lo: 1, Hi: 3, First: 1, Labels: []string{"a", "b", "c"}},
		{Entry: "books", Lo: 1 << 32, Hi: 1<<32 + 9, First: 4},
	}
	part, rest := take(pending, 0, 2)
	require.Equal(t, steps.Range{Entry: "theses", Lo: 1, Hi: 2, First: 1, Labels: []string{"a", "b"}}, part)
	require.Equal(t, []steps.Range{
		pending[1],
		{Entry: "theses", Lo: 3, Hi: 3, First: 3, Labels: []string{"c"}},
	}, rest, "the rest goes to the end: entries take turns")
	part, rest = take(rest, 0, 100)
	require.Equal(t, pending[1], part)
	require.Len(t, rest, 1)

	back := []steps.Range{{Lo: 1, Hi: 50, Left: 2}}
	part, rest = take(back, 0, 1)
	require.Equal(t, back[0], part, "a chunk that was handed back stays whole")
	require.Empty(t, rest)
}

func TestDue(t *testing.T) {
	t.Parallel()
	later := start.Add(time.Minute)
	for _, c := range []struct {
		name    string
		pending []steps.Range
		want    int
	}{
		{"nothing", nil, -1},
		{"in line", []steps.Range{{}, {}}, 0},
		{"not yet", []steps.Range{{NotBefore: later}, {}}, 1},
		{"none yet", []steps.Range{{NotBefore: later}}, -1},
		{"urgent first", []steps.Range{{}, {Priority: 5}, {Priority: 1}}, 2},
		{"zero is normal", []steps.Range{{Priority: 4}, {}, {Priority: 3}}, 1},
		{"nonsense is normal", []steps.Range{{Priority: 9}, {Priority: 4}}, 0},
	} {
		require.Equal(t, c.want, due(c.pending, start), c.name)
	}
}

func TestEarliest(t *testing.T) {
	t.Parallel()
	at := func(m int) steps.Range { return steps.Range{NotBefore: start.Add(time.Duration(m) * time.Minute)} }
	deadline := start.Add(10 * time.Minute)
	require.Equal(t, 1, earliest([]steps.Range{at(5), at(3), at(9)}, start, deadline))
	require.Equal(t, -1, earliest([]steps.Range{at(-5), at(0)}, start, deadline), "those are due")
	require.Equal(t, -1, earliest([]steps.Range{at(10), at(11)}, start, deadline), "too late")
	require.Equal(t, 0, earliest([]steps.Range{at(10), at(11)}, start, time.Time{}))
	require.True(t, hopeless([]steps.Range{at(10), at(11)}, deadline))
	require.False(t, hopeless([]steps.Range{at(10), at(9)}, deadline))
	require.False(t, hopeless([]steps.Range{at(10)}, time.Time{}))
}

func TestNumber(t *testing.T) {
	t.Parallel()
	got := number([]steps.Range{{Lo: 1, Hi: 3}, {Lo: 9, Hi: 8}, {Lo: 1 << 32, Hi: 1<<32 + 4}})
	require.Equal(t, []steps.Range{{Lo: 1, Hi: 3, First: 1}, {Lo: 1 << 32, Hi: 1<<32 + 4, First: 4}}, got)
}

func TestStall(t *testing.T) {
	t.Parallel()
	require.Equal(t, time.Duration(0), stall(1))
	require.Equal(t, time.Second, stall(2))
	require.Equal(t, 32*time.Second, stall(7))
	require.Equal(t, maxStall, stall(8))
	require.Equal(t, maxStall, stall(1_000_000))
}
