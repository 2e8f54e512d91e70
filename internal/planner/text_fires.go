package planner

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// mostFires is how many campaigns' fires a plan shows.
const mostFires = 12

func (s *screen) fires(changes []Change) {
	coming := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return len(c.Next) == 0 || c.Mark == MarkNew })
	if len(coming) == 0 {
		return
	}
	slices.SortStableFunc(coming, func(a, b Change) int { return a.Next[0].Compare(b.Next[0]) })
	s.line("")
	s.line("next fires")
	column := 2
	for _, c := range coming[:min(len(coming), mostFires)] {
		column = max(column, len(c.Name)+4)
	}
	column = min(column, 26)
	for _, c := range coming[:min(len(coming), mostFires)] {
		s.line(pad("  "+c.Name, column) + firesText(c.Next, width-max(column, len(c.Name)+2)))
	}
	if more := len(coming) - mostFires; more > 0 {
		s.line("  … and " + wording.Count(more, "more campaign"))
	}
}

// firesText writes as many fires as fit: "Sat 9 May 18:00 · Sat 16 · Sat 6 June
// CEST". What is as it was before is left out.
func firesText(next []time.Time, room int) string {
	for n := len(next); n > 1; n-- {
		if text := fires(next[:n]); utf8.RuneCountInString(text) <= room {
			return text
		}
	}
	return fires(next[:1])
}

func fires(next []time.Time) string {
	parts := make([]string, 0, len(next))
	var last time.Time
	for _, t := range next {
		parts = append(parts, fireText(t, last))
		last = t
	}
	zone, _ := next[0].Zone()
	return strings.Join(parts, " · ") + " " + zone
}

func fireText(t, last time.Time) string {
	var words []string
	if last.IsZero() || t.YearDay() != last.YearDay() || t.Year() != last.Year() {
		words = append(words, t.Format("Mon 2"))
		if last.IsZero() || t.Month() != last.Month() {
			words = append(words, t.Format("Jan"))
		}
		if !last.IsZero() && t.Year() != last.Year() {
			words = append(words, t.Format("2006"))
		}
	}
	if clock := t.Format("15:04"); len(words) == 0 || last.IsZero() || clock != last.Format("15:04") {
		words = append(words, clock)
	}
	return strings.Join(words, " ")
}
