package takeover

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/references"
)

// nameOf makes a campaign's name of Mir's: GU::SerieGenerale is gu-serie-generale.
func nameOf(text string) string {
	var b strings.Builder
	before := '-'
	for _, r := range text {
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte('-')
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = '-'
		}
		if r != '-' || before != '-' {
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	name := b.String()
	return cmp.Or(strings.Trim(name[:min(len(name), 60)], "-"), "campaign")
}

// File is a campaign file of an Acquisition, and the lists that it names.
type File struct {
	YAML  []byte
	Lists map[string][]byte // by their names beside the file
}

// tolerated is how many items may fail until somebody has looked: Mir went on
// whatever failed.
const tolerated = "50%"

// File writes the campaigns; what is not complete stands in comments. stem is
// the name of the file without its ending; with it, items go to lists beside it,
// without they stand in the file.
func (a *Acquisition) File(project, zone, stem string) (File, error) {
	out := File{Lists: map[string][]byte{}}
	head := yaml.MapSlice{{Key: "project", Value: project}, {Key: "defaults", Value: yaml.MapSlice{
		{Key: "schedule", Value: yaml.MapSlice{{Key: "time_zone", Value: zone}}},
		{Key: "tolerate", Value: yaml.MapSlice{{Key: "items", Value: tolerated}}},
	}}}
	text, err := marshal(head)
	var body bytes.Buffer
	complete := 0
	for _, c := range a.Campaigns {
		part, failed := c.yaml(stem, out.Lists)
		err = errors.Join(err, failed)
		if len(c.Lacks) == 0 {
			complete++
		}
		body.WriteString(part)
	}
	open := "campaigns:\n"
	if complete == 0 {
		open = "campaigns: {}\n"
	}
	out.YAML = slices.Concat([]byte("# Taken over from Mir, which goes on whatever fails: lower tolerate when what no\n# longer answers has been taken out.\n"), text, []byte(open), body.Bytes())
	return out, err
}

func marshal(v any) ([]byte, error) {
	b, err := yaml.MarshalWithOptions(v, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("write campaigns: %w", err)
	}
	return b, nil
}

// yaml is the campaign as it stands under `campaigns`.
func (c Campaign) yaml(stem string, lists map[string][]byte) (string, error) {
	body := yaml.MapSlice{{Key: "description", Value: c.Description}}
	if c.Schedule != nil {
		body = append(body, yaml.MapItem{Key: "schedule", Value: scheduleYAML(*c.Schedule)})
	}
	if c.Processors > 0 {
		body = append(body, yaml.MapItem{Key: "processors", Value: c.Processors})
	}
	if c.Paused != "" {
		body = append(body, yaml.MapItem{Key: "paused", Value: c.Paused})
	}
	entries, err := c.entriesYAML(stem, lists)
	text, failed := marshal(yaml.MapSlice{{Key: c.Name, Value: append(body, entries...)}})
	if err = errors.Join(err, failed); err != nil {
		return "", err
	}
	if len(c.Lacks) > 0 {
		return indented("  # ", "Not complete: "+strings.Join(c.Lacks, "; ")+"\n"+string(text)), nil
	}
	return indented("  ", string(text)), nil
}

func indented(by, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}

// scheduleYAML is the short form where one line says it all.
func scheduleYAML(s campaigns.Schedule) any {
	if len(s.Cron) == 1 && len(s.Days) == 0 && s.TimeZone == "" {
		return s.Cron[0]
	}
	if s.Every > 0 {
		return s.String()
	}
	out := yaml.MapSlice{{Key: "cron", Value: s.Cron}}
	if len(s.Days) > 0 {
		out = append(out, yaml.MapItem{Key: "days", Value: s.Days})
	}
	if s.TimeZone != "" {
		out = append(out, yaml.MapItem{Key: "time_zone", Value: s.TimeZone})
	}
	return out
}

func (c Campaign) entriesYAML(stem string, lists map[string][]byte) (yaml.MapSlice, error) {
	if len(c.Entries) == 0 {
		return yaml.MapSlice{{Key: "fetcher", Value: "?"}}, nil
	}
	if len(c.Entries) == 1 {
		return c.Entries[0].yaml(listOf(stem, c.Name), lists)
	}
	var all []yaml.MapSlice
	for _, e := range c.Entries {
		body, err := e.yaml(listOf(stem, c.Name+"-"+e.Name), lists)
		if err != nil {
			return nil, err
		}
		all = append(all, append(yaml.MapSlice{{Key: "name", Value: e.Name}}, body...))
	}
	return yaml.MapSlice{{Key: "fetchers", Value: all}}, nil
}

// listOf names a list; "": it stands in the campaign file.
func listOf(stem, name string) string {
	if stem == "" {
		return ""
	}
	return stem + "-" + name + ".csv"
}

func (e Entry) yaml(list string, lists map[string][]byte) (yaml.MapSlice, error) {
	out := yaml.MapSlice{{Key: "fetcher", Value: e.Fetcher}}
	if len(e.Params) > 0 {
		out = append(out, yaml.MapItem{Key: "params", Value: paramsYAML(e.Params)})
	}
	if e.Items == nil {
		return out, nil
	}
	if list != "" && !e.hasReference() {
		text, err := e.csv()
		lists[list] = text
		return append(out, yaml.MapItem{Key: "split", Value: yaml.MapSlice{{Key: "file", Value: list}}}), err
	}
	var items []yaml.MapSlice
	for _, it := range e.Items {
		row := paramsYAML(it.Params)
		if it.Label != "" {
			row = append(yaml.MapSlice{{Key: "label", Value: it.Label}}, row...)
		}
		items = append(items, row)
	}
	return append(out, yaml.MapItem{Key: "split", Value: yaml.MapSlice{{Key: "items", Value: items}}}), nil
}

// hasReference: a secret is not resolved in a list, only in the campaign file.
func (e Entry) hasReference() bool {
	return slices.ContainsFunc(e.Items, func(it Item) bool { return references.FirstInJSON(mustJSON(it.Params)) != "" })
}

func paramsYAML(params map[string]json.RawMessage) yaml.MapSlice {
	var out yaml.MapSlice
	for _, name := range slices.Sorted(maps.Keys(params)) {
		var v any
		_ = json.Unmarshal(params[name], &v) // it was read before
		out = append(out, yaml.MapItem{Key: name, Value: v})
	}
	return out
}

// csv is the items as a list.
func (e Entry) csv() ([]byte, error) {
	names := map[string]bool{}
	for _, it := range e.Items {
		for name := range it.Params {
			names[name] = true
		}
	}
	columns := slices.Sorted(maps.Keys(names))
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(append([]string{"label"}, columns...)) // Error tells it
	for _, it := range e.Items {
		row := []string{it.Label}
		for _, c := range columns {
			row = append(row, cellText(it.Params[c]))
		}
		w.Write(row) // as above
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func cellText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
