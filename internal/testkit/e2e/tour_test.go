package e2e

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/testkit/devtest"
)

// tourPort is the one that the page shows.
const tourPort = 18080

// tour is a new user's first Monday, typed through: docs/tour.md is what it
// prints, VENDEMMIA_TOUR=../../docs/tour.md writes it again.
type tour struct {
	t    *testing.T
	dir  string
	page bytes.Buffer
	// repositories are 1 to 40; those that do not answer are nil.
	repositories map[int]*oai.Repository
}

// broken are the six that do not work, and how.
var broken = map[int]string{7: "server-error", 11: "html", 16: "forbidden", 23: "", 29: "410", 34: "internal-exception-always"}

const (
	moved    = 12
	withdrew = 5
)

func host(n int) string { return fmt.Sprintf("127.0.0.%d", n) }

func TestSoakTour(t *testing.T) {
	soak(t)
	tr := &tour{t: t, dir: filepath.Join(t.TempDir(), "harvest"), repositories: map[int]*oai.Repository{}}
	for n := 1; n <= 40; n++ {
		fault, isBroken := broken[n]
		if isBroken && fault == "" {
			continue // nobody listens
		}
		c := oai.Config{Seed: uint64(n), Records: 20 + n, Page: 25, Deleted: oai.Never, NoSets: true}
		if fault != "" && fault != "410" {
			c.Fault = oai.MustNamed(fault)
		}
		tr.repositories[n] = oai.New(c)
		tr.serve(n, host(n))
	}
	tr.walk()
	if path := os.Getenv("VENDEMMIA_TOUR"); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(tr.scrubbed()), 0o644))
	}
}

// serve answers for a repository at an address of its own, with identifiers of its
// own.
func (r *tour) serve(n int, at string) {
	l, err := net.Listen("tcp4", net.JoinHostPort(at, strconv.Itoa(tourPort)))
	require.NoError(r.t, err)
	theirs, own := "oai:replica.example:", fmt.Sprintf("oai:uni-%02d.example:", n)
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Header.Del("Accept-Encoding")
		req.URL.RawQuery = strings.ReplaceAll(req.URL.RawQuery, url.QueryEscape(own), url.QueryEscape(theirs))
		if broken[n] == "410" {
			http.Error(w, "gone", http.StatusGone)
			return
		}
		rec := httptest.NewRecorder()
		r.repositories[n].Handler().ServeHTTP(rec, req)
		maps.Copy(w.Header(), rec.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(rec.Code)
		w.Write(bytes.ReplaceAll(rec.Body.Bytes(), []byte(theirs), []byte(own))) // a client that went away
	})}
	go s.Serve(l) // ends with Close
	r.t.Cleanup(func() { s.Close() })
}

func (r *tour) walk() {
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.dir), 0o755))
	r.say(tourIntro)
	r.run(filepath.Dir(r.dir), 0, "starter init harvest")
	r.say("Two files: a list that somebody else may edit, a row for each repository, and what to do with it.\n")
	r.write("campaigns/repositories.csv", r.list(map[int]string{}), 4)
	r.write("campaigns/main.yaml", tourCampaign, 0)
	r.do(0, "starter campaigns validate")
	stop := r.house()
	defer stop()
	r.do(0, "starter campaigns apply")

	r.say("## Monday: which, since when, why\n")
	r.do(0, "starter trigger repositories")
	out := r.do(1, "starter items list --unhealthy --strict")
	for n := range broken {
		require.Contains(r.t, out, fmt.Sprintf("repo-%02d", n))
	}
	require.Equal(r.t, 1+len(broken), strings.Count(out, "\n"), out)
	r.do(0, "starter why repo-23")
	r.do(0, "starter items show repo-11")
	r.do(0, "starter runs list")

	r.say("## What came since yesterday\n")
	r.repositories[3].Add(2)
	r.do(0, "starter items retry \"University 3\"")
	r.do(0, "starter documents count --since yesterday")
	r.do(0, "starter documents list --item repo-03 --since yesterday --limit 3")

	r.say("## Files for the indexer\n\nA file for each record, in a folder; the same command writes what changed since.\n")
	r.do(0, "starter documents export --campaign repositories --as files --to import")

	r.say("## One has moved\n\nThe key stays, and so do its documents: the new address is read from its beginning, and nothing is stored twice.\n")
	r.serve(moved, "127.0.1.12")
	r.write("campaigns/repositories.csv", r.list(map[int]string{moved: "127.0.1.12"}), -1)
	r.say("In `repositories.csv`, the new address in the row of repo-12; then:\n")
	require.Contains(r.t, r.do(0, "starter campaigns plan"), "repo-12")
	r.do(0, "starter campaigns apply")
	require.Contains(r.t, r.do(0, "starter items retry repo-12"), "unchanged")

	r.say("## One has withdrawn records silently\n\nNothing tells of it but a full list: `refresh: 7d` makes one a week, `--refresh` now.\n")
	r.repositories[withdrew].Remove(3)
	r.do(0, "starter items retry repo-05 --refresh")
	require.Contains(r.t, r.do(0, "starter documents list --item repo-05 --deleted"), "deleted")
	require.Contains(r.t, r.do(0, "starter documents export --campaign repositories --as files --to import"), "3 .delete files new")
}

const tourIntro = `# The first Monday

Forty OAI-PMH repositories, six of them broken. What follows was typed as it stands: the sources are replicas on this machine,
everything else is what it is (` + "`VENDEMMIA_SOAK=1 go test ./internal/testkit/e2e -run TestSoakTour`" + ` types it again). ` + "`starter`" + ` and ` + "`worker`" + ` are
built and on PATH, as in the [README](../README.md).

`

const tourCampaign = `project: library
hosts:
  "*": { every: 100ms, connections: 2 }
campaigns:
  repositories:
    schedule: daily at 02:00
    processors: 10
    fetcher: oaipmh
    split: { file: repositories.csv, key: id, label: label }
    params: { prefix: oai_dc }
    refresh: 7d                   # once a week everything is listed: finds what left silently
    tolerate: { items: 20% }      # up to eight broken ones are a warning
    retry: [ { times: 1, wait: 1s } ]
`

func (r *tour) list(elsewhere map[int]string) string {
	var b strings.Builder
	b.WriteString("id,label,url\n")
	for n := 1; n <= 40; n++ {
		at := host(n)
		if other, ok := elsewhere[n]; ok {
			at = other
		}
		fmt.Fprintf(&b, "repo-%02d,University %d,http://%s:%d%s\n", n, n, at, tourPort, oai.Path)
	}
	return b.String()
}

func (r *tour) say(text string) { r.page.WriteString(text + "\n") }

// write puts a file into the folder and shows its first lines; 0: all, -1: none.
func (r *tour) write(name, text string, lines int) {
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644))
	if lines < 0 {
		return
	}
	shown := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if lines > 0 && len(shown) > lines {
		shown = append(shown[:lines], "…")
	}
	kind := strings.TrimPrefix(filepath.Ext(name), ".")
	r.say("`" + name + "`:\n\n```" + kind + "\n" + strings.Join(shown, "\n") + "\n```\n")
}

// house runs starter dev until stop.
func (r *tour) house() (stop func()) {
	cmd := r.command(context.Background(), r.dir, "starter dev --allow-network 127.0.0.0/8")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(r.t, cmd.Start())
	require.Eventually(r.t, func() bool {
		_, err := os.Stat(filepath.Join(r.dir, ".vendemmia", "address"))
		return err == nil
	}, 2*time.Minute, 100*time.Millisecond)
	r.say("In another terminal, in that folder:\n\n```\n$ starter dev --allow-network 127.0.0.0/8\n```\n")
	return func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended
		_ = cmd.Wait()
	}
}

func (r *tour) command(ctx context.Context, dir, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+line)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Dir(binaries.starter) + ":" + os.Getenv("PATH"), "HOME=" + filepath.Dir(r.dir), "USER=ilse", "TZ=Europe/Rome", "TEMPORAL_CLI=" + devtest.CLI(r.t)}
	return cmd
}

func (r *tour) do(code int, line string) string { return r.run(r.dir, code, line) }

// run types a line, and shows it with what it printed.
func (r *tour) run(dir string, code int, line string) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := r.command(ctx, dir, line)
	var out, all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &all
	_ = cmd.Run() // the code tells
	text := out.String() + all.String()
	require.Equal(r.t, code, cmd.ProcessState.ExitCode(), "%s: %s", line, text)
	r.t.Logf("$ %s\n%s", line, text)
	if out.Len() > 0 {
		text = out.String()
	}
	r.page.WriteString("```\n$ " + line + "\n" + text + "```\n\n")
	return out.String()
}

func (r *tour) scrubbed() string {
	text := strings.ReplaceAll(r.page.String(), r.dir, "~/harvest")
	return strings.TrimRight(regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, ""), "\n") + "\n"
}
