package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/vendemmia/vendemmia/internal/userfile"
)

// fileSettings are the values of a YAML file, in the form of flags.
type fileSettings struct {
	path   string
	values map[string]said
}

type said struct {
	text string
	line int
}

// maxFile limits a settings file.
const maxFile = 1 << 20

// readFile reads the file strictly; an empty path means no file.
func readFile(dir, path string) (fileSettings, error) {
	if path == "" {
		return fileSettings{}, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	f := fileSettings{path: path, values: map[string]said{}}
	raw, err := userfile.Read(path, maxFile)
	if err != nil {
		return f, fmt.Errorf("read the settings file: %w", err)
	}
	return f, f.parse(raw)
}

func (f *fileSettings) parse(raw []byte) error {
	parsed, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	var problems []error
	for _, doc := range parsed.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		case *ast.MappingNode:
			for _, member := range body.Values {
				problems = append(problems, f.member(member))
			}
		case *ast.MappingValueNode:
			problems = append(problems, f.member(body))
		default:
			problems = append(problems, fmt.Errorf("%s: it must be a map of settings and values", f.path))
		}
	}
	return errors.Join(problems...)
}

func (f *fileSettings) member(m *ast.MappingValueNode) error {
	name, line := m.Key.String(), m.Key.GetToken().Position.Line
	if before, twice := f.values[name]; twice {
		return fmt.Errorf("%s:%d: %s is also on line %d", f.path, line, name, before.line)
	}
	var setting Known
	for _, k := range All() {
		if k.Name == name {
			setting = k
		}
	}
	if setting.Name == "" {
		return fmt.Errorf("%s:%d: %s: %s", f.path, line, name, noSuch(name))
	}
	text, err := setting.textOf(m.Value)
	if err != nil {
		return fmt.Errorf("%s:%d: %s: %w", f.path, line, name, err)
	}
	f.values[name] = said{text: text, line: line}
	return nil
}

// textOf formats a YAML value as the text of a flag.
func (k Known) textOf(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.SequenceNode:
		if !k.List {
			return "", errors.New("one value, not a list")
		}
		parts := make([]string, 0, len(n.Values))
		for _, v := range n.Values {
			text, err := scalar(v)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ","), nil
	case *ast.MappingNode:
		return k.mapText(n.Values)
	case *ast.MappingValueNode:
		return k.mapText([]*ast.MappingValueNode{n})
	default:
		return scalar(n)
	}
}

func (k Known) mapText(values []*ast.MappingValueNode) (string, error) {
	if !k.Map {
		return "", errors.New("one value, not a map")
	}
	parts := make([]string, 0, len(values))
	for _, v := range values {
		text, err := scalar(v.Value)
		if err != nil {
			return "", err
		}
		parts = append(parts, v.Key.String()+"="+text)
	}
	return strings.Join(parts, ","), nil
}

func scalar(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.NullNode:
		return "", nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	default:
		return "", fmt.Errorf("a plain value, not %s", strings.ToLower(n.Type().String()))
	}
}
