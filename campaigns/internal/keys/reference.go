package keys

import (
	"fmt"
	"strings"
)

// Reference writes the tables of all keys in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("### A file\n\n")
	table(&b, File(), false)
	b.WriteString("### `hosts`, per host\n\n")
	table(&b, hostKeys(), false)
	b.WriteString("### Campaigns, entries, defaults\n\nWhere: **c** a campaign, **e** an entry of `fetchers`, **i** an item (a column of its list), **D** `defaults`. " +
		"At a campaign without `fetchers`, the keys of its one entry stand beside the campaign's own.\n\n")
	table(&b, all(), true)
	for _, k := range all() {
		if k.Name != "fetchers" {
			parts(&b, k, "`"+k.Name+"`")
		}
	}
	b.WriteString("### Columns of a list\n\nAll params of the fetcher, `label`, the columns that `split.key` and `split.label` name, and:\n\n")
	table(&b, Columns(), false)
	return b.String()
}

// parts writes a table of the keys inside a key.
func parts(b *strings.Builder, k Key, title string) {
	inside := k.Value.Map
	if inside == nil && k.Value.List != nil {
		inside = k.Value.List.Map
	}
	if inside == nil {
		return
	}
	if k.Name == "expect" {
		title += ": `run` and `item`"
		inside = inside[0].Value.Map
	}
	if k.Value.List != nil && k.Value.Map == nil {
		title += ", per element"
	}
	fmt.Fprintf(b, "### %s\n\n", title)
	table(b, inside, false)
	if grant, found := find(inside, "oauth2"); found {
		parts(b, grant, title+", `oauth2`")
	}
}

func table(b *strings.Builder, keys []Key, where bool) {
	if where {
		b.WriteString("| key | where | value | built in | meaning |\n|---|---|---|---|---|\n")
	} else {
		b.WriteString("| key | value | built in | meaning |\n|---|---|---|---|\n")
	}
	for _, k := range keys {
		fmt.Fprintf(b, "| `%s` |", k.Name)
		if where {
			fmt.Fprintf(b, " %s |", strings.Join(strings.Split(k.In, ""), " "))
		}
		fmt.Fprintf(b, " %s | %s | %s |\n", k.value(), k.builtIn(), k.meaning())
	}
	b.WriteString("\n")
}

// value describes the values of the key, with an example.
func (k Key) value() string {
	var out []string
	if f := k.Value.Form; f != nil {
		if f.Check != nil {
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(f.Name, "a "), "an "))
		}
		if len(f.Words) > 0 {
			out = append(out, "`"+strings.Join(f.Words, "` `")+"`")
		}
	}
	if k.Value.List != nil {
		out = append(out, "list")
	}
	if k.Value.Map != nil || k.Value.Each != nil || k.Value.Any {
		out = append(out, "map")
	}
	text := strings.Join(out, ", ")
	if e := k.example(); e != "" {
		text += ": `" + e + "`"
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

func (k Key) example() string {
	switch f := k.Value.Form; {
	case k.Example != "":
		return k.Example
	case f == nil || f.Check == nil:
		return ""
	default:
		return f.Example
	}
}

func (k Key) builtIn() string {
	switch {
	case k.Default == "":
		return ""
	case strings.Contains(k.Default, "\n"):
		return "see below"
	default:
		return "`" + k.Default + "`"
	}
}

func (k Key) meaning() string {
	text := k.Doc
	if k.Later != "" {
		text += ". **Not yet:** " + k.Later + "."
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

// DefaultRetry is the built-in retry list as a file would say it.
func DefaultRetry() string { return strings.TrimSpace(defaultRetry) }
