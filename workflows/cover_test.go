package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// shelf is a store of nothing but which items are open.
type shelf struct {
	mu     sync.Mutex
	dice   *rand.Rand
	now    func() time.Time
	open   map[int64]*waiting
	closed map[int64]int // how often
}

// waiting is an open item.
type waiting struct {
	queue string
	due   time.Time
}

func (s *shelf) fetch(in steps.FetchItemsIn) (steps.Fetched, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dice.IntN(20) == 0 {
		return steps.Fetched{}, errors.New("a moment of trouble that Temporal repeats")
	}
	out := steps.Fetched{}
	taken := 0
	for _, ord := range slices.Sorted(maps.Keys(s.open)) {
		it := s.open[ord]
		if in.Shared && it.queue != in.Queue || !in.Shared && ord != in.Ord {
			continue
		}
		if !it.due.After(s.now()) && (!in.Shared || taken < in.Max) {
			taken++
			s.try(ord, it, &out)
		}
		if it := s.open[ord]; it != nil && (!in.Shared || it.queue == in.Queue) {
			if out.Left++; out.NextAt.IsZero() || it.due.Before(out.NextAt) {
				out.NextAt = it.due
			}
		}
	}
	return out, nil
}

// try closes an item, or lets it wait, perhaps in another queue.
func (s *shelf) try(ord int64, it *waiting, out *steps.Fetched) {
	if s.dice.IntN(4) > 0 {
		delete(s.open, ord)
		s.closed[ord]++
		out.Closed++
		return
	}
	it.due = s.now().Add(time.Duration(s.dice.IntN(5000)) * time.Second)
	if s.dice.IntN(5) == 0 {
		it.queue, out.Queue = "browser", "browser"
	}
}

// TestEveryItemIsWorkedOff plays whole runs with chance in every answer, pauses
// and fresh histories in between: nothing is lost, nothing is done twice.
func TestEveryItemIsWorkedOff(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dice := rand.New(rand.NewPCG(seed, 1))
			o := opened(0)
			o.Processors, o.Ranges = 1+dice.IntN(12), nil
			s := &shelf{dice: dice, open: map[int64]*waiting{}, closed: map[int64]int{}}
			for entry, n := range []int{1 + dice.IntN(90), 1, 1 + dice.IntN(40)} {
				lo, queue := int64(entry)<<32, fmt.Sprint("q", entry)
				part := steps.Range{Entry: fmt.Sprint(entry), Queue: queue, Lo: lo, Hi: lo + int64(n) - 1, Priority: dice.IntN(6)}
				if seed%2 == 1 {
					part = steps.Range{Queue: queue, Shared: true, Left: n, Chunk: 1 + dice.IntN(20), Priority: dice.IntN(6)}
				}
				o.Ranges = append(o.Ranges, part)
				o.Items += n
				for ord := lo; ord < lo+int64(n); ord++ {
					s.open[ord] = &waiting{queue: queue}
				}
			}
			in := steps.Start{Campaign: "news"}
			for executions := 1; ; executions++ {
				require.Less(t, executions, 200)
				next := s.execution(t, o, in)
				if next == nil {
					break
				}
				in = *next
			}
			require.Empty(t, s.open)
			require.Len(t, s.closed, o.Items)
			for ord, n := range s.closed {
				require.Equal(t, 1, n, ord)
			}
		})
	}
}

// execution runs one history; it returns what the next one begins with.
func (s *shelf) execution(t *testing.T, o steps.Opened, in steps.Start) *steps.Start {
	w := newWorld(t, 0)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	if in.Resume != nil {
		w.env.SetStartTime(s.now().Add(time.Second))
	}
	s.now, w.fetch = w.env.Now, s.fetch
	closed := 0
	w.close = func(in steps.CloseRunIn) (steps.Summary, error) {
		require.Empty(t, in.Error)
		require.Empty(t, in.Cause)
		closed = w.progress().Closed
		return steps.Summary{Outcome: outcomes.Done}, nil
	}
	w.after(time.Duration(s.dice.IntN(3000))*time.Second, func() { w.update("pause", steps.PauseIn{}) })
	w.after(3000*time.Second, func() { w.update("resume", steps.ResumeIn{}) })
	w.after(time.Duration(3001+s.dice.IntN(6000))*time.Second, func() { w.env.SetContinueAsNewSuggested(true) })
	_, err := w.run(in)
	require.LessOrEqual(t, w.most, o.Processors)
	if workflow.IsContinueAsNewError(err) {
		next := continued(t, err)
		return &next
	}
	require.NoError(t, err)
	require.Equal(t, o.Items, closed)
	return nil
}

// TestAHugeRunStaysSmall: of a hundred thousand items, the history and the state
// are as small as of a thousand, in every mode.
func TestAHugeRunStaysSmall(t *testing.T) {
	t.Parallel()
	const items = 100_000
	for _, c := range []struct {
		name                    string
		processors, chunk       int
		fruitful, processorsMax int // activities that closed items
	}{
		{"auto", 500, 0, 60, 500},
		{"few processors", 4, 0, 60, 4},
		{"chunks of one item", 500, 1, 500, 500},
		{"large chunks", 20, 5000, 20, 20},
		{"everything waits", 50, 1, 500, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, items)
			o := many(items, c.processors, c.chunk)
			w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
			left, fruitful := items, 0
			w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				n := min(left, in.Max)
				if left -= n; n > 0 {
					fruitful++
				}
				out := steps.Fetched{Closed: n, Left: min(1000, left)}
				if left > 0 && c.name == "everything waits" {
					out.NextAt, out.Why = w.env.Now().Add(time.Minute), strings.Repeat("a host rests ", 100)
				}
				return out, nil
			}
			w.after(30*time.Second, func() {
				if c.name == "everything waits" {
					w.env.SetContinueAsNewSuggested(true)
				}
			})
			_, err := w.news()
			if c.name == "everything waits" {
				requireSmall(t, continued(t, err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.fruitful, fruitful)
			// How many find nothing, because others were faster, depends on the machine.
			require.LessOrEqual(t, w.count("fetch"), 1000)
			require.LessOrEqual(t, w.most, c.processorsMax)
		})
	}
}

// requireSmall: the server takes no input above 2 MiB, and each fresh history
// carries the state along.
func requireSmall(t *testing.T, next steps.Start) {
	t.Helper()
	raw, err := json.Marshal(next)
	require.NoError(t, err)
	require.Less(t, len(raw), 256<<10)
}

// The largest state is that of five hundred items with an activity each, all of
// which wait for something long.
func TestTheStateOfManyWaitingItemsStaysSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, steps.MaxLabels)
	o := opened(steps.MaxLabels)
	o.Processors = 500
	part := &o.Ranges[0]
	part.Entry, part.Queue = strings.Repeat("e", 63), strings.Repeat("q", 60)
	for range steps.MaxLabels {
		part.Labels = append(part.Labels, strings.Repeat("l", steps.MaxLabel))
	}
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	w.fetch = func(steps.FetchItemsIn) (steps.Fetched, error) {
		return steps.Fetched{Left: 1, NextAt: start.Add(time.Hour), Why: strings.Repeat("why ", 300)}, nil
	}
	w.after(time.Minute, func() { w.env.SetContinueAsNewSuggested(true); w.update("pause", steps.PauseIn{}) })
	_, err := w.news()
	next := continued(t, err)
	require.Len(t, next.Resume.Pending, steps.MaxLabels)
	requireSmall(t, next)
}

// TestAnEndlessRunGoesOnInFreshHistories is our own bound, without the server's.
func TestAnEndlessRunGoesOnInFreshHistories(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3000)
	o := many(3000, 50, 0)
	o.Ranges[0].Chunk = 1
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	left := 3000
	w.fetch = func(steps.FetchItemsIn) (steps.Fetched, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		left--
		return steps.Fetched{Closed: 1, Left: left}, nil
	}
	_, err := w.news()
	next := continued(t, err)
	require.GreaterOrEqual(t, next.Resume.Activities, maxActivities)
	require.Less(t, next.Resume.Activities, maxActivities+50)
	// The environment of the tests drops the result of an activity that was cancelled
	// while it ran; a server delivers it. Such an activity may still run here.
	w.mu.Lock()
	defer w.mu.Unlock()
	require.InDelta(t, 3000, next.Resume.Closed+left, float64(o.Processors))
	require.Len(t, next.Resume.Pending, 1)
	require.False(t, temporal.IsCanceledError(err))
}
