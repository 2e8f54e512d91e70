package cli

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/checkpoints"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

const repositories = `project: library
campaigns:
  repositories:
    fetchers:
      - name: partners
        fetcher: oaipmh
        params: { prefix: marc21, token: "${secret:env:VENDEMMIA_SECRET_TOKEN}" }
        split:
          key: id
          items:
            - { id: alpha, url: "https://alpha.example.org/oai" }
            - { id: beta, url: "https://beta.example.org/oai", set: theses }
      - name: others
        fetcher: oaipmh
        params: { url: "https://others.example.org/oai" }
      - name: news
        fetcher: feed
        params: { url: "https://news.example.org/rss" }
`

// archives is a bench with the campaign repositories applied.
func archives(t *testing.T) *bench {
	t.Helper()
	b := emptyBench(t)
	b.set = archiveSet(t)
	b.ok("init")
	b.file("campaigns/main.yaml", repositories)
	b.ok("campaigns", "apply")
	b.env["VENDEMMIA_SECRET_TOKEN"] = "s3cret"
	return b
}

func TestCheckpointsSetFromAPosition(t *testing.T) {
	t.Parallel()
	b := archives(t)
	require.Equal(t, "target   store sqlite .vendemmia/vendemmia.db #7f3a\nitem     repositories / partners / beta\nbefore   -\n"+
		`after    {"from":"2026-05-01","set":"theses"}`+"\n", b.ok("checkpoints", "set", "--campaign", "repositories", "--item", "beta", "from=2026-05-01"))
	out := b.ok("checkpoints", "set", "--item", "repositories / partners / beta", "from=2026-04-01")
	require.Contains(t, out, `before   {"from":"2026-05-01","set":"theses"}`)
	require.Contains(t, b.ok("checkpoints", "show", "beta"), `{"from":"2026-04-01","set":"theses"}`)
	b.ok("checkpoints", "set", "--item", "beta", "from=2026-04-02")

	var told []checkpoints.Move
	require.NoError(t, json.Unmarshal([]byte(b.ok("checkpoints", "set", "--item", "beta", "from=2026-04-03", "-o", "json")), &told))
	require.JSONEq(t, `{"from":"2026-04-02","set":"theses"}`, string(told[0].Before))
	require.JSONEq(t, `{"from":"2026-04-03","set":"theses"}`, string(told[0].After))
}

func TestCheckpointsSetMany(t *testing.T) {
	t.Parallel()
	b := archives(t)
	b.file("positions.csv", "item,from\nalpha,2026-05-01\nbeta,2026-05-02\nhttps://others.example.org/oai,2026-05-03\n")
	golden(t, "checkpoints_set_many", b.ok("checkpoints", "set", "--campaign", "repositories", "--file", "positions.csv"))

	b.file("wrong.csv", "item,from\nalpha,2026-06-01\nalfa,2026-05-02\nbeta,soon\nhttps://news.example.org/rss,2026-05-01\n")
	r := b.run("checkpoints", "set", "--campaign", "repositories", "--file", "wrong.csv")
	require.Equal(t, program.ExitUsage, r.code)
	golden(t, "checkpoints_set_wrong", r.out)
	require.NotContains(t, b.ok("checkpoints", "list"), "2026-06-01", "all or nothing")

	b.file("broken.csv", "item\nalpha\n")
	require.Contains(t, b.run("checkpoints", "set", "--campaign", "repositories", "--file", "broken.csv").out, "broken.csv:1  the header needs item")
	b.file("none.csv", "item,from\n")
	require.Contains(t, b.run("checkpoints", "set", "--campaign", "repositories", "--file", "none.csv").err, "no positions in it")
}

func TestCheckpointsSetMistakes(t *testing.T) {
	t.Parallel()
	b := archives(t)
	for says, args := range map[string][]string{
		"did you mean alpha?":             {"--campaign", "repositories", "--item", "alpa", "from=2026-05-01"},
		"give the checkpoint itself: --j": {"--campaign", "repositories", "--entry", "news", "--item", "https://news.example.org/rss", "from=2026-05-01"},
		"there is from":                   {"--campaign", "repositories", "--item", "alpha", "token=x"},
		"is not a date":                   {"--campaign", "repositories", "--item", "alpha", "from=soon"},
		"not applied":                     {"--campaign", "depositories", "--item", "alpha", "from=2026-05-01"},
		"or name its campaign":            {"--item", "alpha", "from=2026-05-01"},
		"say where to go on":              {"--item", "alpha"},
		"leave out --item":                {"--item", "alpha", "--file", "x.csv"},
		"say whose":                       {"from=2026-05-01"},
		"not JSON":                        {"--item", "alpha", "--json", "{"},
		"with --json":                     {"--item", "alpha", `{"from":1}`},
		"no such file":                    {"--file", "nowhere.csv"},
	} {
		r := b.run(append([]string{"checkpoints", "set"}, args...)...)
		require.NotEqual(t, program.ExitOK, r.code, says)
		require.Contains(t, r.err, says)
	}
	delete(b.env, "VENDEMMIA_SECRET_TOKEN")
	require.Contains(t, b.run("checkpoints", "set", "--campaign", "repositories", "--item", "alpha", "from=2026-05-01").err, "${secret:env:VENDEMMIA_SECRET_TOKEN}")
	require.Equal(t, "[]\n", b.ok("checkpoints", "list", "-o", "json"))
}

func TestCheckpointsSetLeavesItemsInFlightAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := context.WithoutCancel(t.Context())
	s := b.openStore()
	d := &seeder{t: t, s: s, epoch: 1000}
	run := d.open(ctx, "news-2026-05-03T18:00:00Z", utc(18, 0, 0))
	_, err := s.Claim(ctx, rows.Claim{Run: run.ID, Shared: true, Epoch: 2000, Worker: "worker-a", Max: 2, Now: utc(18, 0, 9)})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	r := b.run("checkpoints", "set", "--item", "feed-001", "--json", `{"etag":"x"}`)
	require.Equal(t, program.ExitError, r.code, r.out)
	require.Contains(t, r.err, "news / feed / feed-001 is in flight in run news-2026-05-03T18:00:00Z; nothing was changed")
	b.ok("checkpoints", "set", "--item", "feed-100", "--json", `{"etag":"x"}`)
	b.ok("checkpoints", "set", "--item", "feed-001", "--json", `{"etag":"x"}`, "--lane", "backfill-1")
}
