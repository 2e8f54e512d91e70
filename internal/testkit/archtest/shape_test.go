package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Bounds past which a reader gives up. Generated files are not read.
const (
	maxFileLines     = 600
	maxFunctionLines = 80
)

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if len(p.GoFiles) > 0 && strings.TrimSpace(p.Doc) == "" {
			t.Errorf("%s has no package comment: one sentence on what it is for", p.ImportPath)
		}
	}
}

func TestNoInitAndNothingTooLong(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, name := range p.GoFiles {
			checkFile(t, filepath.Join(p.Dir, name))
		}
	}
}

func checkFile(t *testing.T, path string) {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	if bytes.Contains(source, []byte("Code generated")) {
		return
	}
	if n := bytes.Count(source, []byte("\n")); n > maxFileLines {
		t.Errorf("%s has %d lines: is there a second thing in it that wants its own name?", path, n)
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			checkFunc(t, files, f)
		}
	}
}

func checkFunc(t *testing.T, files *token.FileSet, f *ast.FuncDecl) {
	t.Helper()
	from, to := files.Position(f.Pos()), files.Position(f.End())
	if f.Name.Name == "init" && f.Recv == nil {
		t.Errorf("%s: an init function; construct and pass instead", from)
	}
	if n := to.Line - from.Line; n > maxFunctionLines {
		t.Errorf("%s: %s has %d lines", from, f.Name.Name, n)
	}
}
