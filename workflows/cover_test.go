package workflows

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// shelf is a store of nothing but which items are open.
type shelf struct {
	mu     sync.Mutex
	dice   *rand.Rand
	now    func() time.Time
	open   map[int64]time.Time // when due
	closed map[int64]int       // how often
}

func (s *shelf) fetch(in steps.FetchItemsIn) (steps.Fetched, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dice.IntN(20) == 0 {
		return steps.Fetched{}, errors.New("a moment of trouble that Temporal repeats")
	}
	out := steps.Fetched{Worst: harvest.OutcomeDone}
	for ord := in.Lo; ord <= in.Hi; ord++ {
		due, open := s.open[ord]
		switch {
		case !open:
			continue
		case due.After(s.now()):
		case s.dice.IntN(4) > 0:
			delete(s.open, ord)
			s.closed[ord]++
			out.Closed++
			continue
		case s.dice.IntN(2) == 0:
			s.open[ord] = s.now().Add(time.Duration(s.dice.IntN(5000)) * time.Second)
		}
		out.Left++
		if at := s.open[ord]; out.NextAt.IsZero() || at.Before(out.NextAt) {
			out.NextAt = at
		}
	}
	if out.Left > 0 && s.dice.IntN(5) == 0 {
		out.Queue = "browser"
	}
	return out, nil
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
			s := &shelf{dice: dice, open: map[int64]time.Time{}, closed: map[int64]int{}}
			for entry, n := range []int{1 + dice.IntN(90), 1, 1 + dice.IntN(40)} {
				lo := int64(entry) << 32
				o.Ranges = append(o.Ranges, steps.Range{
					Entry: fmt.Sprint(entry), Queue: "q", Lo: lo, Hi: lo + int64(n) - 1, Chunk: dice.IntN(8), Priority: dice.IntN(6),
				})
				o.Items += n
				for ord := lo; ord < lo+int64(n); ord++ {
					s.open[ord] = time.Time{}
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
		return steps.Summary{Outcome: harvest.OutcomeDone}, nil
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

// TestAHugeRunStaysSmall: a hundred thousand items are five hundred activities.
func TestAHugeRunStaysSmall(t *testing.T) {
	t.Parallel()
	const items = 100_000
	w := newWorld(t, items)
	o := opened(items)
	o.Processors, o.Ranges[0].Chunk = 500, 0
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	covered := make([]int, items+1)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for ord := in.Lo; ord <= in.Hi; ord++ {
			covered[ord]++
		}
		return done(in), nil
	}
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, 500, w.count("fetch"))
	require.LessOrEqual(t, w.most, 500)
	for ord, n := range covered[1:] {
		require.Equal(t, 1, n, ord)
	}
}

// TestAnEndlessRunGoesOnInFreshHistories is our own bound, without the server's.
func TestAnEndlessRunGoesOnInFreshHistories(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3000)
	o := opened(3000)
	o.Processors = 50
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	_, err := w.news()
	next := continued(t, err)
	require.GreaterOrEqual(t, next.Resume.Chunks, maxChunks)
	require.Less(t, next.Resume.Chunks, maxChunks+50)
	require.Equal(t, 3000, next.Resume.Closed+pendingItems(next.Resume.Pending))
	require.False(t, temporal.IsCanceledError(err))
}

func pendingItems(pending []steps.Range) (n int) {
	for _, part := range pending {
		n += part.Open()
	}
	return n
}
