package gazzetta

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// maxCode is far longer than any code.
const maxCode = 200

var (
	codeParam = regexp.MustCompile(`codiceRedazionale=([^&#]*)`)
	eliAct    = regexp.MustCompile(`/eli/id/\d{4}/\d{1,2}/\d{1,2}/([^/?#]+)/`)
	// trailing is a code in brackets at the end of a text, where nothing else names
	// it: with digits and letters both, which a word in brackets has not.
	trailing = regexp.MustCompile(`\s*\(([0-9A-Z]{6,12}|[A-Z]{1,3}-\d{5,9})\)\s*$`)
)

// codeIn takes an act's code out of an address. Codes are opaque: 26A02924,
// 099G0557, T-260147 are some of their shapes.
func codeIn(link string) string {
	for _, form := range []*regexp.Regexp{codeParam, eliAct} {
		if m := form.FindStringSubmatch(link + "/"); m != nil {
			return unescaped(strings.TrimSuffix(m[1], "/"))
		}
	}
	return ""
}

func unescaped(code string) string {
	if plain, err := url.PathUnescape(code); err == nil {
		code = plain
	}
	return strings.TrimSpace(code)
}

// isCode reports what can stand in an id.
func isCode(code string) bool {
	return code != "" && len(code) <= maxCode && !strings.ContainsFunc(code, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// trailingCode takes a code in brackets off the end of a text.
func trailingCode(text string) (rest, code string) {
	m := trailing.FindStringSubmatch(text)
	if m == nil || !strings.ContainsAny(m[1], "0123456789") || !strings.ContainsAny(m[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return text, ""
	}
	return strings.TrimSuffix(text, m[0]), m[1]
}

// withoutCode takes the act's own code off the end of a title.
func withoutCode(title, code string) string {
	if code == "" {
		return title
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(title), "("+code+")"))
}
