package campaigns

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/references"
)

// all assembles the campaigns and hosts of the files.
func (l *loader) all() {
	l.project()
	l.hosts()
	names := newNames(l.report)
	for _, s := range l.order {
		under := l.under(s)
		campaigns := s.tree.Get("campaigns")
		if !campaigns.IsMap() {
			continue
		}
		for _, m := range campaigns.Members {
			if values.Name(m.Key) == nil && names.campaign(m) {
				l.loaded.Campaigns = append(l.loaded.Campaigns, l.one(s, under, m))
			}
		}
	}
	names.former()
}

// project takes the one project that the files name.
func (l *loader) project() {
	var first *yamltree.Node
	for _, s := range l.order {
		n := s.tree.Get("project")
		switch {
		case !n.IsScalar():
		case first == nil:
			first = n
			l.loaded.Project = n.Text
		case n.Text != first.Text:
			l.report.add(n.Pos, "project", fmt.Sprintf("%q, but %q at %s:%d; files that are applied together share one project", n.Text, first.Text, first.File, first.Line))
		}
	}
}

// build is one campaign while it is assembled.
type build struct {
	*loader
	source *source
	name   string
	out    Source
	// merged is the campaign merged over its layers, without entries.
	merged *yamltree.Node
	later  *report
	ports  []port
}

// port is an entry whose origins can be reported.
type port struct {
	prefix  string
	tree    *yamltree.Node
	secrets []string
}

func (l *loader) one(s *source, under *yamltree.Node, m yamltree.Member) Source {
	layer, entries := l.campaign(m)
	b := &build{loader: l, source: s, name: m.Key, later: newReport(), merged: mergeLayer(under, layer)}
	c := decodeCampaign(m.Key, b.merged)
	c.Project = l.loaded.Project
	b.out = Source{Campaign: c, File: s.path, Line: m.At.Line, Lists: map[string][]Row{}}
	b.checkPolicies()
	keys.Later(b.merged, b.keys.Defaults, m.Key, b.later.add)
	names := map[string]yamltree.Pos{}
	for _, e := range entries {
		b.entry(e, len(entries) > 1 || !m.Value.Get("fetchers").IsNull(), names)
	}
	b.formerEntries(entries, names)
	b.out.Origins, b.out.NotYet = b.origins(), b.later.sorted()
	return b.out
}

// checkPolicies reports mistakes that only show after merging.
func (b *build) checkPolicies() {
	if s := b.out.Campaign.Schedule; s != nil {
		n := b.merged.Get("schedule")
		for _, text := range s.Validate() {
			b.report.add(schedulePlace(n, text), b.name+".schedule", text)
		}
	}
	if n := b.merged.Get("schedule", "catch_up"); n.IsScalar() && durationAt(n) == 0 {
		b.report.add(n.Pos, b.name+".schedule.catch_up", "must be at least "+minCatchUp.String())
	}
	notify := b.merged.Get("notify")
	for i, a := range b.out.Campaign.Notify {
		switch n := notify.Items[i]; {
		case a.To == "":
			b.report.add(n.Pos, b.name+".notify", "an element without to; for example { to: https://hooks.example.org/x, when: [failed] }")
		case len(a.When) == 0 && len(a.Also) > 0:
			b.report.add(n.Get("when").Pos, b.name+".notify.when", "recovered alone has nothing to follow; name the outcomes too, for example [failed, recovered]")
		default:
			b.checkReceiver(n.Get("to").Pos, a.To)
		}
	}
}

// checkReceiver refuses an address that no sender supports. A reference is checked when
// it is resolved.
func (b *build) checkReceiver(at yamltree.Pos, to string) {
	const on = ".notify.to"
	scheme, rest, _ := strings.Cut(to, ":")
	switch {
	case strings.HasPrefix(to, "${"):
	case scheme == "mailto":
		b.later.add(at, b.name+on, "not yet: only webhooks (http, https) are sent to")
	case scheme != "http" && scheme != "https":
		b.report.add(at, b.name+on, fmt.Sprintf("no sender knows %s: addresses; use an http or https address that takes JSON, or ${secret:env:NAME}", scheme))
	case !strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "///") || rest == "//":
		b.report.add(at, b.name+on, fmt.Sprintf("%q names no host; for example https://hooks.example.org/x", to))
	}
}

// schedulePlace finds the key that an error of Schedule.Validate starts with.
func schedulePlace(n *yamltree.Node, text string) yamltree.Pos {
	word, _, _ := strings.Cut(strings.ReplaceAll(text, ":", " "), " ")
	if v := n.Get(word); v != nil && v.File != "" {
		return v.Pos
	}
	return n.Pos
}

// entry makes one entry and its rows.
func (b *build) entry(own *yamltree.Node, listed bool, names map[string]yamltree.Pos) {
	base := b.merged.Only(b.inherited)
	tree := mergeEntry(base, own)
	e := decodeEntry(tree, own)
	path, prefix := b.name, ""
	if listed {
		prefix = "fetchers." + e.Name + "."
		path = b.name + ".fetchers." + e.Name
	}
	if e.Fetcher == "" {
		b.report.add(own.Pos, strings.TrimSuffix(path, "."), "no fetcher; for example fetcher: feed")
		return
	}
	if first, twice := names[e.Name]; twice {
		b.report.add(own.Pos, b.name, fmt.Sprintf("entry %s is also on line %d; give one of them a name: it is part of checkpoints", e.Name, first.Line))
		return
	}
	names[e.Name] = own.Pos
	keys.Later(own, b.keys.Entry, path, b.later.add)
	if n := own.Get("tolerate", "items"); n != nil {
		b.later.add(n.Pos, path+".tolerate.items", "not yet: the campaign's own holds for all its entries")
	}
	x := &entryBuild{build: b, tree: tree, path: path, entry: e}
	x.finish()
	if tree = x.tree; listed { // what is of the whole campaign is told there
		tree = keys.Long(tree, b.keys.Entry)
	}
	b.ports = append(b.ports, port{prefix: prefix, tree: tree, secrets: x.secrets()})
	b.out.Campaign.Entries = append(b.out.Campaign.Entries, x.entry)
}

// inherited reports whether an entry takes a key from the campaign and its defaults.
func (l *loader) inherited(key string) bool {
	return key != "was" && key != "budget" && l.keys.OfEntry(key)
}

// entryBuild is one entry while it is assembled.
type entryBuild struct {
	*build
	tree  *yamltree.Node
	path  string
	entry Entry
	info  FetcherInfo
	known bool // the fetcher was found
}

func (x *entryBuild) finish() {
	at := x.tree.Get("fetcher").Pos
	given := x.entry.Fetcher
	info, err := x.lookup(given)
	if err != nil {
		x.report.add(at, x.path+".fetcher", cause(err))
	} else {
		x.info, x.known, x.entry.Fetcher = info, true, info.Name
	}
	x.checkRefresh()
	x.checkRetry()
	if n := x.tree.Get("add"); n != nil && !n.IsMap() && !n.IsNull() {
		x.report.add(n.Pos, x.path+".add", "must be a map, for example { collection: theses }")
	}
	x.imply(given)
	params := x.tree.Get("params")
	if params.IsList() {
		x.report.add(params.Pos, x.path+".params", "is a list; add split: true to make one item of each element")
		return
	}
	if params.IsScalar() {
		x.report.add(params.Pos, x.path+".params", "must be a map of names and values, not "+params.Kind.String())
		return
	}
	x.checkSecrets(params)
	x.split()
	x.signIn()
}

// imply puts the params that the fetcher's name implies under those of the file.
func (x *entryBuild) imply(name string) {
	var params any
	if implied, ok := x.info.Implied[name]; !ok || json.Unmarshal(implied, &params) != nil {
		return
	}
	x.tree = yamltree.Merge(yamltree.FromJSON(map[string]any{"params": params}), x.tree)
	x.entry.Params = jsonAt(x.tree, "params")
}

// checkRefresh allows full passes only for fetchers that list everything. For others, a
// document that is not listed may still exist.
func (x *entryBuild) checkRefresh() {
	if x.known && x.entry.Refresh > 0 && !x.info.Exhaustive {
		x.report.add(x.tree.Get("refresh").Pos, x.path+".refresh",
			"the fetcher "+x.info.Name+" does not list everything its source holds, so what it does not list cannot be taken for deleted; take refresh away")
	}
}

// cause is the text of an error without its class.
func cause(err error) string {
	if e, ok := errors.AsType[*harvest.Error](err); ok && e.Err != nil {
		return strings.TrimSuffix(strings.Join([]string{e.Err.Error(), e.Advice}, "; "), "; ")
	}
	return err.Error()
}

// checkRetry reports rules that can never apply.
func (x *entryBuild) checkRetry() {
	n := x.tree.Get("retry")
	if !n.IsList() {
		return
	}
	for i, r := range x.entry.Retry {
		if r.Times == 0 && len(r.ByAge) == 0 && (r.Wait > 0 || r.Factor > 0 || r.Queue != "") && i < len(n.Items) {
			x.report.add(n.Items[i].Pos, x.path+".retry", "a rule with wait but without times never repeats; add times: 5, or within: 24h")
		}
	}
}

// checkSecrets requires references for secrets, because definitions are stored and
// shown.
func (x *entryBuild) checkSecrets(params *yamltree.Node) {
	if !params.IsMap() {
		return
	}
	hidden := x.secrets()
	for _, m := range params.Members {
		x.checkReferences(m.Value, x.path+".params."+m.Key)
		if slices.Contains(hidden, m.Key) && m.Value.IsScalar() && m.Value.Text != "" && !references.Has(m.Value.Text) {
			x.report.add(m.Value.Pos, x.path+".params."+m.Key, "a secret has no place in the file; write ${secret:env:VENDEMMIA_SECRET_"+envName(m.Key)+"} or ${secret:file:PATH}")
		}
	}
}

func (x *entryBuild) checkReferences(n *yamltree.Node, path string) {
	if n.IsScalar() {
		if err := values.Secrets(n.Text); err != nil {
			x.report.add(n.Pos, path, err.Error())
		}
		return
	}
	if n.IsNull() {
		return
	}
	for _, item := range n.Items {
		x.checkReferences(item, path)
	}
	for _, m := range n.Members {
		x.checkReferences(m.Value, path+"."+m.Key)
	}
}

func envName(param string) string {
	return strings.ToUpper(strings.ReplaceAll(cmp.Or(param, "NAME"), "-", "_"))
}

// secrets names the params that must not be shown.
func (x *entryBuild) secrets() []string {
	var out []string
	for _, f := range paramspec.Fields(x.info.Params) {
		if f.Secret {
			out = append(out, f.Name)
		}
	}
	return out
}
