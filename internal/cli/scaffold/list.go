package scaffold

import (
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// listFile has the list of fetchers of a checkout.
const listFile = "fetchers/fetchers.go"

// checkout finds the root of a checkout of this program in dir or above.
func checkout(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && regexp.MustCompile(`(?m)^module `+regexp.QuoteMeta(Ours)+`$`).Match(mod) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", errors.New("this is no checkout of " + Ours + ": go into one, or make a repository of your own with --module example.org/you/name")
		}
	}
}

var (
	importLine = regexp.MustCompile(`^\t"` + regexp.QuoteMeta(Ours) + `/fetchers/([a-z0-9]+)"$`)
	kindLine   = regexp.MustCompile(`^\t\t\{([a-z0-9]+)\.Name, [a-z0-9]+\.New\},$`)
)

// registered returns the list of fetchers with one more.
func registered(root, name string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, listFile))
	if err != nil {
		return nil, fmt.Errorf("read the list of fetchers: %w", err)
	}
	used, err := words(source)
	if err != nil {
		return nil, fmt.Errorf("read the list of fetchers: %w; mend it first", err)
	}
	if used[name] {
		return nil, fmt.Errorf("%s is a word of %s; take another name, such as my%s", name, listFile, name)
	}
	lines := strings.Split(string(source), "\n")
	lines, one := insert(lines, importLine, name, fmt.Sprintf("\t%q", Ours+"/fetchers/"+name))
	lines, two := insert(lines, kindLine, name, fmt.Sprintf("\t\t{%s.Name, %s.New},", name, name))
	if !one || !two {
		return nil, fmt.Errorf("%s has no list of fetchers as it should be: one line each of imports and of Builtin()", listFile)
	}
	return format.Source([]byte(strings.Join(lines, "\n")))
}

// insert puts a line among those that match, in the order of their names; false: none
// matches.
func insert(lines []string, of *regexp.Regexp, name, line string) ([]string, bool) {
	at := -1
	for i, l := range lines {
		switch m := of.FindStringSubmatch(l); {
		case m != nil && m[1] < name:
			at = i + 1
		case m != nil && at < 0:
			at = i
		}
	}
	if at < 0 {
		return lines, false
	}
	return slices.Insert(lines, at, line), true
}
