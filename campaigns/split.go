package campaigns

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/lists"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// split makes the items of an entry, or checks its only item.
func (x *entryBuild) split() {
	n := x.tree.Get("split")
	switch {
	case n.IsNull():
		x.checkParams(x.entry.Params, x.tree.Get("params"))
		return
	case !n.IsMap():
		if n.Kind == yamltree.Bool {
			x.report.add(n.Pos, x.path+".split", "true wants a list under params, one element per item")
		}
		return
	}
	s := &Split{
		Ask: textAt(n, "ask"), Key: textAt(n, "key"), Label: textAt(n, "label"), File: textAt(n, "file"),
		Include: textsAt(n, "include"), Exclude: textsAt(n, "exclude"),
	}
	if s.Ask == "" {
		s.Ask = textAt(n, "ask", "name")
	}
	x.entry.Split = s
	if !x.oneSource(n) {
		return
	}
	if s.Ask != "" {
		x.checkAsk(n)
	}
	switch {
	case s.File != "":
		x.fileRows(n.Get("file"))
	case !n.Get("items").IsNull():
		x.inlineRows(n.Get("items"))
	}
}

// oneSource requires exactly one of items, file and ask.
func (x *entryBuild) oneSource(n *yamltree.Node) bool {
	items, file, ask := !n.Get("items").IsNull(), !n.Get("file").IsNull(), x.entry.Split.Ask != ""
	switch {
	case items && file:
		x.report.add(n.Pos, x.path+".split", "items and file stand together; give one of them")
		return false
	case !items && !file && !ask:
		x.report.add(n.Pos, x.path+".split", "needs items, file or ask; for example { file: feeds.csv, key: id }")
		return false
	}
	return true
}

func (x *entryBuild) checkAsk(n *yamltree.Node) {
	if x.known && !x.info.Splitter {
		x.report.add(n.Get("ask").Pos, x.path+".split.ask", "the fetcher "+x.info.Name+" cannot be asked for its items; give items or file")
	}
	if !n.Get("items").IsNull() || !n.Get("file").IsNull() {
		// Refused, and not only marked as later: a run would ask once and leave
		// the list aside without a word.
		x.report.add(n.Get("ask").Pos, x.path+".split.ask", "not yet: asking once per element of a list; give ask, or items, or file")
		return
	}
	x.checkParams(x.entry.Params, x.tree.Get("params"))
}

// fileRows reads the list file; its path is relative to the campaign file.
func (x *entryBuild) fileRows(n *yamltree.Node) {
	path := x.entry.Split.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(n.File), path)
	}
	x.report.list(path, x.source.path)
	data, err := userfile.Read(path, lists.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		x.report.add(n.Pos, x.path+".split.file", "there is no "+path+"; the name is relative to this file")
		return
	}
	if err != nil {
		x.report.add(n.Pos, x.path+".split.file", err.Error())
		return
	}
	list, errs := lists.Read(path, data)
	for _, e := range errs {
		x.report.add(yamltree.Pos{File: path, Line: e.Line}, "", e.Text)
	}
	r := x.rows(list.Texts)
	r.header(path, list.Columns)
	for _, row := range list.Rows {
		r.add(yamltree.Pos{File: path, Line: row.Line}, row.Values)
	}
	if r.finish(n.Pos, path, len(errs) > 0) {
		x.storeList(r.out)
	}
}

// storeList refers to the rows by their digest, so that a definition does not contain a
// list of a million items.
func (x *entryBuild) storeList(out []Row) {
	raw, err := encodeJSON(out)
	if err != nil {
		return
	}
	s := x.entry.Split
	s.List, s.Count = harvest.Digest(raw), len(out)
	x.out.Lists[s.List] = out
}

func (x *entryBuild) inlineRows(n *yamltree.Node) {
	r := x.rows(false)
	r.written = true
	for _, item := range n.Items {
		if !item.IsMap() {
			x.report.add(item.Pos, x.path+".split.items", "an element must be a map of params, not "+item.Kind.String())
			r.broken = true
			continue
		}
		x.checkReferences(item, x.path+".split.items")
		values := map[string]any{}
		for _, m := range withoutNulls(item.Members) {
			values[m.Key] = m.Value.Value()
		}
		r.add(item.Pos, values)
	}
	if r.finish(n.Pos, x.path+".split.items", r.broken) {
		x.entry.Split.Items = r.out
	}
}

// checkParams checks the merged params of one item against the fetcher; params is their
// place in the file.
func (x *entryBuild) checkParams(raw []byte, params *yamltree.Node) {
	if !x.known {
		return
	}
	for _, p := range paramspec.Check(raw, x.info.Params) {
		at := x.tree.Get("fetcher").Pos
		if !params.IsNull() {
			at = params.Pos
		}
		x.report.add(paramPlace(params, p, at), paramPath(x.path+".params", p), p.Text)
	}
}

func paramPath(path string, p paramspec.Problem) string {
	if p.Field == "" {
		return path
	}
	return path + "." + p.Field
}

// paramPlace is where to report a param: a wrong name at the key, a wrong value at the
// value, a missing one at the params.
func paramPlace(params *yamltree.Node, p paramspec.Problem, otherwise yamltree.Pos) yamltree.Pos {
	name, _, _ := strings.Cut(p.Field, ".")
	m, found := params.Member(name)
	switch {
	case !found:
		return otherwise
	case strings.HasPrefix(p.Text, "no such param"):
		return m.At
	default:
		return m.Value.Pos
	}
}
