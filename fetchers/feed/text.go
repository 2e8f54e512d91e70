package feed

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

func put(m map[string]any, key, value string) {
	if value != "" {
		m[key] = value
	}
}

func putList(m map[string]any, key string, values []string) {
	if list := texts(values); len(list) > 0 {
		m[key] = list
	}
}

// texts cleans values and leaves out what is empty or said before.
func texts(values []string) []any {
	var list []any
	seen := map[string]bool{}
	for _, v := range values {
		if v = line(v); v != "" && !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

var inline = regexp.MustCompile(`(?i)</?(?:a|abbr|b|big|br|cite|code|em|font|i|img|p|q|s|small|span|strong|sub|sup|u|wbr)(?:\s[^<>]*)?/?>`)

// heading is a title for people: on one line, without the markup that titles
// hold though most formats do not let them.
func heading(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return line(s)
	}
	return line(html.UnescapeString(inline.ReplaceAllStringFunc(s, func(tag string) string {
		if strings.HasPrefix(strings.ToLower(tag), "<br") {
			return " "
		}
		return ""
	})))
}

// line is text on one line: white space folded, control characters gone.
func line(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// clean makes s valid UTF-8 without the characters that entities of a source
// can smuggle past XML.
func clean(s string) string {
	if utf8.ValidString(s) && !suspect(s) {
		return charsets.WithoutC1(s)
	}
	return charsets.WithoutC1(strings.Map(func(r rune) rune {
		if !legal(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")))
}
