package campaigns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

// hosts gathers the one truth about each host over all files. Said twice, it
// must be the same.
func (l *loader) hosts() {
	first := map[string]yamltree.Member{}
	known := map[string]Host{}
	for _, s := range l.order {
		n := s.tree.Get("hosts")
		if !n.IsMap() {
			continue
		}
		for _, m := range n.Members {
			h := decodeHost(m)
			if h.CA != "" && h.Name == "*" {
				l.report.add(m.At, "hosts.*.ca", "an authority is pinned for one host; write the host's name")
			}
			if before, twice := known[m.Key]; twice && !sameHost(before, h) {
				at := first[m.Key].At
				l.report.add(m.At, "hosts."+m.Key, fmt.Sprintf("other values than at %s:%d; a host is said once, for all files", at.File, at.Line))
				continue
			}
			if _, twice := known[m.Key]; !twice {
				known[m.Key], first[m.Key] = h, m
				l.loaded.Hosts = append(l.loaded.Hosts, h)
			}
			keys.Later(m.Value, l.keys.Hosts, "hosts."+m.Key, l.later.add)
		}
	}
	slices.SortFunc(l.loaded.Hosts, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) })
}

func decodeHost(m yamltree.Member) Host {
	return Host{
		Name: m.Key, Every: durationAt(m.Value, "every"), Connections: intAt(m.Value, "connections"),
		Robots: textAt(m.Value, "robots"), CA: strings.TrimSpace(textAt(m.Value, "ca")), Source: fmt.Sprintf("%s:%d", m.At.File, m.At.Line),
	}
}

func sameHost(a, b Host) bool {
	a.Source, b.Source = "", ""
	return a == b
}
