package scaffold

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	packageName = regexp.MustCompile(`^[a-z][a-z0-9]{0,31}$`)
	modulePath  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+(/[A-Za-z0-9_][A-Za-z0-9_.~-]*)+$`)
)

// checkName refuses what cannot be the name of a fetcher and of its package.
func (f Fetcher) checkName() error {
	switch name := f.Name; {
	case !packageName.MatchString(name):
		return fmt.Errorf("%q cannot name a fetcher: it is the name of a Go package too; use small letters and digits, beginning with a letter, at most 32", name)
	case token.IsKeyword(name):
		return fmt.Errorf("%s is a keyword of Go; take another name, such as my%s", name, name)
	case types.Universe.Lookup(name) != nil || slices.Contains([]string{"init", "internal", "main", "testdata", "vendor", "worker", "starter"}, name):
		return fmt.Errorf("%s has a meaning of its own; take another name, such as my%s", name, name)
	}
	return f.checkWords()
}

// checkWords refuses a name that the written code uses for something else: beside an
// import of that name it would not compile.
func (f Fetcher) checkWords() error {
	f2 := f
	f2.Name = "zzzzzzzz"
	files, err := f2.files()
	if err != nil {
		return err
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Path, "_test.go") && file.Path != "main.go" {
			continue
		}
		used, err := words(file.Text)
		if err != nil {
			return fmt.Errorf("read %s: %w", file.Path, err)
		}
		if used[f.Name] {
			return fmt.Errorf("%s is a word of the code that would be written; take another name, such as my%s", f.Name, f.Name)
		}
	}
	return nil
}

// words are the identifiers and the imported packages of a Go file.
func words(source []byte) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			out[path.Base(p)] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out[id.Name] = true
		}
		return true
	})
	return out, nil
}

func checkModule(module string) error {
	switch {
	case !modulePath.MatchString(module) || len(module) > 200 || strings.Contains(module, "..") || strings.HasSuffix(module, "."):
		return fmt.Errorf("%q is not a module path; write where the repository will be, such as example.org/you/notices", module)
	case module == Ours || strings.HasPrefix(module, Ours+"/"):
		return fmt.Errorf("%s is this program's own module path; write where your repository will be, such as example.org/you/notices", module)
	}
	return nil
}
