package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// What plan would say of the files alone, validate says too: at its line.
func TestValidateKnowsWhatIsNotMeant(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.file("feeds.csv", "id,url\nx,https://a.example.org/rss\ny,https://b.example.org/rss\nz,https://a.example.org/rss\n")
	b.file("c.yaml", `campaigns:
  never: { fetcher: feed, schedule: "0 0 30 2 *", params: { url: "https://n.example.org/" } }
  minutes:
    fetcher: feed
    schedule: "* * * * *"
    params: { url: "https://m.example.org/" }
  often: { fetcher: feed, schedule: every 30s, split: { file: feeds.csv, key: id } }
  two:
    schedule: every 2h
    fetchers:
      - { name: one, fetcher: feed, params: { url: "https://t.example.org/" } }
      - { name: other, fetcher: feed, params: { url: "https://t.example.org/", pages: 3 } }
`)
	r := b.run("campaigns", "validate", "c.yaml")
	require.Equal(t, program.ExitOK, r.code, r.out+r.err)
	require.Equal(t, `Allowed, but probably not meant:
c.yaml:5     minutes.schedule: cron "* * * * *" fires 60 times in each of its
             hours; once in an hour is: 0 * * * *
c.yaml:2     never.schedule: cron "0 0 30 2 *" never fires: there is no such day
c.yaml:7     often.schedule: every 30s is more often than once a minute
feeds.csv:4  z has the same address as x on line 2: it is harvested twice, each
             with a checkpoint of its own
c.yaml:8     other has the same address as one: it is harvested twice, each with
             a checkpoint of its own
4 campaigns in 1 file: no error, 5 warnings.
`, r.out)
}
