package planner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

const newsFile = `news.yaml
project: law-monitor
campaigns:
  news: { schedule: every 4h, fetcher: feed, split: { file: feeds.csv, key: id } }
`

func (w *world) checkpoint(campaign, entry, key string) {
	w.t.Helper()
	require.NoError(w.t, w.store.SetCheckpoint(w.t.Context(), units.Item{Campaign: campaign, Entry: entry, Key: key}, "", []byte(`1`)))
}

// A campaign that was renamed in the file without a word is noticed before it is
// applied; a `was` that comes later moves what it can, and is refused where both
// names have harvested the same item.
func TestWasThatWasForgotten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		later   string // the item that has a checkpoint under the new name
		blocked string
	}{
		"nothing has run under the new name": {},
		"another item has":                   {later: "new-one"},
		"the same item has":                  {later: "old-one", blocked: "`was` comes too late: notizie has run already, and 1 item (old-one) has a checkpoint there and under news; take `was` out of the file and the two stay apart, or choose a name that has not run yet and keep `was`: what news had goes there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.files(newsFile, feedsFile)
			w.apply()
			w.checkpoint("news", "feed", "old-one")
			renamed := strings.Replace(newsFile, "news: {", "notizie: {", 1)
			w.files(renamed)
			require.Contains(t, w.change("notizie").Warnings, "has 3 of the 3 addresses of news, which is no longer in any file; renamed? write was: news here before the first apply, and its checkpoints and documents come along")
			w.apply()
			if c.later != "" {
				w.checkpoint("notizie", "feed", c.later)
			}
			w.files(strings.Replace(renamed, "{ schedule", "{ was: news, schedule", 1))
			require.Equal(t, c.blocked, w.change("notizie").Blocked)
			if c.blocked != "" {
				_, err := w.Apply(t.Context(), w.in, "", nil)
				require.ErrorIs(t, err, ErrBlocked)
				return
			}
			require.Equal(t, "news", w.change("notizie").Was)
			require.Equal(t, 1, w.apply().Done[0].Moved)
			w.settled()
			require.NotContains(t, w.server.schedules, "campaign-news")
		})
	}
}

func TestWasOfAnEntryThatComesTooLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := strings.Replace(newsFile, "fetcher: feed, split: { file: feeds.csv, key: id }", `fetchers: [{ name: feeds, fetcher: feed, split: { file: feeds.csv, key: id } }]`, 1)
	w.files(strings.Replace(file, "name: feeds", "name: rss", 1), feedsFile)
	w.apply()
	w.checkpoint("news", "rss", "old-one")
	w.files(file)
	w.apply()
	w.files(strings.Replace(file, "name: feeds", "name: feeds, was: rss", 1))
	require.True(t, w.plan().Pending())
	w.checkpoint("news", "feeds", "old-one")
	require.Contains(t, w.change("news").Blocked, "`was` comes too late: news / feeds has run already")
	w.files(file)
	w.settled()
}

// A row whose key alone changed is told by its address; with `was` it keeps its
// checkpoint.
func TestARowWithAnotherKeyIsNoticed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(newsFile, feedsFile)
	w.apply()
	w.checkpoint("news", "feed", "old-one")
	w.files(strings.Replace(feedsFile, "old-one", "archive", 1))
	rows := w.change("news").Items[0].Rows
	require.Equal(t, RowChange{Mark: MarkNew, Key: "archive", Text: "has the address of old-one, which goes; renamed? write was: old-one in its row before the apply, or it begins anew"}, rows[0])

	w.files(withWas("old-one", "archive"))
	require.Equal(t, []RowChange{{Mark: MarkChanged, Key: "archive", Text: "was old-one: its checkpoint, documents and history come along"}}, w.change("news").Items[0].Rows)
	require.Equal(t, 1, w.apply().Done[0].Moved)
	w.settled()
	require.Equal(t, []string{"archive"}, w.keys("news"))
}

// A `was` that comes after the first apply moves what it can, and is refused once
// the item has run under its new key.
func TestWasOfAnItemThatComesTooLate(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"not run yet": false, "run already": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.files(newsFile, feedsFile)
			w.apply()
			w.checkpoint("news", "feed", "old-one")
			w.files(strings.Replace(feedsFile, "old-one", "archive", 1))
			w.apply()
			if late {
				w.checkpoint("news", "feed", "archive")
			}
			w.files(withWas("old-one", "archive"))
			if late {
				require.Equal(t, "`was` comes too late: item archive of feed has run already and has a checkpoint of its own beside old-one's; take `was` out of its row and the two stay apart, or discard what it has done since: starter checkpoints reset --campaign news --item archive", w.change("news").Blocked)
				return
			}
			require.Equal(t, []RowChange{{Mark: MarkChanged, Key: "archive", Text: "was old-one: its checkpoint, documents and history come along"}}, w.change("news").Items[0].Rows)
			require.Equal(t, 1, w.apply().Done[0].Moved)
			w.settled()
		})
	}
}

// withWas is the list of feeds with another key for one of them, and a column
// that says so.
func withWas(was, key string) string {
	lines := strings.Split(strings.TrimSpace(strings.Replace(feedsFile, was, key, 1)), "\n")
	for i := range lines[1:] {
		more := ","
		switch {
		case i == 0:
			more = ",was"
		case strings.HasPrefix(lines[i+1], key+","):
			more = "," + was
		}
		lines[i+1] += more
	}
	return strings.Join(lines, "\n") + "\n"
}

func (w *world) keys(campaign string) (keys []string) {
	w.t.Helper()
	list, err := w.store.Items(w.t.Context(), rows.ItemsFilter{Campaign: campaign})
	require.NoError(w.t, err)
	for _, i := range list {
		keys = append(keys, i.Key)
	}
	return keys
}
