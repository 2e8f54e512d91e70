package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func newHosts(p *program) *cobra.Command {
	return group("hosts", "The servers that are asked, and how they are treated",
		"A host has one truth for all campaigns and workers: its gap, its connections,\nrobots.txt, who paused it, and until when it asked to be left alone.",
		"  starter hosts list --unhealthy",
		newHostsList(p), newHostsShow(p), newHostsPause(p), newHostsResume(p))
}

// hostView is a host with what holds for it and how its items fare.
type hostView struct {
	rows.Host
	Items int `json:"items"`
	// Bad counts the items whose last end needs a look.
	Bad   int    `json:"bad"`
	State string `json:"state"` // open, slowed, resting, paused
	items []rows.Item
}

// hosts returns every host that a file names, that an item lives on, or that
// rests, is slowed or paused; those with a state of their own first.
func (p *program) hosts(ctx context.Context, s Store) ([]hostView, error) {
	known, err := s.Hosts(ctx)
	if err != nil {
		return nil, err
	}
	items, err := s.Items(ctx, rows.ItemsFilter{})
	if err != nil {
		return nil, err
	}
	byName := map[string]*hostView{}
	at := func(name string) *hostView {
		if byName[name] == nil {
			byName[name] = &hostView{Host: rows.Host{Name: name}}
		}
		return byName[name]
	}
	for _, h := range known {
		at(h.Name).Host = h
	}
	for _, it := range items {
		if it.Host != "" {
			at(it.Host).take(it)
		}
	}
	return p.ordered(byName), nil
}

func (v *hostView) take(it rows.Item) {
	v.Items++
	if it.Outcome != "" && it.Outcome.Severity() != harvest.OK {
		v.Bad++
	}
	v.items = append(v.items, it)
}

func (p *program) ordered(byName map[string]*hostView) []hostView {
	all := make([]hostView, 0, len(byName))
	for _, v := range byName {
		v.State = hostState(v.Host, p.env.Now())
		all = append(all, *v)
	}
	slices.SortFunc(all, func(a, b hostView) int {
		return cmp.Or(cmp.Compare(hostRank(a), hostRank(b)), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// hostRank puts first what somebody or something holds up, then what somebody
// said, then the others.
func hostRank(v hostView) int {
	switch {
	case v.State != "open":
		return 0
	case v.Source != "":
		return 1
	default:
		return 2
	}
}

func hostState(h rows.Host, now time.Time) string {
	switch {
	case h.Paused.Holds(now):
		return "paused"
	case h.RestUntil.After(now):
		return "resting"
	case h.Slow > 0:
		return "slowed"
	default:
		return "open"
	}
}

type hostsList struct {
	*program
	unhealthy bool
	limit     int
}

func newHostsList(p *program) *cobra.Command {
	c := &hostsList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List hosts with their rules and what holds them up",
		Long:    "List the hosts that files name and that items live on. \"*\" holds for what the\nothers leave open.",
		Example: "  starter hosts list --unhealthy",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	cmd.Flags().BoolVar(&c.unhealthy, "unhealthy", false, "only those that rest, are slowed or paused, or have items that need a look")
	cmd.Flags().IntVar(&c.limit, "limit", 200, "at most so many; 0: all")
	return cmd
}

func (c *hostsList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	all, err := c.hosts(cmd.Context(), s)
	if err != nil {
		return err
	}
	if c.unhealthy {
		all = slices.DeleteFunc(all, func(v hostView) bool { return v.State == "open" && v.Bad == 0 })
	}
	if c.limit > 0 {
		all = all[:min(len(all), c.limit)]
	}
	list := c.out.List()
	table := print.NewTable(print.Flex("HOST"), print.Right("GAP"), print.Right("CONN"), print.Left("ROBOTS"), print.Flex("STATE"), print.Right("ITEMS"), print.Right("BAD"))
	for _, v := range all {
		list.Add(v)
		table.Row(v.Name, gap(v.Every), connections(v.Host), print.Dash(v.Robots), c.stateText(v), print.Number(v.Items), print.Number(v.Bad))
	}
	list.End()
	c.out.Table(table)
	if len(all) == 0 {
		c.out.Printf("%s\n", map[bool]string{true: "(all are well)", false: "(none known yet)"}[c.unhealthy])
	}
	return nil
}

func connections(h rows.Host) string {
	if h.Connections == 0 {
		return "-"
	}
	return print.Number(h.Connections)
}

func gap(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.String()
}

// stateText says what holds a host up, and until when.
func (p *program) stateText(v hostView) string {
	switch v.State {
	case "paused":
		return "paused" + pauseText(v.Paused, p.clock)
	case "resting":
		return "rests until " + p.clock.NearZone(v.RestUntil)
	case "slowed":
		return "slowed to " + v.Slow.String()
	default:
		return v.State
	}
}

type hostsShow struct{ *program }

func newHostsShow(p *program) *cobra.Command {
	c := &hostsShow{p}
	cmd := &cobra.Command{
		Use: "show HOST", Short: "Show one host: its rules, its state, its items",
		Long:    "Show what holds for one host and who said so, what holds it up, and the items\nthat live on it, the worst first.",
		Example: "  starter hosts show www.gazzettaufficiale.it",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	cmd.ValidArgsFunction = p.completeHosts
	return cmd
}

// hostDetail is all that `hosts show` tells.
type hostDetail struct {
	hostView
	// Worst are the items that need a look, at most maxWorst.
	Worst []rows.Item `json:"worst,omitempty"`
	// Default is what "*" says for what this host leaves open.
	Default *rows.Host `json:"default,omitempty"`
}

const maxWorst = 10

func (c *hostsShow) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, err := c.hosts(ctx, s)
	if err != nil {
		return err
	}
	v, err := findHost(all, args[0])
	if err != nil {
		return err
	}
	d := hostDetail{hostView: v, Worst: worstItems(v.items)}
	if i := slices.IndexFunc(all, func(v hostView) bool { return v.Name == "*" }); i >= 0 && v.Name != "*" {
		d.Default = &all[i].Host
	}
	c.out.Value(d)
	c.out.Printf("%s", c.screen(d))
	return nil
}

// findHost finds a host by name; an unknown one is an error that names the
// nearest.
func findHost(all []hostView, name string) (hostView, error) {
	var names []string
	for _, v := range all {
		if v.Name == strings.ToLower(name) {
			return v, nil
		}
		names = append(names, v.Name)
	}
	text := "host " + name + ": no file names it and no item lives on it"
	if near := harvest.Nearest(name, names); near != "" {
		text += "; did you mean " + near + "?"
	}
	return hostView{}, fmt.Errorf("%s; see `starter hosts list`", text)
}

func worstItems(items []rows.Item) []rows.Item {
	bad := slices.DeleteFunc(slices.Clone(items), func(it rows.Item) bool { return it.Outcome == "" || it.Outcome.Severity() == harvest.OK })
	slices.SortStableFunc(bad, func(a, b rows.Item) int {
		return cmp.Or(cmp.Compare(b.Outcome.Severity(), a.Outcome.Severity()), cmp.Compare(b.Streak, a.Streak))
	})
	return bad[:min(len(bad), maxWorst)]
}

func (c *hostsShow) screen(d hostDetail) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("host", d.Name)
	line("pace", d.pace())
	line("robots", cmp.Or(d.Robots, "left open: pages heed robots.txt, protocols do not"))
	line("said by", strings.TrimSpace(d.Source+" "+parens("project "+d.Project, d.Project != "")))
	line("state", c.stateText(d.hostView))
	line("why", map[bool]string{true: d.RestWhy, false: ""}[d.State == "resting"])
	line("gap", diagnose.Slowed(d.Host, c.clock))
	line("items", fmt.Sprintf("%s, %s a look", print.Count(d.Items, "item"), map[bool]string{true: "1 needs", false: print.Number(d.Bad) + " need"}[d.Bad == 1]))
	for _, it := range d.Worst {
		line("", fmt.Sprintf("%s %s (%s)", nameOf(it), it.Outcome, it.Campaign))
	}
	return b.String()
}

// pace is a host's own, else that of "*".
func (d hostDetail) pace() string {
	every, connections, by := diagnose.Pace(d.Host, d.Default)
	switch {
	case every > 0:
		return "one request at a time, " + gap(every) + " after each answer" + by
	case connections > 0:
		return print.Count(connections, "connection") + " per worker" + by
	default:
		return "no gap; a few connections per worker"
	}
}
