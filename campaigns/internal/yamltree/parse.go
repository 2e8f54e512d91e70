package yamltree

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds that no file for people comes near, and that keep a hostile one from
// eating the machine.
const (
	MaxBytes = 32 << 20
	maxDepth = 200
	// The parser recurses before there is a tree. Brackets in quotes count too, so this
	// limit is generous.
	maxOpen  = 5000
	maxNodes = 1_000_000 // after aliases
)

// Parse reads one document. It never panics. Mistakes that it can recover from (an
// unquoted cron line, a duplicate key) are reported beside the tree; otherwise there is
// no tree. An empty file is a null node.
func Parse(file string, data []byte) (*Node, []Error) {
	top := Pos{File: file, Line: 1}
	switch {
	case len(data) > MaxBytes:
		return nil, []Error{{top, fmt.Sprintf("more than %d MiB; split it into several files", MaxBytes>>20)}}
	case !utf8.Valid(data):
		return nil, []Error{{top, "not UTF-8 text; save the file as UTF-8"}}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if line := tooDeep(data); line > 0 {
		return nil, []Error{{Pos{File: file, Line: line}, "brackets are nested too deeply"}}
	}
	return parseText(file, data)
}

func parseText(file string, data []byte) (*Node, []Error) {
	tree, err := parseAST(data)
	c := &converter{file: file, anchors: map[string]*Node{}, weight: map[*Node]int{}}
	lines := strings.Split(string(data), "\n")
	if err != nil {
		data, c.shifts, c.errors = quoteBare(file, data)
		if len(c.shifts) > 0 {
			tree, err = parseAST(data)
		}
	}
	if err != nil {
		return nil, append(c.errors, c.syntax(err, lines))
	}
	return c.document(tree), c.errors
}

func parseAST(data []byte) (tree *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			tree, err = nil, fmt.Errorf("cannot be read as YAML: %v", p)
		}
	}()
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

// syntax describes a syntax error at the place to correct, if possible in better words
// than the parser's.
func (c *converter) syntax(err error, lines []string) Error {
	var syntax *yaml.SyntaxError
	if !errors.As(err, &syntax) {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return Error{Pos{File: c.file, Line: 1}, text}
	}
	at := c.at(syntax.Token)
	m := mistake{lines: lines, line: at.Line - 1, column: at.Column, message: syntax.Message}
	if line, column, text, ok := m.explain(); ok {
		return Error{Pos{File: c.file, Line: line + 1, Column: column}, text}
	}
	return Error{at, "not YAML: " + syntax.Message + hint(syntax.Message)}
}

func hint(message string) string {
	if strings.Contains(message, "reserved character") {
		return "; text that starts with @ or ` must be in quotes"
	}
	return ""
}

func (c *converter) at(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{File: c.file, Line: 1}
	}
	p := Pos{File: c.file, Line: t.Position.Line, Column: t.Position.Column}
	for _, s := range c.shifts {
		if s.line == p.Line && s.column < p.Column {
			p.Column -= s.by
		}
	}
	return p
}

// tooDeep returns the line where brackets or dashes nest beyond maxOpen, or 0.
// It is a rough count: quotes are not looked at.
func tooDeep(data []byte) int {
	line, depth, dashes := 1, 0, 0
	for i, b := range data {
		switch b {
		case '\n':
			line, dashes = line+1, 0
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '-', '?', '!', '&':
			if i+1 < len(data) && (data[i+1] == ' ' || b == '!' || b == '&') {
				dashes++
			}
		}
		if depth > maxOpen || dashes > maxOpen {
			return line
		}
	}
	return 0
}
