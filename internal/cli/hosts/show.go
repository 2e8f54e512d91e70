package hosts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/wording"
)

type hostsShow struct{ *program.Program }

func newHostsShow(p *program.Program) *cobra.Command {
	c := &hostsShow{p}
	cmd := &cobra.Command{
		Use: "show HOST", Short: "Show one host: its rules, its state, its items",
		Long:    "Show what holds for one host and who said so, what holds it up, and the items\nthat live on it, the worst first.",
		Example: "  starter hosts show www.gazzettaufficiale.it",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	cmd.ValidArgsFunction = completeHosts(p)
	return cmd
}

// hostDetail is all that `hosts show` tells.
type hostDetail struct {
	scope.HostView
	// Worst are the items that need attention, at most maxWorst.
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
	all, err := scope.Hosts(ctx, c.Program, s)
	if err != nil {
		return err
	}
	v, err := findHost(all, args[0])
	if err != nil {
		return err
	}
	d := hostDetail{HostView: v, Worst: worstItems(v.On)}
	if i := slices.IndexFunc(all, func(v scope.HostView) bool { return v.Name == "*" }); i >= 0 && v.Name != "*" {
		d.Default = &all[i].Host
	}
	c.Out.Value(d)
	c.Out.Printf("%s", c.screen(d))
	return nil
}

// findHost finds a host by name; an unknown one is an error that names the
// nearest.
func findHost(all []scope.HostView, name string) (scope.HostView, error) {
	var names []string
	for _, v := range all {
		if v.Name == strings.ToLower(name) {
			return v, nil
		}
		names = append(names, v.Name)
	}
	text := "host " + name + ": in no campaign file, and no item is on it"
	if near := wording.Nearest(name, names); near != "" {
		return scope.HostView{}, program.Usage("%s; did you mean %s? See `starter hosts list`", text, near)
	}
	return scope.HostView{}, program.Usage("%s; see `starter hosts list`", text)
}

func worstItems(items []rows.Item) []rows.Item {
	bad := slices.DeleteFunc(slices.Clone(items), func(it rows.Item) bool { return it.Outcome == "" || it.Outcome.Severity() == outcomes.OK })
	slices.SortStableFunc(bad, func(a, b rows.Item) int {
		return cmp.Or(cmp.Compare(b.Outcome.Severity(), a.Outcome.Severity()), cmp.Compare(b.Streak, a.Streak))
	})
	return bad[:min(len(bad), maxWorst)]
}

func (c *hostsShow) screen(d hostDetail) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(print.Pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("host", d.Name)
	line("pace", d.pace())
	line("robots", cmp.Or(d.Robots, "left open: pages heed robots.txt, protocols do not"))
	line("ca", map[bool]string{true: "pinned in the file; the system's authorities do not count for it"}[d.CA != ""])
	line("said by", strings.TrimSpace(d.Source+" "+print.Parens("project "+d.Project, d.Project != "")))
	line("state", stateText(c.Program, d.HostView))
	line("why", map[bool]string{true: d.RestWhy, false: ""}[d.State == "resting"])
	line("gap", diagnose.Slowed(d.Host, c.Clock))
	line("items", fmt.Sprintf("%s, %s attention", print.Count(d.Items, "item"), map[bool]string{true: "1 needs", false: print.Number(d.Bad) + " need"}[d.Bad == 1]))
	for _, it := range d.Worst {
		line("", fmt.Sprintf("%s %s (%s)", scope.NameOf(it), it.Outcome, it.Campaign))
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
