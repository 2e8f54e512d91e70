package workflows

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	sdkpb "go.temporal.io/api/sdk/v1"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestDetails(t *testing.T) {
	t.Parallel()
	r := &run{in: steps.Start{Campaign: "news"}}
	r.state = steps.State{
		Run:    steps.Opened{RunOf: steps.RunOf{Run: 7}, Items: 133},
		Closed: 133,
		Tally:  harvest.Tally{New: 1214, Changed: 9, Quarantined: 3},
		Seen: map[outcomes.Outcome]steps.Seen{
			outcomes.Throttled: {Items: 1}, outcomes.Partial: {Items: 1, New: 17}, outcomes.Done: {Items: 131, New: 1197},
		},
		Pending: []steps.Range{{NotBefore: start.Add(time.Hour), Left: 1, Why: "www.nytimes.com rests until 21:03"}},
	}
	require.Equal(t, strings.Join([]string{
		"**resting** 133 of 133 · 1,214 new · 9 changed · 3 quarantined",
		"",
		"| outcome | items | new |",
		"| --- | ---: | ---: |",
		"| done | 131 | 1,197 |",
		"| partial | 1 | 17 |",
		"| throttled | 1 | 0 |",
		"",
		"www.nytimes.com rests until 21:03 · 1 item",
	}, "\n"), details(r.head(), r.seen(), r.tail(start)))
}

func TestDetailsOfARunWithoutARun(t *testing.T) {
	t.Parallel()
	r := &run{in: steps.Start{Campaign: "news"}}
	require.Equal(t, "**at the gate**", details(r.head(), r.seen(), r.tail(start)))
	r.state.Run.Busy = "news-2026-05-03T14:00:00Z"
	require.Equal(t, "**waiting in line**\n\nwaits for news-2026-05-03T14:00:00Z", details(r.head(), r.seen(), r.tail(start)))
}

func TestDetailsStaySmall(t *testing.T) {
	t.Parallel()
	r := &run{in: steps.Start{Campaign: "news"}}
	r.state = steps.State{
		Run: steps.Opened{RunOf: steps.RunOf{Run: 7}, Items: 1 << 50}, Closed: 1 << 50, Trouble: strings.Repeat("https://x.example/?token=s3cret però ", 200),
		Tally: harvest.Tally{New: 1 << 50, Changed: 1 << 50, Deleted: 1 << 50, Quarantined: 1 << 50},
		Seen:  map[outcomes.Outcome]steps.Seen{},
	}
	for _, o := range outcomes.All() {
		r.state.Seen[o] = steps.Seen{Items: 1 << 40, New: 1 << 50}
	}
	for _, paused := range []string{"", strings.Repeat("by marta ", 100)} {
		r.state.Paused = paused
		got := details(r.head(), r.seen(), r.tail(start))
		require.LessOrEqual(t, utf8.RuneCountInString(got), maxDetails)
		require.LessOrEqual(t, strings.Count(got, "\n")+1, maxLines)
		require.NotContains(t, got, "s3cret")
		require.Contains(t, got, "| missed |", "what needs attention stays")
		require.NotContains(t, got, "| done |")
	}
}

func TestDetailsChangeNowAndThen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 60)
	o := opened(60)
	o.Processors = 1
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	w.fetch = hold
	var seen []string
	for i := range 60 { // one item a second
		w.after(time.Duration(i+1)*time.Second, func() {
			w.comeBack(int64(i+1), done(steps.FetchItemsIn{Ord: 1}), nil)
			text := w.metadata()
			if len(seen) == 0 || seen[len(seen)-1] != text {
				seen = append(seen, text)
			}
		})
	}
	_, err := w.news()
	require.NoError(t, err)
	require.InDelta(t, 12, len(seen), 2, "every five seconds")
	require.Contains(t, seen[len(seen)-1], "**running** ")
	require.Contains(t, w.metadata(), "**done** 60 of 60 · 60 new")
}

// TestDetailsLeaveTheGateWithTheFirstActivity: an activity may take an hour, and
// nothing else happens meanwhile.
func TestDetailsLeaveTheGateWithTheFirstActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.fetch = hold
	var text string
	w.after(time.Second, func() { text = w.metadata() })
	for i := range 3 {
		w.after(time.Duration(i+2)*time.Second, func() { w.comeBack(int64(i+1), done(steps.FetchItemsIn{Ord: 1}), nil) })
	}
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, "**running** 0 of 3 · 0 new · 0 changed", text)
}

// TestTheResultIsWhatTheStoreCounted: of what an attempt did before it died, the
// run has heard nothing.
func TestTheResultIsWhatTheStoreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		out := done(in)
		if in.Ord == 2 {
			out = steps.Fetched{} // the item was closed by the attempt that died
		}
		return out, nil
	}
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		require.Equal(t, 3, w.progress().Closed)
		return steps.Summary{Outcome: outcomes.Done, Items: map[outcomes.Outcome]int{outcomes.Done: 3}, Documents: steps.Documents{New: 239, Changed: 4}}, nil
	}
	_, err := w.news()
	require.NoError(t, err)
	require.Contains(t, w.metadata(), "**done** 3 of 3 · 239 new · 4 changed")
	require.Contains(t, w.metadata(), "| done | 3 |")
}

// metadata is the current details as the Web UI asks for them.
func (w *world) metadata() string {
	w.t.Helper()
	value, err := w.env.QueryWorkflow("__temporal_workflow_metadata")
	require.NoError(w.t, err)
	var m sdkpb.WorkflowMetadata
	require.NoError(w.t, value.Get(&m))
	return m.GetCurrentDetails()
}
