package oaipmh

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Windows follow one another to the end, each later than the one before, and
// leave nothing out.
func TestCutEnds(t *testing.T) {
	t.Parallel()
	begin, now := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2016, 5, 3, 8, 0, 0, 0, time.UTC)
	for step, windows := range map[step]int{"year": 2, "month": 17, "week": 70, "day": 489} {
		for _, g := range []granularity{day, second} {
			rest, more, n := span{Step: step}, true, 0
			for last := begin; more; n++ {
				var head span
				head, rest, more = rest.cut(begin, now, g)
				if !more {
					break
				}
				require.True(t, head.Until.After(last) || n == 0 && !head.Until.Before(last), "%s %s: %v after %v", step, g, head, last)
				require.False(t, rest.From.After(head.Until.Add(g.granule())), "%s %s: nothing between %v and %v", step, g, head, rest)
				require.Less(t, n, 600)
				last = head.Until
			}
			require.Equal(t, windows, n+1, "%s %s", step, g)
		}
	}
}
