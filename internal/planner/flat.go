package planner

import (
	"reflect"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
)

// flat holds values by path.
type flat map[string]string

func allValues(c campaigns.Campaign, single bool, renamed map[string]string) flat {
	out, own := flat{}, flat{}
	entries, schedule := c.Entries, c.Schedule
	c.Entries, c.Schedule = nil, nil
	own.add("", reflect.ValueOf(c))
	own.into(out, "", map[string]string{
		"name": "", "tolerate": "tolerate.items", "expect": "expect.run",
		"timeouts.request": "", "timeouts.page": "", "timeouts.item": "", // the entries' say it
	})
	out.schedule(schedule)
	for _, e := range entries {
		prefix := ""
		if !single {
			prefix = "fetchers." + entryName(e, renamed) + "."
		}
		out.entry(e, prefix)
	}
	return out
}

func (f flat) entry(e campaigns.Entry, prefix string) {
	own := flat{}
	own.set("fetcher", e.Fetcher)
	own.json("params", e.Params)
	if split := e.Split; split != nil {
		own.set("split.file", split.File)
		own.set("split.ask", split.Ask)
		own.set("split.key", split.Key)
		own.set("split.label", split.Label)
		own.set("split.include", strings.Join(split.Include, ", "))
		own.set("split.exclude", strings.Join(split.Exclude, ", "))
	}
	e.Split, e.Params, e.Fetcher, e.Name = nil, nil, "", ""
	own.add("", reflect.ValueOf(e))
	own.into(f, prefix, map[string]string{
		"tolerate": "tolerate.records", "expect": "expect.item", "budget": "budget.item",
		"timeouts.run": "", "timeouts.until_next": "", // the campaign's say it
	})
}

// into moves the values to another map under the names used in the file; an empty name
// drops the value.
func (f flat) into(out flat, prefix string, names map[string]string) {
	for path, v := range f {
		for from, to := range names {
			if path != from && !strings.HasPrefix(path, from+".") {
				continue
			}
			if path = to + strings.TrimPrefix(path, from); to == "" {
				path = ""
			}
			break
		}
		if path != "" {
			out[prefix+path] = v
		}
	}
}

func (f flat) schedule(s *campaigns.Schedule) {
	if s == nil {
		return
	}
	words := *s
	words.TimeZone = ""
	f.set("schedule", words.String())
	rest := *s
	rest.Every, rest.Offset, rest.At, rest.Days, rest.Cron = 0, 0, nil, nil, nil
	f.add("schedule", reflect.ValueOf(rest))
	if s.Jitter != nil {
		f.set("schedule.jitter", durationWords(*s.Jitter))
	}
}

func (f flat) set(path, text string) {
	if text != "" {
		f[path] = text
	}
}
