package planner

import (
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// defaultConnections applies to a host without a rule.
const defaultConnections = 2

// bottleneck returns how many items can work at a time, and the host if there is only
// one.
func bottleneck(perHost map[string]int, rules map[string]campaigns.Host) (string, int) {
	sum, only := 0, ""
	for host, items := range perHost {
		sum += min(items, connections(host, rules))
		only = host
	}
	if len(perHost) != 1 {
		only = ""
	}
	return only, sum
}

func gap(host string, rules map[string]campaigns.Host) time.Duration {
	for _, name := range []string{host, "*"} {
		if rule, ok := rules[name]; ok && rule.Every > 0 {
			return rule.Every
		}
	}
	return 0
}

func connections(host string, rules map[string]campaigns.Host) int {
	for _, name := range []string{host, "*"} {
		if rule, ok := rules[name]; ok && rule.Connections > 0 {
			return rule.Connections
		}
	}
	return defaultConnections
}

// hostRules are the rules after an apply: those of the store, overridden by these
// files.
func hostRules(l *campaigns.Loaded, stored []rows.Host) map[string]campaigns.Host {
	out := map[string]campaigns.Host{}
	for _, h := range stored {
		if h.Project != l.Project {
			out[h.Name] = campaigns.Host{Name: h.Name, Every: h.Every, Connections: h.Connections, Robots: h.Robots, CA: h.CA}
		}
	}
	for _, h := range l.Hosts {
		out[h.Name] = h
	}
	return out
}

// hostDifferences compares the rules of this project's hosts. An equal rule of another
// project is not a difference.
func hostDifferences(l *campaigns.Loaded, stored []rows.Host) []Difference {
	before, after := flat{}, flat{}
	for _, h := range l.Hosts {
		after[h.Name] = ruleWords(h.Every, h.Connections, h.Robots, h.CA)
	}
	for _, h := range stored {
		_, here := after[h.Name]
		text := ruleWords(h.Every, h.Connections, h.Robots, h.CA)
		if text != "" && (here || h.Project == l.Project) {
			before[h.Name] = text
		}
	}
	var out []Difference
	for _, name := range union(before, after) {
		if before[name] != after[name] {
			out = append(out, Difference{Path: name, Old: before[name], New: after[name]})
		}
	}
	return out
}

func ruleWords(every time.Duration, connections int, robots, ca string) string {
	var words []string
	if every > 0 {
		words = append(words, "every "+durationWords(every))
	}
	if connections > 0 {
		words = append(words, wording.Count(connections, "connection"))
	}
	if robots != "" {
		words = append(words, "robots "+robots)
	}
	if ca != "" {
		words = append(words, "pinned ca "+shortDigest(ca))
	}
	return strings.Join(words, ", ")
}

// shortDigest tells texts that are too long to be printed apart.
func shortDigest(text string) string { return harvest.Digest([]byte(text))[:len("sha256:")+12] }
