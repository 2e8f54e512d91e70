package workflows

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestWidths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		processors, queues int
		want               []int // widths of the activities that run at once
	}{
		{1, 1, []int{1}},
		{4, 1, []int{4}},
		{4, 2, []int{2, 2}},
		{10, 1, []int{5, 5}},
		{20, 1, []int{7, 7, 6}},
		{20, 4, []int{5, 5, 5, 5}},
		{64, 1, []int{8, 8, 8, 8, 8, 8, 8, 8}},
		{500, 1, slices.Concat(slices.Repeat([]int{21}, 23), []int{17})},
	} {
		var got []int
		free := c.processors
		for free > 0 {
			w := widthOf(c.processors, free, c.queues)
			got, free = append(got, w), free-w
		}
		require.Equal(t, c.want, got, "processors %d queues %d", c.processors, c.queues)
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	pending := []steps.Range{
		{Entry: "theses", Lo: 1, Hi: 3, First: 1, Labels: []string{"a", "b", "c"}},
		{Entry: "books", Lo: 1 << 32, Hi: 1<<32 + 9, First: 4},
	}
	part, rest := take(pending, 0, 1)
	require.Equal(t, steps.Range{Entry: "theses", Lo: 1, Hi: 1, First: 1, Labels: []string{"a"}}, part)
	require.Equal(t, []steps.Range{
		pending[1],
		{Entry: "theses", Lo: 2, Hi: 3, First: 2, Labels: []string{"b", "c"}},
	}, rest, "the rest goes to the end: entries take turns")

	part, rest = take([]steps.Range{{Lo: 5, Hi: 5}, pending[0]}, 0, 1)
	require.Equal(t, steps.Range{Lo: 5, Hi: 5}, part)
	require.Equal(t, pending[:1], rest)

	shared := []steps.Range{{Queue: "q", Shared: true, Left: 10}, {Queue: "other", Shared: true, Left: 3}}
	part, rest = take(shared, 0, 7)
	require.Equal(t, shared[0], part)
	require.Equal(t, []steps.Range{shared[1], {Queue: "q", Shared: true, Left: 3}}, rest)
	_, rest = take(rest, 1, 7)
	require.Equal(t, shared[1:], rest, "all of it is being worked on")
}

// What comes in last may have been seen first: the earlier moment holds.
func TestMerge(t *testing.T) {
	t.Parallel()
	early, late := start.Add(time.Minute), start.Add(time.Hour)
	other := steps.Range{Queue: "other", Shared: true, Left: 1}
	at := func(left int, when time.Time) steps.Range {
		return steps.Range{Queue: "q", Shared: true, Left: left, NotBefore: when}
	}
	require.Equal(t, []steps.Range{other, at(2, early)}, merge([]steps.Range{other}, at(2, early)))
	require.Equal(t, []steps.Range{other, at(2, early)}, merge([]steps.Range{at(1, early), other}, at(2, late)))
	require.Equal(t, []steps.Range{other, at(2, early)}, merge([]steps.Range{at(1, late), other}, at(2, early)))
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
