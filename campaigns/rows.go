package campaigns

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// rowBuilder converts the rows of a list to items.
type rowBuilder struct {
	*entryBuild
	fields []paramspec.Field
	// texts: values are text, to be converted to the types of the fetcher's params.
	texts bool
	file  string // where the rows stand
	// written: the rows are in the campaign file itself.
	written bool
	out     []Row
	lines   map[string]int  // of keys
	odd     map[string]bool // columns that mean nothing, each told once
	broken  bool            // some row could not be read
}

func (x *entryBuild) rows(texts bool) *rowBuilder {
	return &rowBuilder{entryBuild: x, fields: paramspec.Fields(x.info.Params), texts: texts, lines: map[string]int{}, odd: map[string]bool{}}
}

// header checks the columns of a CSV file once, on its first line.
func (r *rowBuilder) header(path string, columns []string) {
	at := yamltree.Pos{File: path, Line: 1}
	for _, c := range columns {
		r.meaning(at, c)
	}
	for _, wanted := range []struct{ key, column string }{{"key", r.entry.Split.Key}, {"label", r.entry.Split.Label}} {
		_, common := r.paramsOf(r.entry.Params)[wanted.column]
		if columns != nil && wanted.column != "" && !common && !slices.Contains(columns, wanted.column) {
			r.report.add(at, "", fmt.Sprintf("there is no column %s, and split.%s names it; there are %s", wanted.column, wanted.key, strings.Join(columns, ", ")))
			r.broken = true
		}
	}
}

func (r *rowBuilder) paramsOf(raw json.RawMessage) map[string]json.RawMessage {
	m, err := jsonObject(raw)
	if err != nil {
		return nil
	}
	return m
}

// meaning reports a column that is neither a param nor a known column, and returns
// false. If the fetcher is unknown, every column is a param.
func (r *rowBuilder) meaning(at yamltree.Pos, column string) bool {
	if !r.known || column == "" || r.isParam(column) || r.isOurs(column) {
		return true
	}
	if r.odd[column] {
		return false
	}
	r.odd[column] = true
	names := []string{"label"}
	for _, f := range r.fields {
		names = append(names, f.Name)
	}
	for _, k := range r.keys.Columns {
		names = append(names, k.Name)
	}
	text := "no such param; there are " + strings.Join(names, ", ")
	if near := wording.Nearest(column, names); near != "" {
		text = "no such param; did you mean " + near + "?"
	}
	r.report.add(at, "column "+column, text)
	return false
}

func (r *rowBuilder) isParam(column string) bool {
	return !r.known || slices.ContainsFunc(r.fields, func(f paramspec.Field) bool { return f.Name == column })
}

// isOurs reports whether a column is about the item and not a param of the fetcher.
func (r *rowBuilder) isOurs(column string) bool {
	s := r.entry.Split
	return column == "label" || column == s.Key || column == s.Label ||
		r.keys.IsColumn(column)
}

// add makes one item; its mistakes are reported at its line.
func (r *rowBuilder) add(at yamltree.Pos, values map[string]any) {
	r.file = at.File
	row := Row{Line: at.Line, Written: r.written}
	params, wrong := map[string]any{}, map[string]bool{}
	for _, column := range sortedNames(values) {
		if r.meaning(at, column) && r.isParam(column) && (!r.isOurs(column) || r.known) {
			var ok bool
			params[column], ok = r.typed(at, column, values[column])
			wrong[column] = !ok
		}
	}
	r.policies(at, &row, values)
	row.Label = text(values[orWord(r.entry.Split.Label, "label")])
	if len(params) > 0 {
		row.Params = mustJSON(params)
	}
	whole, err := r.entry.ItemParams(row, nil)
	if err != nil {
		r.report.add(at, "", err.Error())
		return
	}
	r.checkRow(at, row, whole, wrong)
	if r.key(at, &row, values, whole) && r.entry.Split.Keep(row.Key) {
		r.out = append(r.out, row)
	}
}

// checkRow checks the merged params of a row. Mistakes in the common params are
// reported once, at their place. wrong are columns that were reported already.
func (r *rowBuilder) checkRow(at yamltree.Pos, row Row, whole json.RawMessage, wrong map[string]bool) {
	if !r.known {
		return
	}
	own, common := r.paramsOf(row.Params), r.tree.Get("params")
	for _, p := range paramspec.Check(whole, r.info.Params) {
		name, _, _ := strings.Cut(p.Field, ".")
		if wrong[name] {
			continue
		}
		if _, here := own[name]; !here && common.Has(name) {
			r.report.add(paramPlace(common, p, common.Pos), paramPath(r.path+".params", p), p.Text)
			continue
		}
		r.report.add(at, p.Field, p.Text)
	}
}

// key sets the item's key and requires it to be unique.
func (r *rowBuilder) key(at yamltree.Pos, row *Row, values map[string]any, whole json.RawMessage) bool {
	column := r.entry.Split.Key
	if column != "" {
		row.Key = text(values[column])
	}
	if row.Key == "" && column != "" {
		row.Key = jsonText(r.paramsOf(whole)[column])
		if row.Key == "" {
			r.report.add(at, "", fmt.Sprintf("no %s; split.key names it, and every row needs one", column))
			return false
		}
	}
	if row.Key == "" {
		key, err := units.Key(whole, r.info.Identity)
		if err != nil {
			r.report.add(at, "", err.Error())
			return false
		}
		row.Key = key
	}
	if text := badKey(row.Key); text != "" {
		r.report.add(at, "", text)
		return false
	}
	if first, twice := r.lines[row.Key]; twice {
		r.report.add(at, "", fmt.Sprintf("key %s is also on line %d; every row needs a key of its own, it names the checkpoint", row.Key, first))
		return false
	}
	r.lines[row.Key] = at.Line
	return true
}

// maxKey is the longest key in bytes.
const maxKey = 1000

func badKey(key string) string {
	switch {
	case len(key) > maxKey:
		return fmt.Sprintf("a key of %d bytes; at most %d. A shorter one can be given with split.key", len(key), maxKey)
	case strings.ContainsFunc(key, unicode.IsControl):
		return fmt.Sprintf("key %q holds characters that cannot be printed", key)
	default:
		return ""
	}
}

// finish reports whether the rows can be used. An empty list is a mistake, because all
// items of the entry would disappear.
func (r *rowBuilder) finish(at yamltree.Pos, what string, broken bool) bool {
	r.formerKeys()
	switch {
	case broken || r.broken || len(r.lines) > 0 && len(r.out) > 0:
	case len(r.lines) == 0:
		r.report.add(at, "", what+" has no rows")
	default:
		r.report.add(at, "", "include and exclude leave nothing of the "+strconv.Itoa(len(r.lines))+" rows of "+what)
	}
	return len(r.out) > 0
}

// formerKeys checks `was` once all keys are known: state can move to only one item, and
// not from an item that still exists.
func (r *rowBuilder) formerKeys() {
	claimed := map[string]string{}
	for _, row := range r.out {
		if row.Was == "" {
			continue
		}
		at := yamltree.Pos{File: r.file, Line: row.Line}
		line, alive := r.lines[row.Was]
		switch {
		case row.Was == row.Key:
			r.report.add(at, "was", row.Was+" is the key it has now")
		case alive:
			r.report.add(at, "was", fmt.Sprintf("%s is still an item, on line %d", row.Was, line))
		case claimed[row.Was] != "":
			r.report.add(at, "was", fmt.Sprintf("%s moved to %s already; its state can go to one place only", row.Was, claimed[row.Was]))
		}
		claimed[row.Was] = row.Key
	}
}

func orWord(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}
