package store

import (
	"errors"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// where builds the condition of a query: only constants of this package become
// SQL, every value is an argument.
type where struct {
	parts []string
	args  []any
}

func (w *where) add(condition string, args ...any) {
	w.parts = append(w.parts, condition)
	w.args = append(w.args, args...)
}

// text selects on a column unless the value is empty.
func (w *where) text(column, value string) {
	if value != "" {
		w.add(column+" = ?", value)
	}
}

func (w *where) since(column string, t time.Time) {
	if !t.IsZero() {
		w.add(column+" >= ?", micros(t))
	}
}

func (w *where) before(column string, t time.Time) {
	if !t.IsZero() {
		w.add(column+" < ?", micros(t))
	}
}

func (w *where) in(column string, values []any) {
	if len(values) > 0 {
		w.add(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
	}
}

// oneOf is in for a list of which nil does not select and an empty one fits
// nothing.
func (w *where) oneOf(column string, values []string) {
	if values != nil && len(values) == 0 {
		w.add("1 = 0")
		return
	}
	w.in(column, words(values))
}

// holds selects rows in which one of the columns holds a text, in any case of
// letters.
func (w *where) holds(text string, columns ...string) {
	if text == "" {
		return
	}
	pattern := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(text)) + "%"
	var parts []string
	var args []any
	for _, column := range columns {
		parts, args = append(parts, "lower("+column+`) LIKE ? ESCAPE '\'`), append(args, pattern)
	}
	w.add("("+strings.Join(parts, " OR ")+")", args...)
}

func (w *where) sql() string {
	if len(w.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.parts, " AND ")
}

// ofItems selects what points at items of a name; empty parts of the name do not
// select.
func (w *where) ofItems(column, campaign, entry, key string) {
	if about := itemsNamed(campaign, entry, key); len(about.parts) > 0 {
		w.add(column+" IN (SELECT id FROM items"+about.sql()+")", about.args...)
	}
}

func itemsNamed(campaign, entry, key string) where {
	w := where{}
	w.text("campaign", campaign)
	w.text("entry", entry)
	w.text("key", key)
	return w
}

// words are typed words as arguments.
func words[T ~string](list []T) []any {
	args := make([]any, len(list))
	for i, w := range list {
		args[i] = string(w)
	}
	return args
}

func isNotFound(err error) bool { return errors.Is(err, rows.ErrNotFound) }
