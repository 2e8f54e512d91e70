package runs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func TestWhyAnItemEnded(t *testing.T) {
	t.Parallel()
	clock := print.Clock{Now: moment, Zone: rome(t)}
	v := runView{Run: rows.Run{Deadline: moment().Add(time.Minute)}}
	tried := []attempt{{N: 1, At: moment(), Error: "HTTP status 500"}}
	for name, c := range map[string]struct {
		item rows.RunItem
		seen []attempt
		want string
	}{
		"its turn never came": {
			item: rows.RunItem{Outcome: outcomes.Failed, Why: string(outcomes.WhyNextTick)},
			want: "its turn had not come at 18:11, when this run had to end (its deadline)",
		},
		"cut off at work": {
			item: rows.RunItem{Outcome: outcomes.Failed, Why: string(outcomes.WhyNextTick), Error: "the run had to end while this item was at work"}, seen: tried,
			want: "the run had to end while this item was at work (its deadline)",
		},
		"the next attempt is too late": {
			item: rows.RunItem{Outcome: outcomes.Failed, Why: string(outcomes.WhyNextTick), Error: "HTTP status 500"}, seen: tried,
			want: "the next attempt would come after 18:11, when this run must end (its deadline)",
		},
		"the list did not come": {
			item: rows.RunItem{Outcome: outcomes.Partial, Error: "get https://example.org/: HTTP status 500"},
			want: "get https://example.org/: HTTP status 500",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, whyLine(v, &itemView{RunItem: c.item, Attempted: c.seen}, clock))
		})
	}
}

func moment() time.Time { return time.Date(2026, 5, 3, 16, 10, 0, 0, time.UTC) }

func rome(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	return zone
}
