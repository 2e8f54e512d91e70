package activities

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// One host of fifty is paused. It is asked for as many of its items as the activity
// runs at once, not for each: the rest of them wait, and everybody else's are done.
func TestARestingHostIsAskedOnce(t *testing.T) {
	t.Parallel()
	const hosts, each, width = 50, 20, 4
	w := newWorld(t)
	var keys []string
	refused := harvest.Errorf(harvest.KindThrottled, "get", "https://h0.example/", "the host is paused")
	refused.Deferred, refused.RetryAfter, refused.Resting = true, time.Hour, "h0.example"
	for n := range hosts * each {
		keys = append(keys, fmt.Sprintf("i%d@h%d.example", n, n%hosts))
		if n%hosts == 0 {
			w.script.on(fmt.Sprint("i", n), fails(refused))
		}
	}
	w.apply(campaign("news", keys...))
	o := w.open(steps.Start{Campaign: "news"})
	began := time.Now()
	out, err := do(w, steps.FetchItems, w.whole(o, o.Ranges[0], width))
	require.NoError(t, err)
	require.Equal(t, (hosts-1)*each, out.Closed)
	require.Equal(t, each, out.Left)
	require.WithinRange(t, out.NextAt, began.Add(hostAsked-time.Second), time.Now().Add(hostAsked), "somebody may end the rest earlier")
	asked := 0
	for n := 0; n < hosts*each; n += hosts {
		asked += w.script.count(fmt.Sprint("i", n))
	}
	require.LessOrEqual(t, asked, width)
	items, err := w.store.RunItems(t.Context(), o.Run, rows.ItemFilter{States: []rows.ItemState{rows.ItemOpen}})
	require.NoError(t, err)
	for _, item := range items {
		require.Equal(t, "h0.example", item.Host)
		require.Zero(t, item.Attempts)
	}
}
