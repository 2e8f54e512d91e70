package campaigns

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// maxFile bounds a campaign file; lists have a bound of their own.
const maxFile = 64 << 20

// defaultsFile holds hosts and defaults for all files of its folder.
const defaultsFile = "_defaults.yaml"

// Load reads campaign files and folders (of a folder: *.yaml and *.yml,
// sorted), merges and validates. It never stops at the first mistake: all of
// them are in Loaded.Problems. The error is for what is no mistake in a file: a
// path that is not there, a folder without campaign files.
func Load(paths []string, lookup Lookup) (*Loaded, error) {
	return LoadWith(paths, lookup, Defaults{})
}

// LoadWith is Load with the process settings' layer between what is built in
// and the files.
func LoadWith(paths []string, lookup Lookup, d Defaults) (*Loaded, error) {
	files, err := findFiles(paths)
	if err != nil {
		return nil, err
	}
	builtin, err := keys.Builtin()
	if err != nil {
		return nil, err
	}
	l := &loader{lookup: lookup, keys: keys.NewTables(), report: newReport(), later: newReport(), loaded: &Loaded{}, read: map[string]*source{}}
	l.base = mergeLayer(builtin, l.defaults(d.tree(), "defaults"))
	for _, path := range files {
		if err := l.readFile(path); err != nil {
			return nil, err
		}
	}
	l.all()
	l.loaded.Problems, l.loaded.NotYet = l.report.sorted(), l.later.sorted()
	slices.SortFunc(l.loaded.Campaigns, func(a, b Source) int { return cmp.Compare(a.Campaign.Name, b.Campaign.Name) })
	return l.loaded, nil
}

// Defaults is the process settings' layer.
type Defaults struct {
	// Values are dotted keys of `defaults` ("processors", "timeouts.item") and
	// their values as a file would say them.
	Values map[string]string
	// Source is shown as their origin: a settings file, "environment".
	Source string
}

func (d Defaults) tree() *yamltree.Node {
	out := &yamltree.Node{Kind: yamltree.Map}
	for key, text := range d.Values {
		at := yamltree.Pos{File: cmp.Or(d.Source, "settings")}
		value, errs := yamltree.Parse(at.File, []byte(text))
		if len(errs) > 0 {
			value = &yamltree.Node{Pos: at, Kind: yamltree.Text, Text: text}
		}
		parts := strings.Split(key, ".")
		for i := len(parts) - 1; i >= 0; i-- {
			value = &yamltree.Node{Pos: at, Kind: yamltree.Map, Members: []yamltree.Member{{Key: parts[i], At: at, Value: value}}}
		}
		out = yamltree.Merge(out, value)
	}
	slices.SortFunc(out.Members, func(a, b yamltree.Member) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// loader is one Load.
type loader struct {
	lookup Lookup
	keys   *keys.Tables
	report *report
	later  *report
	loaded *Loaded
	base   *yamltree.Node // built in and process settings
	read   map[string]*source
	order  []*source
}

// source is one campaign file.
type source struct {
	path     string
	tree     *yamltree.Node
	defaults *yamltree.Node // of this file, short forms written out
}

// findFiles lists the campaign files behind paths, each once; the
// _defaults.yaml of a file's folder comes before it.
func findFiles(paths []string) ([]string, error) {
	var files []string
	add := func(path string) {
		if !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	for _, path := range paths {
		found, err := filesAt(path)
		if err != nil {
			return nil, err
		}
		if common := filepath.Join(filepath.Dir(found[0]), defaultsFile); isFile(common) {
			add(common)
		}
		for _, f := range found {
			add(f)
		}
	}
	return files, nil
}

func filesAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read campaigns: there is no %s; name a campaign file or a folder of them", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read campaigns: %w", err)
	}
	if !info.IsDir() {
		return []string{filepath.Clean(path)}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("read campaigns: %w", err)
	}
	var files []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read campaigns: no *.yaml in the folder %s", path)
	}
	return files, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// readFile parses a file and checks it against the table of keys.
func (l *loader) readFile(path string) error {
	data, err := userfile.Read(path, maxFile)
	if err != nil {
		return fmt.Errorf("read campaigns: %w", err)
	}
	l.report.file(path)
	l.loaded.Files = append(l.loaded.Files, path)
	tree, errs := yamltree.Parse(path, data)
	l.report.errors(errs)
	s := &source{path: path, tree: tree}
	l.read[path], l.order = s, append(l.order, s)
	if tree.IsNull() {
		return nil
	}
	keys.Check(tree, keys.Value{Map: l.keys.File}, "", l.report.add)
	s.defaults = l.defaults(tree.Get("defaults"), "defaults")
	return nil
}

// under is what every campaign of a file starts from.
func (l *loader) under(s *source) *yamltree.Node {
	out := l.base
	if common, ok := l.read[filepath.Join(filepath.Dir(s.path), defaultsFile)]; ok && common != s {
		out = mergeLayer(out, common.defaults)
	}
	return mergeLayer(out, s.defaults)
}
