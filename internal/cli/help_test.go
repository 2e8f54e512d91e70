package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/process"
)

func everyCommand(t *testing.T) []*cobra.Command {
	t.Helper()
	p := program.New(program.Env{Fetchers: sampleSet(t)})
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if !c.Hidden {
			all = append(all, c)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(p))
	return all
}

func TestEveryCommandExplainsItself(t *testing.T) {
	t.Parallel()
	for _, c := range everyCommand(t) {
		require.NotEmpty(t, c.Short, c.CommandPath())
		require.NotEmpty(t, c.Long, c.CommandPath())
		require.Contains(t, c.Example, "starter ", "%s has no example", c.CommandPath())
		require.NotContains(t, strings.TrimSpace(c.Example), "\n", "one example invocation: %s", c.CommandPath())
		require.False(t, strings.HasSuffix(c.Short, "."), c.CommandPath())
		narrow(t, c.Long)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			require.NotEmpty(t, f.Usage, "%s --%s", c.CommandPath(), f.Name)
		})
	}
}

// TestExamplesAreRight parses every example by the command it is of.
func TestExamplesAreRight(t *testing.T) {
	t.Parallel()
	for _, c := range everyCommand(t) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(c.Example), "source <("))
		require.Equal(t, "starter", words[0], c.CommandPath())
		p := program.New(program.Env{Fetchers: sampleSet(t)})
		found, rest, err := newRoot(p).Find(words[1:])
		require.NoError(t, err, c.CommandPath())
		if c.HasSubCommands() {
			require.NotEqual(t, c.CommandPath(), found.CommandPath(), "a noun's example shows a verb")
		} else {
			require.Equal(t, c.CommandPath(), found.CommandPath(), c.Example)
		}
		for i, w := range rest {
			if w == ">" || w == "&&" {
				rest = rest[:i]
				break
			}
		}
		require.NoError(t, found.ParseFlags(rest), c.Example)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, c := range everyCommand(t) {
		var out bytes.Buffer
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		code := Main(t.Context(), program.Env{Env: process.Env{Args: args, Stdout: &out, Stderr: &out}, Fetchers: sampleSet(t)})
		require.Equal(t, program.ExitOK, code, args)
		text, _, _ := strings.Cut(out.String(), "\nGlobal Flags:")
		all.WriteString("$ " + c.CommandPath() + " --help\n" + text + "\n")
	}
	golden(t, "help", all.String())
}

func TestMistakesAreUsage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no verb":             {[]string{"runs"}, "a verb is missing, one of"},
		"wrong verb":          {[]string{"runs", "lsit"}, "did you mean list?"},
		"wrong noun":          {[]string{"campains", "list"}, "did you mean campaigns?"},
		"no argument":         {[]string{"runs", "show"}, "usage: starter runs show RUN"},
		"unknown flag":        {[]string{"runs", "list", "--frobnicate"}, "unknown flag: --frobnicate; see `starter runs list --help`"},
		"format":              {[]string{"version", "-o", "xml"}, "one of text, json, jsonl"},
		"outcome":             {[]string{"runs", "list", "--outcome", "faild"}, "did you mean failed?"},
		"time":                {[]string{"runs", "list", "--since", "soon"}, "not a time"},
		"neither":             {[]string{"trigger"}, "say either --campaign NAME or --fetcher NAME"},
		"both":                {[]string{"trigger", "--campaign", "news", "--fetcher", "feed"}, "say either"},
		"fetcher":             {[]string{"fetchers", "show", "fed"}, "did you mean feed?"},
		"params":              {[]string{"fetchers", "try", "feed", "-p", "pages=x"}, `"x" is not a number`},
		"required":            {[]string{"fetchers", "try", "feed"}, "params.url  is required"},
		"unknown param":       {[]string{"fetchers", "try", "feed", "-p", "ulr=x"}, "did you mean url?"},
		"checkpoint":          {[]string{"fetchers", "try", "feed", "-p", "url=x", "--checkpoint", "{"}, "not JSON"},
		"network":             {[]string{"fetchers", "try", "feed", "-p", "url=x", "--allow-network", "ten"}, "write a network like"},
		"window":              {[]string{"fetchers", "try", "feed", "-p", "url=x", "--from", "2026-05-03", "--until", "2026-05-01"}, "is not before"},
		"address":             {[]string{"probe", "example.org"}, "write https://"},
		"reset all":           {[]string{"checkpoints", "reset"}, "say whose"},
		"setting":             {[]string{"config", "--instance", "No Way"}, "small letters"},
		"pause what":          {[]string{"campaigns", "pause"}, "or say --all"},
		"until in the past":   {[]string{"items", "pause", "feed-001", "--until", "2026-01-01"}, "not ahead of now"},
		"failure":             {[]string{"failures", "show", "x"}, "written q-81"},
		"change":              {[]string{"documents", "changes", "--after", "x"}, "a number of a change"},
		"migrate and check":   {[]string{"setup", "--migrate", "--check"}, "--migrate goes alone"},
		"create alone":        {[]string{"setup", "--create"}, "goes with --migrate"},
		"namespace and check": {[]string{"setup", "--namespace", "law", "--check"}, "--namespace makes one"},
		"retention":           {[]string{"setup", "--namespace", "law", "--retention", "1h"}, "--retention is a day at least"},
		"print and check":     {[]string{"setup", "--print", "--check"}, "say either --print or --check"},
		"shell":               {[]string{"completion", "tcsh"}, "invalid argument"},
		"wait for what":       {[]string{"runs", "wait"}, "name the runs, or say --all"},
		"definition":          {[]string{"campaigns", "export", "news@x"}, "written news@7"},
		"count by":            {[]string{"documents", "count", "--by", "year"}, "one of collection"},
		"no such folder":      {[]string{"campaigns", "validate", "nowhere"}, "nowhere"},
		"checkpoint's value":  {[]string{"checkpoints", "set", "abc", "--item", "feed-001"}, "write from=2026-05-01, or"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newBench(t).run(c.args...)
			require.Equal(t, program.ExitUsage, r.code, "%s%s", r.out, r.err)
			require.Contains(t, r.err, c.says)
			require.Empty(t, r.out)
		})
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"trigger", "--campaign", "n"}, "news\n"},
		{[]string{"trigger", "--fetcher", ""}, "feed\treads a list that is made up\n"},
		{[]string{"runs", "list", "--outcome", "thr"}, "throttled\n"},
		{[]string{"runs", "show", "news-2026-05-03T16"}, newsRun + "\n"},
		{[]string{"campaigns", "show", "we"}, "weather\n"},
		{[]string{"runs", "show", "-o", "j"}, "json\njsonl\n"},
	} {
		out := b.ok(append([]string{"__complete"}, c.args...)...)
		require.Contains(t, out, c.want, c.args)
	}
	none := emptyBench(t)
	require.Equal(t, program.ExitOK, none.run("__complete", "campaigns", "show", "").code, "no store: nothing to offer, no error")
}

// TestBackquotesAreNotEaten: what stands between backquotes in the text of a
// flag is taken for the name of its value.
func TestBackquotesAreNotEaten(t *testing.T) {
	t.Parallel()
	for _, c := range everyCommand(t) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			require.NotContains(t, f.Usage, "`", "%s --%s", c.CommandPath(), f.Name)
		})
	}
}
