package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/probe"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// What a source says of itself is text in the YAML that probe writes for it.
func TestProbeWritesNoReferences(t *testing.T) {
	t.Parallel()
	for _, f := range []harvest.Finding{
		{Params: json.RawMessage(`{"url":"https://evil.example.org/?a=\u0024{secret:env:TOKEN}"}`)},
		{},
	} {
		yaml := probe.Snippet("https://evil.example.org/?a=${secret:env:TOKEN}", "feed", f)
		require.Contains(t, yaml, "https://evil.example.org/?a=$${secret:env:TOKEN}")
		b := emptyBench(t)
		b.file("c.yaml", yaml)
		require.Contains(t, b.ok("campaigns", "validate", "c.yaml"), "nothing wrong.")
		require.NotContains(t, b.run("campaigns", "try", "c.yaml", "--limit", "1").err, "worker's environment", "nothing is looked up")
	}
}

func TestParamsOfAStartReferToNoSecret(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.file("c.yaml", twoCampaigns)
	for _, args := range [][]string{
		{"trigger", "--fetcher", "feed", "--params", "url=https://a.example.org/?k=${secret:env:TOKEN}"},
		{"campaigns", "try", "c.yaml", "alpha", "--params", `{"url":"https://a.example.org/?k=\u0024{secret:env:TOKEN}"}`},
	} {
		r := b.run(args...)
		require.Equal(t, program.ExitUsage, r.code, r.err)
		require.Contains(t, r.err, "--params: ${secret:env:TOKEN}: references to secrets are resolved only where they stand in a campaign file")
	}
}

func TestACellRefersToNoSecret(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.file("c.yaml", "campaigns:\n  news:\n    fetcher: feed\n    split: { file: list.csv, key: id }\n")
	b.file("list.csv", "id,url\na,https://a.example.org/\nb,https://b.example.org/?k=${secret:env:TOKEN}\n")
	r := b.run("campaigns", "validate", "c.yaml")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.out+r.err, "list.csv:3")
	require.Contains(t, r.out+r.err, "${secret:env:TOKEN} is not resolved in a list")
}

// A pipe, a device or a folder is never read, whichever flag names it.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	require.NoError(t, syscall.Mkfifo(filepath.Join(b.dir, "pipe.csv"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(b.dir, "zero.csv")))
	b.file("pipe.yaml", "campaigns:\n  news:\n    fetcher: feed\n    split: { file: pipe.csv, key: id }\n")
	b.file("zero.yaml", "campaigns:\n  news:\n    fetcher: feed\n    split: { file: zero.csv, key: id }\n")
	for _, args := range [][]string{
		{"campaigns", "validate", "pipe.yaml"},
		{"campaigns", "validate", "zero.yaml"},
		{"campaigns", "validate", "pipe.csv"},
		{"trigger", "--fetcher", "feed", "--params", "@pipe.csv"},
		{"fetchers", "try", "feed", "--params", "@zero.csv"},
		{"config", "--config-file", "zero.csv"},
		{"import", "vufind", "pipe.csv"},
	} {
		r := b.run(args...)
		require.NotEqual(t, program.ExitOK, r.code, args)
		require.Regexp(t, `it is a (pipe|device); only regular files are read`, strings.Join(strings.Fields(r.out+r.err), " "), args)
	}
}

func TestTheStoreIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.ok("init")
	for _, name := range []string{".vendemmia", ".vendemmia/vendemmia.db"} {
		info, err := os.Stat(filepath.Join(b.dir, name))
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s: %s", name, info.Mode())
	}
}

// A password in an address is refused wherever it is written, with what to write.
func TestNoPasswordIsWrittenOut(t *testing.T) {
	t.Parallel()
	good := "https://bob:${secret:env:VENDEMMIA_SECRET_PASSWORD}@a.example.org/rss"
	bad := "https://bob:hunter2@a.example.org/rss"
	for name, text := range map[string]string{
		"params": "campaigns:\n  a:\n    fetcher: feed\n    params: { url: \"" + bad + "\" }\n",
		"items":  "campaigns:\n  a:\n    fetcher: feed\n    split: true\n    params: [{ url: \"" + bad + "\" }]\n",
		"notify": "campaigns:\n  a:\n    notify: [{ to: \"" + bad + "\" }]\n    fetcher: feed\n    params: { url: \"https://a.example.org/\" }\n",
		"list":   "campaigns:\n  a:\n    fetcher: feed\n    split: { file: list.csv }\n",
	} {
		b := emptyBench(t)
		b.file("c.yaml", text)
		b.file("list.csv", "url\n"+bad+"\n")
		r := b.run("campaigns", "validate", "c.yaml")
		require.Equal(t, program.ExitUsage, r.code, name)
		flat := strings.Join(strings.Fields(r.out+r.err), " ")
		require.Contains(t, flat, "a password has no place in", name)
		require.Contains(t, flat, good, name)
		require.NotContains(t, r.out+r.err, "hunter2", name)
		b.file("c.yaml", strings.ReplaceAll(text, bad, good))
		b.file("list.csv", "url\nhttps://a.example.org/\n")
		require.Equal(t, program.ExitOK, b.run("campaigns", "validate", "c.yaml").code, name)
	}
	b := emptyBench(t)
	r := b.run("trigger", "--fetcher", "feed", "-p", "url="+bad)
	require.Equal(t, program.ExitUsage, r.code)
	require.NotContains(t, r.err, "hunter2")
	for _, format := range []string{"text", "json"} {
		r = b.run("probe", "https://bob:hunter2@www.some-news.example.org/rss", "-o", format)
		require.Equal(t, program.ExitOK, r.code, r.err)
		require.NotContains(t, r.out+r.err, "hunter2")
	}
}
