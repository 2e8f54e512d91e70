package app

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/process"
)

// newProgram is a program in a folder of its own.
func newProgram(t *testing.T, name string, args ...string) (program, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	return program{Env: process.Env{
		Name: name, Args: args, Dir: t.TempDir(), Version: "dev", Stdin: strings.NewReader(""), Stdout: out, Stderr: out,
		Getenv: func(string) string { return "" }, Environ: func() []string { return nil },
	}}, out
}

type mine struct{}

func (mine) Describe() harvest.Description {
	return harvest.Description{Summary: "Mine.", Params: struct{}{}}
}

func (mine) Fetch(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		yield(harvest.Page{Documents: []harvest.Document{{ID: "1"}}, Listed: 1}, nil)
	}
}

func newMine(*http.Client) harvest.Fetcher { return mine{} }

func TestFetchersOfOnesOwn(t *testing.T) {
	t.Parallel()
	p, out := newProgram(t, "starter", "fetchers", "list")
	require.Equal(t, process.OK, p.run(t.Context(), []Option{With("mine", newMine)}), out.String())
	require.Contains(t, out.String(), "mine")
	require.Contains(t, out.String(), "feed")

	p, out = newProgram(t, "starter")
	require.Equal(t, process.Error, p.run(t.Context(), []Option{With("feed", newMine)}))
	require.Contains(t, out.String(), `"feed" is already the name of fetcher feed`)
}

// TestTheRoleIsSaid: a program of one's own is the worker when it is told to be;
// its name is only a courtesy.
func TestTheRoleIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		as   Option
		want string
	}{
		{"worker", []string{"--version"}, nil, "worker dev"},
		{"my-worker", []string{"--version"}, nil, "worker dev"},
		{"mine", []string{"worker", "--version"}, nil, "worker dev"},
		{"worker", []string{"starter", "version"}, nil, "starter dev"},
		{"mine", []string{"version"}, nil, "starter dev"},
		{"mine", []string{"--version"}, AsWorker, "worker dev"},
		{"my-worker", []string{"version"}, AsStarter, "starter dev"},
	} {
		p, out := newProgram(t, c.name, c.args...)
		var options []Option
		if c.as != nil {
			options = append(options, c.as)
		}
		require.Equal(t, process.OK, p.run(t.Context(), options), "%v: %s", c, out)
		require.Contains(t, out.String(), c.want, "%v", c)
	}
}
