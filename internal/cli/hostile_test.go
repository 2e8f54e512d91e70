package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/terminal"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
)

// evil is text that steers a terminal in every way there is.
const evil = "evil\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\u009b31m\u0085\u202egnp.exe\u2066\u2028\r\x08\x7fend"

const evilKey = "key\u202e\u009bk"

// evilSeeds is the evil store, made once; every test gets a copy.
var evilSeeds struct {
	once sync.Once
	dir  string
}

// newEvilBench has a store in which all that comes from a source is evil.
func newEvilBench(t *testing.T) *bench {
	t.Helper()
	b := emptyBench(t)
	evilSeeds.once.Do(func() {
		var err error
		evilSeeds.dir, err = os.MkdirTemp("", "starter")
		require.NoError(t, err)
		ctx := context.WithoutCancel(t.Context())
		s, err := store.Open(ctx, filepath.Join(evilSeeds.dir, "vendemmia.db"), store.Options{Create: true})
		require.NoError(t, err)
		d := &seeder{t: t, s: s}
		d.evil(ctx)
		require.NoError(t, s.Close())
	})
	require.NoError(t, os.CopyFS(filepath.Join(b.dir, ".vendemmia"), os.DirFS(evilSeeds.dir)))
	b.file("evil.yaml", "campaigns:\n  evil:\n    description: \"x\\e[2J\\u202e\"\n    fetcher: feed\n    params: { url: \"https://a.example.org/\\e[2J\\u202e\" }\n")
	b.file("evil.ini", "[a\x1b[2J\u202e]\nurl = https://a.example.org/\u009b\nset = \u202e\x1b[2J\n")
	b.file("evil.cron", "\u202e\x1b[2J\n0 1 * * * mir-acq-scheduler.pl --fetcher RSS --params '{url:http://\u202e\u009b}' --\x1b[2J\n0 1 * * * mir-acq-scheduler.pl --campaign \u202e\x1b[2J\n")
	b.file("evil.json", `{"tag":"\u001b[2J","campaign":"\u202ex","fetchers":[{"ns":"\u009b"},{"ns":"rss","split":1,"params":[{"label":"\u202e","url":"http://a.example.org/\u202e"}]}]}`)
	b.file("evil.csv", "item,from\n\""+evilKey+"\",\u202e\u009b\n")
	b.engine.planned = []engine.Planned{{WorkflowID: evil, At: moment(), Asked: moment()}}
	b.engine.pollers = map[string][]engine.Poller{"vendemmia-fetch": {{Identity: evil + "3", LastSeen: moment()}}, "vendemmia-control": {{Identity: "w", LastSeen: moment()}}}
	return b
}

func (d *seeder) evil(ctx context.Context) {
	w := rows.Worker{Identity: evil, Host: evil, Version: evil, Queues: []string{evil}, State: rows.WorkerState(evil), Why: evil}
	require.NoError(d.t, d.s.ReportWorker(ctx, w, 24*time.Hour))
	var lines []rows.LogLine
	for run := range int64(20) {
		lines = append(lines, rows.LogLine{Run: run, Level: 4, Item: evil, Worker: evil, Message: evil, More: evil})
	}
	require.NoError(d.t, d.s.KeepLog(ctx, lines))
	c := campaigns.Campaign{
		Name: "evil", Project: "p", Description: evil, Owner: evil, Tags: []string{evil}, Processors: 1, Notify: []campaigns.Alert{{To: "https://h/" + evil, After: 1, Per: "run"}},
		Entries: []campaigns.Entry{{Name: "feed", Fetcher: "feed", Queue: "vendemmia-fetch", Retry: retry.Default(), Params: json.RawMessage(`{"url":"https://a.example.org/"}`)}},
	}
	spec, err := c.Canonical()
	require.NoError(d.t, err)
	_, err = d.s.Apply(ctx, rows.Application{
		Project: "p", Author: evil, At: utc(7, 0, 0), Campaigns: []rows.ApplyCampaign{{Name: c.Name, Digest: harvest.Digest(spec), Spec: spec, File: evil, Line: 1}},
		Hosts: []rows.Host{{Name: "h.example.org", Every: time.Second, Source: evil}},
	})
	require.NoError(d.t, err)
	for n, id := range []string{"evil-1", "evil-2"} {
		g, err := d.s.OpenRun(ctx, rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "r" + id, WorkflowID: id, Campaign: "evil", Version: 1, Trigger: "hand", Processors: 1, StartedAt: utc(14+n, 0, 0)}})
		require.NoError(d.t, err)
		require.NoError(d.t, d.s.AddItems(ctx, g.Run.ID, []rows.RunItem{
			{Ord: 0, Entry: "feed", Key: evilKey, Label: evil, Fetcher: "feed", Host: "h.example.org"},
			{Ord: 1, Entry: "feed", Key: evilKey + "2", Label: evil, Fetcher: "feed", Host: "h.example.org"},
		}))
		_, err = d.s.SealRun(ctx, g.Run.ID, 1, time.Time{})
		require.NoError(d.t, err)
		d.evilItems(ctx, g.Run, n)
		require.NoError(d.t, d.s.FinishRun(ctx, rows.Finish{
			Run: g.Run.ID, Outcome: outcomes.Failed, Why: evil, At: utc(14+n, 1, 0), Outbox: []rows.Message{{Run: g.Run.ID, Campaign: "evil", To: "https://h/" + evil, Payload: json.RawMessage(`{"a":"b"}`)}},
		}))
	}
	due, err := d.s.Outbox(ctx, 0, utc(20, 0, 0))
	require.NoError(d.t, err)
	for _, m := range due {
		require.NoError(d.t, d.s.Sent(ctx, m.ID, evil, time.Time{}))
	}
	require.NoError(d.t, d.s.RestHost(ctx, "h.example.org", utc(23, 0, 0), evil))
	require.NoError(d.t, d.s.Record(ctx, rows.Event{At: utc(15, 0, 0), By: evil, Verb: "pause", On: "evil", Note: evil}))
}

func (d *seeder) evilItems(ctx context.Context, run rows.Run, n int) {
	for ord, it := range d.claim(ctx, run, utc(14+n, 0, 5)) {
		w := rows.Write{
			Run: run.ID, Ord: ord, Epoch: d.epoch, Item: units.Item{Campaign: "evil", Entry: "feed", Key: it.Key}, Fetcher: "feed", At: utc(14+n, 0, 6), Attempt: 1, Worker: evil,
			Ledger: []visit.Exchange{{At: utc(14+n, 0, 6), Method: "GET", Host: "h.example.org", URL: "https://h/" + evil, Status: 500, Kind: harvest.KindBroken, Error: evil, Note: evil}},
		}
		if ord == 1 {
			w.Settle = &rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Broken, Kind: harvest.KindBroken, Why: evil, Error: evil, Attempts: 1, Evidence: []byte(evil)}
		} else {
			w.Page = &rows.PageWrite{Seq: 1, Collection: "evil", Version: it.Checkpoint.Version, Page: harvest.Page{
				Documents: []harvest.Document{{
					ID: "doc-" + evil, URL: "https://h/" + evil, Kind: evil, Title: evil + string(rune('0'+n)), MediaType: "text/plain", Fields: map[string]any{"field": evil, evil: []any{evil}}, Body: []byte(evil + "\xff\x9b"),
				}, {ID: "plain", Title: evil, Body: []byte(evil), Fields: map[string]any{"field": evil}}},
				Rejects: []harvest.Reject{{ID: evil, Reason: evil, Bytes: []byte(evil)}}, Warnings: []string{evil}, Listed: 3, Checkpoint: json.RawMessage(`{"at":` + quoted(evil) + `}`), Last: true,
			}}
			w.Settle = &rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Partial, Why: evil, Attempts: 1}
		}
		require.NoError(d.t, d.s.Write(ctx, w).Err)
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// evilCalls is a call of every command, by its path; several where one shows
// several things. A new command belongs here.
func evilCalls() map[string][][]string {
	one := func(args ...string) [][]string { return [][]string{args} }
	return map[string][][]string{
		"campaigns apply": one("evil.yaml"), "campaigns delete": one("evil"), "campaigns export": one("evil"), "campaigns list": {{}, {evil}}, "campaigns pause": {{"evil", "--note", evil}, {evil}},
		"campaigns plan": one("evil.yaml"), "campaigns resume": one("evil"), "campaigns schema": one(), "campaigns show": {{"evil"}, {"evil", "--origin"}, {evil}},
		"campaigns try": one("evil.yaml"), "campaigns validate": {{"evil.yaml"}, {"evil.yaml", "--probe"}, {evil}},
		"checkpoints list": one(), "checkpoints reset": one("--campaign", "evil"), "checkpoints set": {{"--campaign", "evil", "--file", "evil.csv"}, {"--item", evilKey, "--campaign", "evil", "--json", `{"a":` + quoted(evil) + `}`}},
		"checkpoints show": {{evilKey}, {evil}}, "completion": one("bash"), "config": one(),
		"documents changes": one("--collection", "evil"), "documents count": {{}, {"--by", "campaign"}}, "documents diff": {{"doc-" + evil}, {"plain"}, {evil}}, "documents export": one("--to", "out"),
		"documents get": {{"doc-" + evil}, {"plain", "--body"}, {"plain", "--raw"}, {"plain", "--field", "field"}, {evil}}, "documents history": {{"doc-" + evil}, {evil}}, "documents list": one(),
		"failures accept": {{"q-1"}, {evil}}, "failures list": one(), "failures retry": {{"q-1"}, {evil}}, "failures show": {{"q-1"}, {"q-1", "--body"}, {evil}},
		"fetchers list": one(), "fetchers new": {{"notices", "--module", "example.org/x/notices"}, {evil}, {"notices", "--module", evil}}, "fetchers show": {{"feed"}, {evil}}, "fetchers try": {{"feed", "--params", "url=https://x/" + evil}, {evil}},
		"hosts list": one(), "hosts pause": {{"h.example.org", "--note", evil}, {evil}}, "hosts resume": one("h.example.org"), "hosts show": {{"h.example.org"}, {evil}},
		"import crontab": {{"evil.cron", "--mir", "evil.json"}},
		"import mir":     {{"evil.json"}}, "import harvestables": {{"evil.json"}, {evil}},
		"import metha": one("."), "import vufind": {{"evil.ini"}, {evil}}, "init": one("new"),
		"items list": {{}, {"--unhealthy"}}, "items pause": {{evilKey, "--note", evil}, {evil}}, "items resume": one(evilKey), "items retry": {{evilKey}, {evil}}, "items show": {{evilKey}, {evilKey + "2"}, {evil}},
		"outbox drop": one("1"), "outbox list": one(), "outbox retry": one("1"), "probe": {{"https://x.example.org/" + evil}, {evil}},
		"registry add": {{evil, "--url", "https://registry.example.org/v1"}, {"house", "--url", evil}}, "registry list": one(), "registry pause": one(evil), "registry remove": one(evil), "registry resume": one(evil), "registry show": one(evil), "registry sync": one(evil),
		"runs cancel": {{"evil-2", "--note", evil}, {evil}, {"--tag", evil}, {"--all"}}, "runs list": one(), "runs planned": one(), "events": {{}, {"--on", "evil"}, {"--since", evil}}, "runs pause": one("evil-2"), "runs resume": one("evil-2"), "runs retry": one("evil-2"), "runs set": one("evil-2", "--processors", "2"),
		"runs show": {{"evil-2"}, {"evil-2", "-a"}, {evil}}, "runs logs": {{"evil-2"}, {"evil-2", "--item", evil}}, "runs skip": {{"evil-2", evilKey}, {"evil-2", evil}}, "runs wait": one("evil-2"), "runs watch": one("evil-2"),
		"setup": {{"--print"}, {}}, "stats budget": {{}, {evil}}, "stats items": {{}, {"--queue", evil}}, "stats queue": {{}, {evil}}, "store backup": {{"copies"}, {"evil" + evil}}, "store restored": {{}, {evil}}, "store verify": one(), "trigger": {{"evil"}, {evil}, {"--fetcher", evil}, {"evil", "--item", evil}}, "version": one(),
		"why": {{"evil"}, {"evil-2"}, {evilKey}, {evilKey + "2"}, {"h.example.org"}, {evil}}, "workers": one(),
		"workers drain": {{evil}, {evil + "2"}}, "workers resume": {{evil}, {evil + "2"}},
	}
}

// A person's own words, or nothing of the store: starting processes is for the
// tests of dev.
func evilFree() map[string]string {
	return map[string]string{"codec serve": "serves until it is stopped; says what its flags say", "dev": "starts processes; says addresses of this machine only"}
}

func TestNothingForeignSteersATerminal(t *testing.T) {
	t.Parallel()
	calls := evilCalls()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		path := strings.TrimPrefix(c.CommandPath(), "starter ")
		if c.HasSubCommands() && len(calls[path]) == 0 || evilFree()[path] != "" {
			return
		}
		require.NotEmpty(t, calls[path], "%s: a command that is not called here", path)
		for _, args := range calls[path] {
			for _, format := range []string{"text", "json", "jsonl"} {
				t.Run(path+" "+format, func(t *testing.T) {
					t.Parallel()
					b := newEvilBench(t)
					b.terminal = true
					r := b.run(append(append(strings.Fields(path), args...), "--yes", "-o", format)...)
					if strings.Contains(r.err, "unknown flag") || strings.Contains(r.err, "unknown shorthand") {
						r = b.run(append(append(strings.Fields(path), args...), "-o", format)...)
					}
					require.NotContains(t, r.err, "unknown flag", args)
					harmless(t, r.out)
					harmless(t, r.err)
				})
			}
		}
	}
	walk(newRoot(program.New(program.Env{})))
}

// harmless: nothing in a text steers a terminal, but for our colours around our
// words and the line of progress.
func harmless(t *testing.T, text string) {
	t.Helper()
	ours := regexp.MustCompile(`\x1b\[3[13]m[a-z]+\x1b\[0m|\r *`).ReplaceAllString(text, "")
	require.True(t, utf8.ValidString(ours), "%q", ours)
	for i, r := range ours {
		if terminal.Steers(r) && r != '\n' && r != '\t' {
			t.Fatalf("%U at %d: %q", r, i, ours[max(0, i-60):min(len(ours), i+20)])
		}
	}
}

func TestWhatIsReadByProgramsComesAsItIs(t *testing.T) {
	t.Parallel()
	b := newEvilBench(t)
	require.Equal(t, evil, b.ok("documents", "get", "plain", "--body"))
	require.Equal(t, evil, b.ok("failures", "show", "q-1", "--body"))
	require.Contains(t, b.ok("documents", "get", "plain", "-o", "json"), "\u202e")
}

// What a terminal gets of JSON is the same JSON.
func TestJSONOnATerminalIsTheSame(t *testing.T) {
	t.Parallel()
	b := newEvilBench(t)
	var piped, shown any
	require.NoError(t, json.Unmarshal([]byte(b.ok("items", "show", evilKey, "-o", "json")), &piped))
	b.terminal = true
	require.NoError(t, json.Unmarshal([]byte(b.ok("items", "show", evilKey, "-o", "json")), &shown))
	require.Equal(t, piped, shown)
}

// The program itself tells a terminal when it has one.
func TestATerminalIsKnown(t *testing.T) {
	t.Parallel()
	master, slave := pty(t)
	b := newEvilBench(t)
	done := make(chan string)
	go func() {
		var out bytes.Buffer
		chunk := make([]byte, 4096)
		for !strings.Contains(out.String(), "end") {
			n, err := master.Read(chunk)
			out.Write(chunk[:n])
			if err != nil {
				break
			}
		}
		done <- out.String()
	}()
	code := Main(t.Context(), program.Env{Env: process.Env{Args: []string{"documents", "get", "plain", "--body"}, Stdin: strings.NewReader(""), Stdout: slave, Stderr: os.Stderr, Dir: b.dir}, Fetchers: b.set})
	require.Equal(t, program.ExitOK, code)
	harmless(t, strings.ReplaceAll(<-done, "\r\n", "\n"))
}
