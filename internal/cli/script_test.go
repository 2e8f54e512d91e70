package cli

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/process"
)

// TestMain makes the test binary serve as starter in scripts.
func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){"starter": func() { os.Exit(starterMain()) }})
}

// cleaning takes the seeded store away when all tests are done.
type cleaning struct{ m *testing.M }

func (c cleaning) Run() int {
	code := c.m.Run()
	for _, dir := range []string{seeds.dir, evilSeeds.dir} {
		os.RemoveAll(dir) // a folder of the system's own
	}
	return code
}

func starterMain() int {
	ctx, stop := signalContext()
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		return program.ExitError
	}
	return Main(ctx, program.Env{Fetchers: fetchers.Builtin(), Env: process.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Environ: os.Environ,
		Version: "1.2.3", Dir: dir,
	}})
}

// TestScripts runs the real program with the fetchers that come with it against
// a server of this machine.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			server := httptest.NewServer(http.HandlerFunc(source))
			e.Defer(server.Close)
			e.Vars = append(e.Vars, "SOURCE="+server.URL, "TEMPORAL_ADDRESS=127.0.0.1:1", "TEMPORAL_CONFIG_FILE="+e.WorkDir+"/none.toml", "USER=marta", "HOME="+e.WorkDir)
			return nil
		},
	})
}

// exits runs a program that must end with a code: exits 2 starter runs
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("ended with %d, not %d", got, want)
	}
}

const rss = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>Some News</title><link>https://news.example.org/</link><description>d</description>
<item><title>One</title><link>https://news.example.org/1</link><guid>n-1</guid><pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate><description>first</description></item>
<item><title>Two</title><link>https://news.example.org/2</link><guid>n-2</guid><pubDate>Sat, 02 May 2026 10:00:00 GMT</pubDate><description>second</description></item>
</channel></rss>
`

func source(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/rss":
		w.Header().Set("Content-Type", "application/rss+xml")
		w.Header().Set("ETag", `"v1"`)
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write([]byte(rss)) // a client that went away
	case "/rest":
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	default:
		http.NotFound(w, r)
	}
}

func signalContext() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}
