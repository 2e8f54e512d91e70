package campaigns

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

// report collects problems. The same words at the same place count once: a
// mistake in defaults reaches every campaign.
type report struct {
	problems []Problem
	seen     map[Problem]bool
	order    map[string][2]int // of files: campaign file, then its lists
	files    int
}

func newReport() *report {
	return &report{seen: map[Problem]bool{}, order: map[string][2]int{}}
}

// file gives a campaign file its place in the order of problems.
func (r *report) file(path string) {
	if _, known := r.order[path]; !known {
		r.files++
		r.order[path] = [2]int{r.files, 0}
	}
}

// list puts a list file behind the campaign file that names it first.
func (r *report) list(path, from string) {
	if _, known := r.order[path]; !known {
		r.order[path] = [2]int{r.order[from][0], len(r.order)}
	}
}

// add says what is wrong with a key; path may be empty.
func (r *report) add(at yamltree.Pos, path, text string) {
	key := Problem{File: at.File, Line: at.Line, Column: at.Column, Text: text}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	switch {
	case path == "":
	case strings.HasPrefix(text, `"`):
		key.Text = path + " " + text
	default:
		key.Text = path + ": " + text
	}
	r.problems = append(r.problems, key)
}

func (r *report) errors(errs []yamltree.Error) {
	for _, e := range errs {
		r.add(e.Pos, "", e.Text)
	}
}

// sorted returns the problems file by file, in the order the files were read.
func (r *report) sorted() []Problem {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		x, y := r.order[a.File], r.order[b.File]
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a.File, b.File), byPlace(a, b))
	})
	return r.problems
}
