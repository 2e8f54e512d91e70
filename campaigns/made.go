package campaigns

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/references"
)

// Made is a campaign that no file says, such as the job of a registry. Body is what
// would stand under its name in a campaign file, as a JSON object; references to
// secrets in it are text, since a stranger wrote it. From takes the place of the
// file in problems and notes.
type Made struct {
	Name string
	From string
	Body json.RawMessage
}

// Making makes campaigns of what no file says, with the layers and the checks that
// files have.
type Making struct {
	project string
	lookup  Lookup
	keys    *keys.Tables
	base    *yamltree.Node
}

// NewMaking makes campaigns of a project; d is the process settings' layer.
func NewMaking(project string, lookup Lookup, d Defaults) (*Making, error) {
	builtin, err := keys.Builtin()
	if err != nil {
		return nil, err
	}
	l := &loader{keys: keys.NewTables()}
	return &Making{project: project, lookup: lookup, keys: l.keys, base: mergeLayer(builtin, l.defaults(d.tree(), "defaults"))}, nil
}

// Make makes one campaign. With problems there is none.
func (k *Making) Make(m Made) (Source, []Problem, error) {
	tree, err := madeTree(m)
	if err != nil {
		return Source{}, []Problem{{File: m.From, Text: err.Error()}}, nil
	}
	l := &loader{lookup: k.lookup, keys: k.keys, base: k.base, report: newReport(), later: newReport(), loaded: &Loaded{Project: k.project}, read: map[string]*source{}}
	l.report.file(m.From)
	keys.Check(tree, keys.Value{Map: l.keys.File}, "", l.report.add)
	s := &source{path: m.From, tree: tree}
	out := l.one(s, l.base, tree.Get("campaigns").Members[0])
	out.File, out.Line = m.From, 0
	return out, l.report.sorted(), nil
}

// madeTree is the file that would say it.
func madeTree(m Made) (*yamltree.Node, error) {
	if err := values.Name(m.Name); err != nil {
		return nil, err
	}
	body, err := references.EscapeJSON(m.Body)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	tree := yamltree.FromJSON(map[string]any{"campaigns": map[string]any{m.Name: object}})
	place(tree, yamltree.Pos{File: m.From})
	return tree, nil
}

// place gives every value its file.
func place(n *yamltree.Node, at yamltree.Pos) {
	n.Pos = at
	for i := range n.Members {
		n.Members[i].At = at
		place(n.Members[i].Value, at)
	}
	for _, item := range n.Items {
		place(item, at)
	}
}
