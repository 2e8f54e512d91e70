package cli

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/terminal"
)

var update = flag.Bool("update", false, "rewrite golden files")

// moment is when all screens are looked at: Sunday 3 May 2026, 18:10 in Rome.
func moment() time.Time { return time.Date(2026, 5, 3, 16, 10, 0, 0, time.UTC) }

func rome(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	return zone
}

// bench is a folder with a store in it, and a fake Temporal.
type bench struct {
	t      *testing.T
	dir    string
	engine *fakeEngine
	stdin  string
	// terminal: both streams are one.
	terminal bool
	asked    bool // a person can be asked
	env      map[string]string
	set      fetchers.Set
	// written is called after each write to standard output.
	written func()
	// warned is called after each write to standard error.
	warned func()
}

// tap calls a function after each write.
type tap struct {
	io.Writer
	after func()
}

func (t tap) Write(b []byte) (int, error) {
	n, err := t.Writer.Write(b)
	if t.after != nil {
		t.after()
	}
	return n, err
}

// result is what a command wrote and how it ended.
type result struct {
	code     int
	out, err string
}

// newBench starts with the seeded store.
func newBench(t *testing.T) *bench {
	t.Helper()
	b := emptyBench(t)
	require.NoError(t, os.CopyFS(filepath.Join(b.dir, ".vendemmia"), os.DirFS(seeded(t))))
	return b
}

func emptyBench(t *testing.T) *bench {
	t.Helper()
	return &bench{t: t, dir: t.TempDir(), engine: &fakeEngine{}, set: sampleSet(t), env: map[string]string{"USER": "marta"}}
}

func (b *bench) run(args ...string) result { return b.runIn(b.t.Context(), args...) }

func (b *bench) runIn(ctx context.Context, args ...string) result {
	b.t.Helper()
	var out, err bytes.Buffer
	var stdout, stderr io.Writer = tap{&out, b.written}, tap{&err, b.warned}
	if b.terminal {
		stdout, stderr = terminal.NewScreen(stdout), terminal.NewScreen(stderr)
	}
	p := program.New(program.Env{Fetchers: b.set, Now: moment, Zone: rome(b.t), Env: process.Env{
		Args: args, Stdin: strings.NewReader(b.stdin), Stdout: stdout, Stderr: stderr, Version: "1.2.3", Dir: b.dir,
		Getenv: func(name string) string { return b.env[name] },
	}})
	p.Interactive = func() bool { return b.asked }
	p.Dial = func(context.Context) (program.Engine, error) {
		if b.engine.down != nil {
			return nil, b.engine.down
		}
		return b.engine, nil
	}
	p.Pace, p.Patience, p.Again = time.Millisecond, 0, time.Millisecond
	defer p.Close()
	code := run(ctx, p)
	return result{code: code, out: b.scrub(out.String()), err: b.scrub(err.String())}
}

// scrub takes out what differs from machine to machine.
func (b *bench) scrub(s string) string {
	s = strings.ReplaceAll(s, b.dir, "/work")
	s = regexp.MustCompile(`#[0-9a-f]{4}\b`).ReplaceAllString(s, "#7f3a")
	s = regexp.MustCompile(`(schema version|at version|"schema":) ?[0-9]+`).ReplaceAllString(s, "$1 9")
	s = regexp.MustCompile(`"first_seen": ?"[^"]*"`).ReplaceAllString(s, `"first_seen": "2026-05-03T14:00:08Z"`)
	s = regexp.MustCompile(`(slowed to \S+ since) [^:]+:\d\d \w+`).ReplaceAllString(s, "$1 18:09 CEST")
	return regexp.MustCompile(`(?m)^first seen .*$`).ReplaceAllString(s, "first seen  Sun 3 May 16:00 CEST")
}

// ok runs a command that must succeed and write nothing beside its result.
func (b *bench) ok(args ...string) string {
	b.t.Helper()
	r := b.run(args...)
	require.Equal(b.t, program.ExitOK, r.code, "%v: %s", args, r.err)
	return r.out
}

// golden compares with testdata/NAME.golden, or rewrites it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "no golden file: run with -update and read it")
	require.Equal(t, string(want), got)
}

// narrow fails when a line of text is wider than a screen.
func narrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.Contains(line, "://") {
			continue // a link is never cut
		}
		require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 80, line)
	}
}
