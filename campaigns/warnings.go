package campaigns

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Warnings returns what a campaign's file allows but probably does not mean: the
// warnings of its schedule at a time, and items that harvest the same address under two
// keys. Without lookup addresses are not compared.
func (s Source) Warnings(from time.Time, lookup Lookup) []Problem {
	var out []Problem
	if sched := s.Campaign.Schedule; sched != nil {
		file, line := s.placeOf("schedule.cron", "schedule.every", "schedule.at", "schedule.end", "schedule")
		for _, text := range sched.Warnings(from) {
			out = append(out, Problem{File: file, Line: line, Text: s.Campaign.Name + ".schedule: " + text})
		}
	}
	return append(out, s.Twice(lookup)...)
}

// Twice returns the items with the address of another item of the campaign.
func (s Source) Twice(lookup Lookup) []Problem {
	if lookup == nil {
		return nil
	}
	var out []Problem
	seen := map[string]named{}
	for _, e := range s.Campaign.Entries {
		if info, err := lookup(e.Fetcher); err == nil {
			out = append(out, s.twice(e, info.Identity, seen)...)
		}
	}
	return out
}

// named is an item with an address, and its place.
type named struct {
	name string
	line int
}

// twice finds items of an entry whose address another item has.
func (s Source) twice(e Entry, identity []string, seen map[string]named) []Problem {
	var out []Problem
	for _, row := range s.Rows(e) {
		address := e.Address(row, identity)
		if address == "" {
			continue
		}
		now := named{e.Name, row.Line}
		if row.Key != "" {
			now.name = row.Key
		}
		first, twice := seen[address]
		if !twice {
			seen[address] = now
			continue
		}
		p := Problem{File: s.File, Line: s.Line}
		if row.Line > 0 {
			p.Line = row.Line
		}
		if e.Split != nil && e.Split.List != "" {
			p.File = filepath.Join(filepath.Dir(s.File), e.Split.File)
		}
		p.Text = fmt.Sprintf("%s has the same address as %s%s: it is harvested twice, each with a checkpoint of its own", now.name, first.name, onLine(first.line))
		out = append(out, p)
	}
	return out
}

func onLine(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(" on line %d", line)
}

// Rows are the items in the files; an entry without a split is a single item.
func (s Source) Rows(e Entry) []Row {
	switch {
	case e.Split == nil:
		return []Row{{}}
	case e.Split.List != "":
		return s.Lists[e.Split.List]
	default:
		return e.Split.Items
	}
}

// Address identifies what an item harvests: its fetcher and the params that distinguish
// sources. It is empty if the item has none of these.
func (e Entry) Address(row Row, identity []string) string {
	params, err := e.ItemParams(row, nil)
	if err != nil {
		return ""
	}
	var all map[string]any
	if json.Unmarshal(params, &all) != nil {
		return ""
	}
	own := map[string]any{}
	for _, name := range identity {
		if v, ok := all[name]; ok {
			own[name] = v
		}
	}
	if len(own) == 0 {
		return ""
	}
	digest, err := harvest.Fingerprint([]any{e.Fetcher, own})
	if err != nil {
		return ""
	}
	return digest
}

// placeOf returns the place of the first of these keys that is set, otherwise that of
// the campaign.
func (s Source) placeOf(paths ...string) (file string, line int) {
	for _, path := range paths {
		for _, o := range s.Origins {
			if (o.Path == path || strings.HasPrefix(o.Path, path+".")) && o.File != "" {
				return o.File, o.Line
			}
		}
	}
	return s.File, s.Line
}
