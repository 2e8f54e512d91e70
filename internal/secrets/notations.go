package secrets

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// way is a notation of a value.
type way struct {
	name  string
	write func(string) string
}

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

// notations are those that a Mask looks for: of addresses, JSON and HTML, as the usual
// encoders of several languages write them. outer are those in which another one is
// looked for too, as an address in HTML or an error text that quotes JSON. Names stand in
// checkpoints: "query", and "query.html" for one within another.
var (
	notations = ways()
	outer     = slices.DeleteFunc(ways(), func(w way) bool {
		return !slices.Contains([]string{"html", "html-text", "html-#39", "html-#x27", "json", "json-html", "json-ascii-slash", "quote", "query"}, w.name)
	})
)

// notation finds one by name, "" being the value itself; nil if there is none of it.
func notation(name string) func(string) string {
	within := func(list []way, name string) func(string) string {
		if i := slices.IndexFunc(list, func(w way) bool { return w.name == name }); i >= 0 {
			return list[i].write
		}
		return nil
	}
	in, out, nested := strings.Cut(name, ".")
	first := within(notations, in)
	if !nested || first == nil {
		return first
	}
	second := within(outer, out)
	if second == nil || in == "" {
		return nil
	}
	return func(s string) string { return second(first(s)) }
}

func ways() []way {
	addresses := []way{
		{"query", url.QueryEscape},
		{"query20", func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }},
		{"segment", url.PathEscape},
		{"path", escapePath},
		{"user", escapeUser},
	}
	out := append([]way{{"", func(s string) string { return s }}}, addresses...)
	out = append(out, way{"json", escapeJSON}, way{"html", html.EscapeString})
	for _, w := range addresses {
		out = append(out, way{w.name + "-small", func(s string) string {
			return percent.ReplaceAllStringFunc(w.write(s), strings.ToLower)
		}})
	}
	return append(append(out, jsonWays()...), htmlWays()...)
}

// jsonWays: with HTML as it is, in ASCII, with slashes escaped; and as Go quotes.
func jsonWays() []way {
	slashes := strings.NewReplacer("/", `\/`).Replace
	return []way{
		{"json-html", escapeJSONText},
		{"quote", func(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }},
		{"json-ascii", func(s string) string { return ascii(escapeJSONText(s)) }},
		{"json-slash", func(s string) string { return slashes(escapeJSONText(s)) }},
		{"json-ascii-slash", func(s string) string { return slashes(ascii(escapeJSONText(s))) }},
	}
}

// htmlWays: text alone, attributes, and the four ways to write an apostrophe.
func htmlWays() []way {
	text := []string{"&", "&amp;", "<", "&lt;", ">", "&gt;"}
	quoted := append(text[:6:6], `"`, "&quot;")
	out := []way{{"html-text", strings.NewReplacer(text...).Replace}, {"html-quot", strings.NewReplacer(quoted...).Replace}}
	for _, name := range []string{"#39", "#039", "#x27", "apos"} {
		out = append(out, way{"html-" + name, strings.NewReplacer(append(quoted[:8:8], "'", "&"+name+";")...).Replace})
	}
	return out
}

func escapePath(s string) string {
	return strings.TrimPrefix((&url.URL{Path: "/" + s}).EscapedPath(), "/")
}

func escapeUser(s string) string {
	return strings.TrimPrefix(url.UserPassword("", s).String(), ":")
}

func escapeJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(b[1 : len(b)-1])
}

// unescapeHTML undoes what encoding/json does for HTML.
var unescapeHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\\`, `\\`)

// escapeJSONText leaves <, > and & as they are.
func escapeJSONText(s string) string { return unescapeHTML.Replace(escapeJSON(s)) }

// ascii writes other characters of a JSON text as \uXXXX.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
