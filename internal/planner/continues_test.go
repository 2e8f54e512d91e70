package planner

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/units"
)

// TestThePlanAsksTheFetcher: what a plan says of checkpoints is the fetcher's own
// word, for the params of the entry as for those of a row.
func TestThePlanAsksTheFetcher(t *testing.T) {
	t.Parallel()
	const single = `feeds.yaml
project: law-monitor
campaigns:
  news: { schedule: every 4h, fetcher: gazzetta, params: { series: x, url: "https://a.example.org/" } }
`
	const split = `feeds.yaml
project: law-monitor
campaigns:
  news: { schedule: every 4h, fetcher: feed, params: { url: "https://a.example.org/" }, split: { key: label, items: [{ label: x, max_entries: 3 }, { label: y }] } }
`
	elsewhere := func(file string) string { return strings.Replace(file, "a.example.org", "b.example.org", 1) }
	for name, c := range map[string]struct{ before, after, checkpoint, want string }{
		"one item, another url":        {single, elsewhere(single), `{}`, "x: its checkpoint does not hold: another url is read from its beginning"},
		"a checkpoint that says so":    {single, elsewhere(single), `"any"`, ""},
		"all items of an entry":        {split, elsewhere(split), `{}`, "2 items (x, y): its checkpoint does not hold: another url is read from its beginning"},
		"a row's params":               {split, strings.Replace(split, "max_entries: 3", "max_entries: 4", 1), `{}`, "new params; the checkpoint is kept"},
		"a row's url":                  {split, strings.Replace(split, "max_entries: 3", `url: "https://c.example.org/"`, 1), `{}`, "new url; its checkpoint does not hold: another url is read from its beginning"},
		"a row's url and a checkpoint": {split, strings.Replace(split, "max_entries: 3", `url: "https://c.example.org/"`, 1), `"any"`, "new url; the checkpoint is kept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.files(c.before)
			w.plan()
			w.apply()
			w.settled()
			for _, entry := range []string{"gazzetta", "feed"} { // one of them is the campaign's
				require.NoError(t, w.store.SetCheckpoint(t.Context(), units.Item{Campaign: "news", Entry: entry, Key: "x"}, "", json.RawMessage(c.checkpoint)))
			}
			w.files(c.after)
			items := w.plan().Changes[0].Items
			got := ""
			if len(items) > 0 {
				got = items[0].Note
			}
			if len(items) > 0 && len(items[0].Rows) > 0 {
				got = items[0].Rows[0].Text
			}
			require.Equal(t, c.want, got)
		})
	}
}
