package fetchers

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// New makes `starter fetchers`.
func New(p *program.Program) *cobra.Command {
	return program.Group("fetchers", "What kinds of source there are, to try one, to write one",
		"A fetcher knows one kind of source. These commands need neither Temporal nor a\nstore.",
		"  starter fetchers list",
		newFetchersList(p), newFetchersShow(p), newFetchersTry(p), newFetchersNew(p))
}

type fetchersList struct{ *program.Program }

func newFetchersList(p *program.Program) *cobra.Command {
	c := &fetchersList{p}
	return &cobra.Command{
		Use: "list", Short: "List the fetchers of this program",
		Long:    "List the fetchers that campaign files may name.",
		Example: "  starter fetchers list -o json",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

// fetcherView is a fetcher as programs see it.
type fetcherView struct {
	Name      string            `json:"name"`
	Summary   string            `json:"summary"`
	Aliases   []string          `json:"aliases,omitempty"`
	Identity  []string          `json:"identity,omitempty"`
	Protocol  bool              `json:"protocol,omitempty"`
	Abilities []string          `json:"abilities,omitempty"`
	Params    []paramspec.Field `json:"params"`
}

func viewFetcher(k fetchers.Kind) fetcherView {
	return fetcherView{
		Name: k.Name, Summary: k.Summary, Aliases: k.Aliases, Identity: k.Identity, Protocol: k.Protocol,
		Abilities: abilities(k), Params: k.Fields(),
	}
}

// abilities names the optional things a fetcher can do.
func abilities(k fetchers.Kind) []string {
	var out []string
	f := k.New(nil)
	if _, ok := f.(harvest.Splitter); ok {
		out = append(out, "split")
	}
	if _, ok := f.(harvest.Prober); ok {
		out = append(out, "probe")
	}
	return out
}

func (c *fetchersList) run(*cobra.Command, []string) error {
	list, table := c.Out.List(), print.NewTable(print.Left("FETCHER"), print.Left("CAN"), print.Flex("WHAT IT BRINGS"))
	for _, k := range c.Env.Fetchers.All() {
		v := viewFetcher(k)
		list.Add(v)
		table.Row(v.Name, print.Dash(strings.Join(v.Abilities, ",")), v.Summary)
	}
	list.End()
	c.Out.Table(table)
	return nil
}

type fetchersShow struct{ *program.Program }

func newFetchersShow(p *program.Program) *cobra.Command {
	c := &fetchersShow{p}
	return &cobra.Command{
		Use: "show NAME", Short: "Show a fetcher's params",
		Long:    "Show what a fetcher brings and every param it takes.",
		Example: "  starter fetchers show oaipmh",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteFetchers,
	}
}

func (c *fetchersShow) run(_ *cobra.Command, args []string) error {
	k, err := c.Env.Fetchers.Find(args[0])
	if err != nil {
		return program.Usage("%w", err)
	}
	v := viewFetcher(k)
	c.Out.Value(v)
	c.Out.Printf("%s", fetcherScreen(v))
	return nil
}

func fetcherScreen(v fetcherView) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(print.Pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("fetcher", v.Name)
	line("brings", v.Summary)
	line("also called", strings.Join(v.Aliases, ", "))
	line("item key", strings.Join(v.Identity, " + "))
	line("can", strings.Join(v.Abilities, ", "))
	if v.Protocol {
		line("robots", "not asked: a protocol or a documented interface")
	}
	b.WriteString("\n")
	for _, f := range v.Params {
		b.WriteString(paramScreen(f))
	}
	return b.String()
}

func paramScreen(f paramspec.Field) string {
	var b strings.Builder
	name := print.Pad(f.Name, 18) + print.Pad(f.Type, 9)
	notes := f.Doc
	add := func(s string) { notes = strings.TrimSpace(strings.TrimSuffix(notes, ".") + "; " + s) }
	if f.Required {
		add("required")
	}
	if f.Default != "" {
		add("default " + f.Default)
	}
	if len(f.Enum) > 0 {
		add("one of " + strings.Join(f.Enum, ", "))
	}
	if f.Secret {
		add("secret: write ${secret:env:VENDEMMIA_SECRET_NAME}")
	}
	b.WriteString(name + print.Wrap(strings.TrimPrefix(notes, "; "), len(name), 27) + "\n")
	if f.Example != "" {
		b.WriteString(strings.Repeat(" ", 27) + print.End("example "+f.Example, print.Width-27) + "\n")
	}
	return b.String()
}
