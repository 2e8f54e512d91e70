package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

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
	return hostView{}, usage("%s; see `starter hosts list`", text)
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
