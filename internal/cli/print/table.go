package print

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/terminal"
)

// Width is how many columns a screen has.
const Width = 80

// Column is a column of a Table.
type Column struct {
	Head  string
	Right bool // numbers
	// Flex columns give up letters when a table is too wide; Min of them stay.
	// Others are Min wide at least.
	Flex bool
	Min  int
	// End columns lose their end, not their middle: sentences.
	End bool
	// Word columns hold outcomes, in their colours on a terminal.
	Word bool
	// Key columns are flexible, and give way only when the others cannot any more:
	// people copy what stands in them.
	Key bool
}

// Table is rows under heads, two blanks between columns, fitted to Width (or Within another) by
// truncating flexible columns, never by wrapping.
type Table struct {
	columns []Column
	rows    [][]string
	width   int
	spare   []string
	colour  bool
}

// NewTable returns an empty table.
func NewTable(columns ...Column) *Table { return &Table{columns: columns, width: Width} }

// Within makes the table fit to another width, and returns it.
func (t *Table) Within(width int) *Table {
	t.width = width
	return t
}

// Narrowest is how wide the table is when all flexible columns have given way.
func (t *Table) Narrowest() int {
	narrow := *t
	narrow.width = 0
	total := 2 * (len(t.columns) - 1)
	for _, w := range narrow.fit() {
		total += w
	}
	return total
}

// Left, Right and Flex make columns.
func Left(head string) Column { return Column{Head: head} }

// Right makes a column of numbers.
func Right(head string) Column { return Column{Head: head, Right: true} }

// Word makes a column of outcomes.
func Word(head string) Column { return Column{Head: head, Word: true} }

// Flex makes a column that gives way; at least eight letters stay.
func Flex(head string) Column { return Column{Head: head, Flex: true, Min: 8} }

// Key makes a column of names to be copied: whole for as long as other columns can
// give way in its place.
func Key(head string) Column { return Column{Head: head, Flex: true, Key: true, Min: 8} }

// Spare names columns that are left out, one after another, until every key is
// whole: where that is needed, and helps. It returns the table.
func (t *Table) Spare(heads ...string) *Table {
	t.spare = heads
	return t
}

// spared is the table without the columns it can spare.
func (t *Table) spared() *Table {
	less := t
	for _, head := range t.spare {
		if less.whole() {
			return less
		}
		less = less.Without(head)
	}
	if less.whole() {
		return less
	}
	return t
}

func (t *Table) whole() bool {
	widths := t.fit()
	for i, c := range t.columns {
		for _, row := range t.rows {
			if c.Key && utf8.RuneCountInString(row[i]) > widths[i] {
				return false
			}
		}
	}
	return true
}

// Without leaves out the column with this head.
func (t *Table) Without(head string) *Table {
	i := slices.IndexFunc(t.columns, func(c Column) bool { return c.Head == head })
	if i < 0 {
		return t
	}
	less := &Table{columns: slices.Delete(slices.Clone(t.columns), i, i+1), width: t.width, spare: t.spare, colour: t.colour}
	for _, row := range t.rows {
		less.rows = append(less.rows, slices.Delete(slices.Clone(row), i, i+1))
	}
	return less
}

// Row appends a row; missing cells are empty.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(t.columns))
	for i := range row {
		if i < len(cells) {
			row[i] = Clean(cells[i])
		}
	}
	t.rows = append(t.rows, row)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// String renders the table.
func (t *Table) String() string {
	if len(t.spare) > 0 {
		less := *t.spared()
		less.spare = nil
		return less.String()
	}
	widths := t.fit()
	var b strings.Builder
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.Head
	}
	t.line(&b, widths, heads)
	for _, row := range t.rows {
		t.line(&b, widths, row)
	}
	return b.String()
}

func (t *Table) line(b *strings.Builder, widths []int, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("  ")
		}
		if t.columns[i].End {
			cell = End(cell, widths[i])
		} else {
			cell = Middle(cell, widths[i])
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if t.colour && t.columns[i].Word {
			cell = coloured(cell)
		}
		if t.columns[i].Right {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// coloured is an outcome as a terminal shows it: bad ones red, warnings yellow.
func coloured(word string) string {
	o := outcomes.Outcome(word)
	switch {
	case !o.Valid() || o.Severity() == outcomes.OK:
		return word
	case o.Severity() == outcomes.Warn:
		return "\x1b[33m" + word + "\x1b[0m"
	default:
		return "\x1b[31m" + word + "\x1b[0m"
	}
}

// fit returns the width of each column: what is natural, less what flexible
// columns have to give, the widest first, keys last.
func (t *Table) fit() []int {
	widths, total := make([]int, len(t.columns)), 2*(len(t.columns)-1)
	for i, c := range t.columns {
		widths[i] = utf8.RuneCountInString(c.Head)
		if !c.Flex {
			widths[i] = max(widths[i], c.Min)
		}
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		total += widths[i]
	}
	for total > t.width {
		widest := t.widest(widths)
		if widest < 0 {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

func (t *Table) widest(widths []int) int {
	best := -1
	for i, c := range t.columns {
		if c.Flex && widths[i] > max(c.Min, utf8.RuneCountInString(c.Head)) && (best < 0 || t.before(i, best, widths)) {
			best = i
		}
	}
	return best
}

// before reports whether column i gives a letter before column j does.
func (t *Table) before(i, j int, widths []int) bool {
	if t.columns[i].Key != t.columns[j].Key {
		return t.columns[j].Key
	}
	return widths[i] > widths[j]
}

// Middle shortens s to n letters by taking out its middle: addresses and keys
// differ at both ends.
func Middle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	if n < 5 {
		return string(r[:max(0, n)])
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// End shortens s to n letters by taking off its end.
func End(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:max(0, n-1)]) + "…"
}

// Clean makes foreign text safe for a terminal: control characters become
// blanks.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if terminal.Steers(r) {
			return ' '
		}
		return r
	}, s)
}
