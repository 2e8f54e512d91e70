package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/app"
)

// TestTheGuideShowsThisProgram: every line of Go in docs/write-a-fetcher.md is one of this
// folder, and what its commands print is so.
func TestTheGuideShowsThisProgram(t *testing.T) {
	t.Parallel()
	guide := read(t, "../../docs/write-a-fetcher.md")
	ours := map[string]bool{}
	for line := range strings.Lines(read(t, "main.go") + read(t, "main_test.go")) {
		ours[strings.TrimSpace(line)] = true
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(guide, -1)
	require.Greater(t, len(blocks), 3)
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			require.True(t, ours[strings.TrimSpace(line)], "not in this folder: %s", line)
		}
	}
	for _, args := range [][]string{{"fetchers", "list"}, {"fetchers", "try", "bulletin", "--params", "uri=1"}} {
		var out strings.Builder
		app.Run(t.Context(), args, &out, &out, app.With("bulletin", newBulletin))
		shown := regexp.MustCompile("(?s)" + regexp.QuoteMeta("bin/starter "+strings.Join(args, " ")) + "\n(?:```\n\n```\n)?(.*?)```").FindStringSubmatch(guide)
		require.NotNil(t, shown, "the guide does not show %v", args)
		for line := range strings.Lines(shown[1]) {
			require.True(t, line == "…\n" || strings.Contains(out.String(), line), "%v does not print %s: %s", args, line, out.String())
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}
