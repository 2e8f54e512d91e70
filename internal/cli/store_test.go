package cli

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/process"
)

func TestNoStoreIsNoEmptyWorld(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	for _, args := range [][]string{
		{"runs", "list"}, {"campaigns", "list"}, {"items", "list"}, {"documents", "count"}, {"checkpoints", "list"}, {"failures", "list"}, {"why", "news"}, {"workers"},
	} {
		r := b.run(args...)
		require.Equal(t, program.ExitError, r.code, args)
		require.Contains(t, r.err, "there is no store here", args)
		require.Empty(t, r.out, args)
	}
}

func TestCheckpoints(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.ok("checkpoints", "set", "--json", `{"from":"2026-05-01","page":3}`, "--item", "feed-001")
	require.Contains(t, out, "target   store sqlite .vendemmia/vendemmia.db #7f3a\n")
	require.Contains(t, b.ok("checkpoints", "show", "feed-001"), `{"from":"2026-05-01","page":3}`)
	b.ok("checkpoints", "set", "--json", `{"at":7}`, "--campaign", "news", "--entry", "feed", "--item", "never seen")
	require.Contains(t, b.ok("checkpoints", "list", "--item", "never seen"), `{"at":7}`)

	r := b.run("checkpoints", "reset", "--campaign", "news", "--item", "feed-001")
	require.Equal(t, program.ExitUsage, r.code, "it asks, also on this machine")
	b.asked, b.stdin = true, "yes\n"
	r = b.run("checkpoints", "reset", "--campaign", "news", "--item", "feed-001")
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Contains(t, r.err, "reset 1 checkpoint (news / feed / feed-001)? [y/N]")
	require.Contains(t, r.out, "1 checkpoint reset; the item starts from the beginning")
	require.Equal(t, program.ExitUsage, b.run("checkpoints", "reset", "--item", "no such").code)
}

func TestItemsPause(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Contains(t, b.ok("items", "pause", "feed-001", "--note", "moved", "--until", "14d"), `news / feed / feed-001  paused since 18:10 CEST by marta "moved" until 17 May 18:10 CEST`)
	require.Contains(t, b.ok("items", "show", "news / feed / feed-001"), "paused      since 18:10 CEST by marta")
	require.Contains(t, b.ok("items", "resume", "feed-001"), "resumed")
	require.NotContains(t, b.ok("items", "show", "feed-001"), "paused")
	r := b.run("items", "show", "feed-01")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "did you mean feed-0")
}

func TestChangesAreAFeed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.run("documents", "changes", "--limit", "2")
	require.Equal(t, program.ExitOK, r.code, r.err)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	require.Len(t, lines, 2)
	var first struct {
		Change int64
		Op, ID string
	}
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &first))
	require.Equal(t, int64(1), first.Change)
	require.Equal(t, "new", first.Op)
	cursor := strings.TrimSpace(strings.TrimPrefix(r.err, "next: --after "))
	require.True(t, strings.HasSuffix(cursor, ":2"), cursor)

	next := b.run("documents", "changes", "--after", cursor, "--limit", "1")
	require.Contains(t, next.out, `"change":3,`)
	all := b.run("documents", "changes", "--after", "2527")
	require.Equal(t, 214+9, strings.Count(all.out, "\n"), "what the second run brought")

	for _, after := range []string{"00000000:1", "999999"} {
		reset := b.run("documents", "changes", "--after", after)
		require.Equal(t, program.ExitRunFailed, reset.code)
		require.Contains(t, reset.err, "database reset")
	}
}

func TestChangesFollow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.written = cancel
	r := b.runIn(ctx, "documents", "changes", "--follow", "--after", "2749")
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Contains(t, r.out, `"change":2750,`)
	require.Contains(t, r.err, "next: --after ")
	b.written = nil
	require.Contains(t, b.run("documents", "changes", "--follow", "--limit", "1").out, `"change":1,`)
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := "https://feeds-11.example.org/ilsole24ore-norme/0"
	require.Equal(t, "text", b.ok("documents", "get", id, "--body"))
	require.Equal(t, "2,741\n", b.ok("documents", "count"))
	require.JSONEq(t, `{"":0}`, b.ok("documents", "count", "--deleted", "-o", "json"))
	require.Equal(t, program.ExitError, b.run("documents", "get", "nothing").code)

	out := b.ok("documents", "export", "--item", "ilsole24ore-norme")
	require.Equal(t, 17, strings.Count(out, "\n"))
	var line rows.Line
	require.NoError(t, json.Unmarshal([]byte(strings.Split(out, "\n")[0]), &line))
	require.Equal(t, "text", line.Body)
	var list []rows.Line
	require.NoError(t, json.Unmarshal([]byte(b.ok("documents", "export", "--item", "ilsole24ore-norme", "-o", "json")), &list))
	require.Len(t, list, 17)
}

func TestFailuresBody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, "<item>\n  <pubDate>31/02/2026</pubDate>\n</item>\n", b.ok("failures", "show", "q-2", "--body"))
	require.Equal(t, program.ExitError, b.run("failures", "show", "q-99").code)
	require.Equal(t, "[]\n", b.ok("failures", "list", "--campaign", "weather", "-o", "json"))
}

func TestRunRefs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for ref, want := range map[string]string{"news": newsRun, "news~1": "news-2026-05-03T14:00:00Z", "news@2026-05-03": newsRun, newsRun: newsRun} {
		require.Contains(t, b.ok("runs", "show", ref), "run         "+want+"\n", ref)
	}
	r := b.run("runs", "show", "weather")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "has not run yet; `starter why weather` says why")
	require.Contains(t, b.run("runs", "show", "newz~1").err, "did you mean news?")
}

func TestRunsListFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var runs []rows.Run
	require.NoError(t, json.Unmarshal([]byte(b.ok("runs", "list", "--outcome", "warnings", "--since", "12h", "-o", "json")), &runs))
	require.Len(t, runs, 1)
	require.Equal(t, newsRun, runs[0].WorkflowID)
	require.Contains(t, b.ok("runs", "list", "--open"), "No runs match.")
	require.Empty(t, b.ok("runs", "list", "--open", "-o", "jsonl"))
}

func TestSetup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.attributes = map[string]string{"Campaign": "Keyword", "Outcome": "Text"}
	golden(t, "setup_check", b.ok("setup", "--check"))
	require.Empty(t, b.engine.added, "a check changes nothing")
	require.Contains(t, b.ok("setup", "--check", "-o", "jsonl"), `{"store":"store sqlite .vendemmia/vendemmia.db #7f3a","schema": 9,`)

	b.engine.addErr = engine.ErrForbidden
	r := b.run("setup")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "everything works without them")
	require.Contains(t, r.err, "temporal operator search-attribute create")

	b.engine.addErr = nil
	require.Contains(t, b.ok("setup"), "4 search attributes created")
	require.Len(t, b.engine.added, 4)

	b.env["VENDEMMIA_SEARCH_ATTRIBUTES"] = "Campaign=VendemmiaCampaign,Tags="
	require.Contains(t, b.ok("setup", "--print"), "--name VendemmiaCampaign")
	require.NotContains(t, b.ok("setup", "--print"), "Tags")
}

// A namespace is made with its retention, and one that is there is left alone.
func TestSetupMakesANamespace(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.engine.addErr = nil
	require.Contains(t, b.ok("setup", "--namespace", "law", "--retention", "14d"), "made     namespace law, which keeps what has ended for 14d")
	require.NotContains(t, b.ok("setup", "--namespace", "law"), "made     namespace")
	require.Equal(t, []time.Duration{14 * 24 * time.Hour, 72 * time.Hour}, b.engine.made)
	b.engine.addErr = engine.ErrForbidden
	require.Contains(t, b.run("setup", "--namespace", "law").err, "temporal operator namespace create --address localhost:7233 --namespace law --retention 72h")
}

func TestSetupOfTheStore(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	r := b.run("setup", "--check")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.out, "the namespace answers", "it looks at all there is")
	require.Contains(t, r.err, "there is no store here")
	r = b.run("setup", "--migrate")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "there is no store here")

	const title = "store sqlite .vendemmia/vendemmia.db"
	require.Equal(t, "target   "+title+"\n"+title+" #7f3a: made, with schema version 9\n", b.ok("setup", "--migrate", "--create"))
	require.Equal(t, "target   "+title+"\n"+title+" #7f3a: already at version 9\n", b.ok("setup", "--migrate"))
	require.Contains(t, b.ok("setup", "--migrate", "-o", "json"), `"state": "already up to date"`)
	require.Contains(t, b.ok("setup", "--check"), title+" #7f3a: schema version 9")
}

func TestStoreIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	p := program.New(program.Env{Env: process.Env{Dir: "/work"}})
	for address, want := range map[string]struct {
		title string
		here  bool
	}{
		"sqlite:/work/a/v.db": {"sqlite a/v.db", true},
		"/work/a/v.db":        {"a/v.db", true},
		"postgres://u:s3cr3t@db.internal/law?sslmode=require":         {"law on db.internal (postgres)", false},
		"postgres://u@db.internal/law?search_path=team_a,public":      {"law on db.internal, schema team_a (postgres)", false},
		"postgres://u@db.internal/law?options=-csearch_path%3Dteam_b": {"law on db.internal, schema team_b (postgres)", false},
		"postgresql://u@127.0.0.1:5433/law":                           {"law on 127.0.0.1:5433 (postgres)", true},
		"postgres://u@localhost/law":                                  {"law on localhost (postgres)", true},
		"postgres://u@/law?host=/run/postgresql":                      {"law on /run/postgresql (postgres)", true},
		"postgres://db.internal":                                      {"db.internal (postgres)", false},
		"postgres://u:s3cr3t%zz@h/law":                                {"(postgres)", false},
	} {
		require.Equal(t, want.title, p.StoreTitle(address), address)
		require.Equal(t, want.here, program.StoreIsHere(address), address)
	}
}

func TestItemsByPath(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want := b.ok("items", "show", "feed-001", "--campaign", "news")
	require.Equal(t, want, b.ok("items", "show", "news/feed/feed-001"))
	require.Equal(t, want, b.ok("items", "show", "news / feed / feed-001"))
	require.Equal(t, b.ok("checkpoints", "show", "nytimes-economy"), b.ok("checkpoints", "show", "news/feed/nytimes-economy"))
	require.Contains(t, b.run("items", "show", "https://a/feed/b").err, "no run has seen it")
}

func TestStoreVerify(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Contains(t, b.ok("store", "verify"), "Everything is as it was written.")
	require.Contains(t, b.ok("store", "verify", "-o", "json"), `"sound": true`)
	s := b.openStore()
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", strings.TrimPrefix(s.Address(), "sqlite:"))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `UPDATE versions SET title = 'other' WHERE number = 7`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	r := b.run("store", "verify")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.out, "change 7")
	require.Contains(t, r.err, "put back the last copy")
	require.Equal(t, program.ExitError, b.run("documents", "changes").code, "and it is an error where it is read")
}

func TestStoreRestored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := b.run("documents", "changes", "--limit", "2")
	cursor := strings.TrimSpace(strings.TrimPrefix(before.err, "next: --after "))
	require.Equal(t, program.ExitUsage, b.run("store", "restored").code, "it asks")
	require.Contains(t, b.ok("store", "restored", "--yes"), "is of epoch 2 now")
	r := b.run("documents", "changes", "--after", cursor)
	require.Equal(t, program.ExitRunFailed, r.code)
	require.Contains(t, r.err, "database reset")
	next := b.run("documents", "changes", "--limit", "2")
	require.Equal(t, program.ExitOK, next.code, next.err)
	cursor = strings.TrimSpace(strings.TrimPrefix(next.err, "next: --after "))
	require.Contains(t, cursor, ".2:2")
	require.Equal(t, program.ExitOK, b.run("documents", "changes", "--after", cursor, "--limit", "1").code)
}
