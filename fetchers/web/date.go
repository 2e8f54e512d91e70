package web

import (
	"fmt"
	"strings"
	"time"
	"unicode"
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

// months by their first letters, in six languages of Europe; the first of each
// is what layouts know.
const months = "january jan gen ene janv;february feb fév;march mar mär maerz mars;april apr abr avr;may mag mai;june jun giu juin;july jul lug juil;" +
	"august aug ago aoû aou;september sep set;october oct ott okt out;november nov;december dec dic dez déc"

const maxDate = 100

// date reads text by the field's layouts, else by those that need no telling.
func (f *field) date(text string) (time.Time, error) {
	said := text
	if len(text) > maxDate {
		return time.Time{}, fmt.Errorf("%q is no date", clip(said, 80))
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
	return time.Time{}, fmt.Errorf("%q is no date as layouts say", clip(said, 80))
}

func (f *field) dated(layouts []string, text string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, f.zone); err == nil && t.Year() > 1 {
			return t.UTC(), true
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

func monthOf(word string) string {
	word = strings.ToLower(word)
	for names := range strings.SplitSeq(months, ";") {
		forms := strings.Fields(names)
		for _, form := range forms {
			if len(word) >= 3 && strings.HasPrefix(word, form) {
				return strings.ToUpper(forms[0][:1]) + forms[0][1:]
			}
		}
	}
	return ""
}
