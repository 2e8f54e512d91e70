package campaigns

import (
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/times"
)

// mergeLayer merges a stronger layer over a weaker one. Both are long forms. Of every,
// at and cron only those of the stronger layer count, together with the keys that
// belong to them.
func mergeLayer(under, over *yamltree.Node) *yamltree.Node {
	weak, strong := under.Get("schedule"), over.Get("schedule")
	if weak.IsMap() && strong.IsMap() {
		dead := overruled(strong)
		m, _ := under.Member("schedule")
		m.Value = weak.Only(func(key string) bool { return !slices.Contains(dead, key) })
		under = under.With(m)
	}
	return mergeEntry(under, over)
}

// mergeEntry merges an entry over what it inherits. Of the ways to sign in only those
// of the stronger layer count.
func mergeEntry(under, over *yamltree.Node) *yamltree.Node {
	weak, strong := under.Get("auth"), over.Get("auth")
	if weak.IsMap() && slices.ContainsFunc([]string{"basic", "bearer", "header", "oauth2"}, strong.Has) {
		m, _ := under.Member("auth")
		m.Value = weak.Only(strong.Has)
		under = under.With(m)
	}
	return yamltree.Merge(under, over)
}

// overruled lists the keys of a weaker schedule that a stronger one replaces.
func overruled(strong *yamltree.Node) []string {
	switch {
	case !strong.Get("every").IsNull():
		return []string{"every", "at", "days", "cron"}
	case !strong.Get("at").IsNull():
		return []string{"every", "offset", "at", "cron"}
	case !strong.Get("cron").IsNull():
		return []string{"every", "offset", "at", "days", "cron"}
	default:
		return nil
	}
}

// defaults expands the short forms of a `defaults` map.
func (l *loader) defaults(n *yamltree.Node, path string) *yamltree.Node {
	if !n.IsMap() {
		return nil
	}
	return l.longSchedule(keys.Long(n, l.keys.Defaults), path)
}

// campaign writes out the short forms of a campaign: the schedule's words, and
// `fetcher` as a list of one entry. The entries come beside.
func (l *loader) campaign(m yamltree.Member) (*yamltree.Node, []*yamltree.Node) {
	n := m.Value
	if !n.IsMap() {
		n = &yamltree.Node{Pos: m.At, Kind: yamltree.Map}
	}
	n = l.longSchedule(keys.Long(n, l.keys.Campaign), m.Key)
	list := n.Get("fetchers")
	rest := n.Only(func(key string) bool { return key != "fetchers" && !isOwn(key) })
	if list.IsNull() {
		own := n.Only(isOwn)
		own.Pos = m.At
		return rest, []*yamltree.Node{longSplit(own)}
	}
	for _, beside := range n.Members {
		if isOwn(beside.Key) {
			l.report.add(beside.At, m.Key+"."+beside.Key, "stands beside fetchers; put it into an entry of that list, or give fetcher alone")
		}
	}
	var entries []*yamltree.Node
	for _, e := range list.Items {
		if e.IsMap() {
			entries = append(entries, longSplit(e))
		}
	}
	if list.IsList() && len(list.Items) == 0 {
		l.report.add(list.Pos, m.Key+".fetchers", "is empty; a campaign needs at least one fetcher")
	}
	return rest, entries
}

// isOwn reports whether a key belongs to an entry and is not a policy.
func isOwn(key string) bool {
	return slices.Contains([]string{"fetcher", "name", "params", "split", "refresh", "add"}, key)
}

// longSplit moves the list under params to split.items.
func longSplit(entry *yamltree.Node) *yamltree.Node {
	split, params := entry.Get("split"), entry.Get("params")
	if split == nil || split.Kind != yamltree.Bool {
		return entry
	}
	m, _ := entry.Member("split")
	if !strings.EqualFold(split.Text, "true") {
		m.Value = &yamltree.Node{Pos: split.Pos, Kind: yamltree.Null}
		return entry.With(m)
	}
	if !params.IsList() {
		return entry // said by the split itself
	}
	at, _ := entry.Member("params")
	m.Value = &yamltree.Node{Pos: split.Pos, Kind: yamltree.Map, Members: []yamltree.Member{{Key: "items", At: at.At, Value: params}}}
	return entry.With(m).Only(func(key string) bool { return key != "params" })
}

// longSchedule writes schedule words, a cron line or a list of them as a map.
func (l *loader) longSchedule(n *yamltree.Node, path string) *yamltree.Node {
	m, found := n.Member("schedule")
	if !found || m.Value.IsNull() || m.Value.IsMap() {
		return n
	}
	var lines []string
	for _, item := range append([]*yamltree.Node{m.Value}, m.Value.Items...) {
		if item.IsScalar() {
			lines = append(lines, item.Text)
		}
	}
	s, err := ParseSchedules(lines)
	if err != nil {
		l.report.add(m.Value.Pos, path+".schedule", err.Error())
		s = Schedule{}
	}
	m.Value = scheduleTree(s, m.Value.Pos)
	return n.With(m)
}

// scheduleTree is a schedule in words as a map. Keys of the same form that the words
// leave open are null: "daily at 18:00" means all days, whatever days a weaker layer
// has.
func scheduleTree(s Schedule, at yamltree.Pos) *yamltree.Node {
	out := &yamltree.Node{Pos: at, Kind: yamltree.Map}
	set := func(key string, value *yamltree.Node) {
		value.Pos = at
		out.Members = append(out.Members, yamltree.Member{Key: key, At: at, Value: value})
	}
	if s.Every > 0 {
		set("every", scalar(times.FormatDuration(s.Every)))
		set("offset", orNull(s.Offset > 0, scalar(times.FormatDuration(s.Offset))))
	}
	if len(s.At) > 0 {
		set("at", listOf(s.At))
		set("days", orNull(len(s.Days) > 0, listOf(s.Days)))
	}
	if len(s.Cron) > 0 {
		set("cron", listOf(s.Cron))
	}
	if s.TimeZone != "" {
		set("time_zone", scalar(s.TimeZone))
	}
	return out
}

func scalar(text string) *yamltree.Node { return &yamltree.Node{Kind: yamltree.Text, Text: text} }

func orNull(set bool, n *yamltree.Node) *yamltree.Node {
	if set {
		return n
	}
	return &yamltree.Node{Kind: yamltree.Null}
}

func listOf(texts []string) *yamltree.Node {
	out := &yamltree.Node{Kind: yamltree.List}
	for _, t := range texts {
		out.Items = append(out.Items, scalar(t))
	}
	return out
}
