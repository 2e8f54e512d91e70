package web

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/vendemmia/vendemmia/fetchers/internal/dates"
	"github.com/vendemmia/vendemmia/internal/times"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// layouts that need no telling: none of them can be read in two ways. The usual
// ones come first.
func plainLayouts() []string {
	return []string{
		time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006/01/02", time.RFC1123Z, time.RFC1123,
		"Mon, 2 Jan 2006 15:04:05 -0700", "2 January 2006 15:04:05", "2 January 2006 15:04", "2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006",
	}
}

const maxDate = 100

// date reads text by the field's layouts, else by those that need no telling.
func (f *field) date(text string) (time.Time, error) {
	said := text
	if len(text) > maxDate {
		return time.Time{}, fmt.Errorf("%q is not a date", wording.Clip(said, 80))
	}
	layouts := f.Layouts
	if len(layouts) == 0 {
		layouts = plainLayouts()
	}
	text = strings.Join(strings.Fields(text), " ")
	if t, ok := f.dated(layouts, text); ok {
		return t, nil
	}
	for _, letters := range []int{9, 3} {
		if t, ok := f.dated(layouts, inEnglish(text, letters)); ok {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a date in any of layouts", wording.Clip(said, 80))
}

// dated reads text by the first layout that fits. A date in a zone that nobody
// knows is none: hours off, it would look right.
func (f *field) dated(layouts []string, text string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, f.zone); err == nil && t.Year() > 1 {
			at, unknown := dates.Settle(t)
			at, ok := times.Storable(at)
			return at, ok && unknown == ""
		}
	}
	return time.Time{}, false
}

// inEnglish writes the first month of text in English, by at most n letters, and
// drops what stands before the first digit or month: names of days.
func inEnglish(text string, n int) string {
	words := strings.Fields(text)
	var out []string
	found := false
	for _, w := range words {
		bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		month := monthOf(bare)
		switch {
		case !found && month != "" && bare != "":
			found = true
			out = append(out, strings.Replace(strings.ReplaceAll(w, ".", ""), bare, month[:min(n, len(month))], 1))
		case strings.ContainsFunc(w, unicode.IsDigit), month == "" && found && !joins(bare), bare == "":
			out = append(out, strings.TrimRight(w, "º°ª"))
		}
	}
	return strings.Join(out, " ")
}

// joins reports words such as the "de" of "3 de mayo de 2026".
func joins(word string) bool {
	switch strings.ToLower(word) {
	case "de", "di", "del", "dell", "of", "ore", "alle", "h", "um", "uhr", "at":
		return true
	}
	return false
}

// monthOf is the English name of the month that word begins like, "" for none.
func monthOf(word string) string {
	if n := dates.Month(word); n > 0 && len(word) >= 3 {
		return time.Month(n).String()
	}
	return ""
}
