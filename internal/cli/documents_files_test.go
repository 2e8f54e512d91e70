package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

func TestExportAsFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.ok("documents", "export", "--as", "files", "--to", "out", "--campaign", "news")
	require.Regexp(t, "^out: 2,741 files new, 0 \\.delete files new, [0-9] replaced, up to change 2,750\nthe same command writes what changes from now on\n$", out)
	files, err := filepath.Glob(filepath.Join(b.dir, "out", "*.txt"))
	require.NoError(t, err)
	require.Equal(t, "2,741", b.ok("documents", "count")[:5])
	require.Len(t, files, 2741)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	require.Equal(t, "out: 0 files new, 0 .delete files new, 0 replaced, up to change 2,750\n", b.ok("documents", "export", "--as", "files", "--to", "out", "--campaign", "news"))

	var told struct {
		Dir            string
		Changes, Files int
		After          int64
	}
	require.NoError(t, json.Unmarshal([]byte(b.ok("documents", "export", "--as", "files", "--to", "batches", "--batch", "1000", "-o", "json")), &told))
	require.Equal(t, "batches", told.Dir)
	require.Equal(t, 3, told.Files)
	require.EqualValues(t, 2750, told.After)
	require.FileExists(t, filepath.Join(b.dir, "batches", "000000000001.jsonl"))

	r := b.run("documents", "export", "--as", "files", "--to", "out")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "/work/out was begun with --layout flat --campaign news")

	other := newBench(t)
	require.NoError(t, os.RemoveAll(filepath.Join(other.dir, ".vendemmia")))
	other.ok("init")
	require.NoError(t, os.CopyFS(filepath.Join(other.dir, "out"), os.DirFS(filepath.Join(b.dir, "out"))))
	r = other.run("documents", "export", "--as", "files", "--to", "out", "--campaign", "news")
	require.Equal(t, program.ExitRunFailed, r.code)
	require.Contains(t, r.err, "database reset")
}

func TestExportMistakes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for says, args := range map[string][]string{
		"lines or files":              {"--as", "fils"},
		"say where":                   {"--as", "files"},
		"--to goes with --as files":   {"--to", "out"},
		"--since does not go with it": {"--as", "files", "--to", "out", "--since", "today"},
		"one of flat, hash, days":     {"--as", "files", "--to", "out", "--layout", "deep"},
		"one file each":               {"--as", "files", "--to", "out", "--batch", "-1"},
		"batches stand in one folder": {"--as", "files", "--to", "out", "--batch", "10", "--layout", "days"},
	} {
		r := b.run(append([]string{"documents", "export"}, args...)...)
		require.Equal(t, program.ExitUsage, r.code, says)
		require.Contains(t, r.err, says)
	}
	require.NoDirExists(t, b.dir+"/out")
}
