package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

type campaignsValidate struct {
	*program
	ask     bool
	network networkFlags
}

func newCampaignsValidate(p *program) *cobra.Command {
	c := &campaignsValidate{program: p}
	cmd := &cobra.Command{
		Use: "validate [PATH...]", Short: "Check campaign files",
		Long: `Check files, or folders of them, and the lists they name: every problem with its
line, and what is allowed but probably not meant: a schedule that never fires or
fires every minute, one address under two keys. Nothing is asked of the network,
nothing is changed. Default: campaigns.

With --probe every address is asked what it is, politely, two of a host at once:
one row for each item, what is wrong on top. Exit code 1 when one does not
answer as it should. Neither Temporal nor a store is needed.`,
		Example: "  starter campaigns validate campaigns/ --probe",
		RunE:    c.run,
	}
	cmd.Flags().BoolVar(&c.ask, "probe", false, "ask every address what it is")
	c.network.add(cmd.Flags())
	return cmd
}

func (c *campaignsValidate) run(cmd *cobra.Command, args []string) error {
	l, err := c.load(args)
	if err != nil {
		return err
	}
	if c.ask && len(l.Problems) == 0 {
		return c.probe(cmd.Context(), l)
	}
	notYet := append([]campaigns.Problem{}, l.NotYet...)
	var names []string
	var warnings []campaigns.Problem
	for _, s := range l.Campaigns {
		names = append(names, s.Campaign.Name)
		warnings = append(warnings, s.Warnings(c.env.Now(), c.lookup)...)
		notYet = append(notYet, s.NotYet...)
	}
	c.out.Value(map[string]any{
		"project": l.Project, "files": l.Files, "campaigns": orEmpty(names), "problems": orEmpty(l.Problems), "warnings": orEmpty(warnings), "not_yet": orEmpty(notYet),
	})
	if len(l.Problems) > 0 {
		return c.refuse(l)
	}
	if c.out.People() {
		c.places("Read and checked, and not yet acted upon:", notYet)
		c.places("Allowed, but probably not meant:", warnings)
	}
	verdict := "nothing wrong"
	if len(warnings) > 0 {
		verdict = "no error, " + print.Count(len(warnings), "warning")
	}
	c.out.Printf("%s in %s: %s.\n", print.Count(len(names), "campaign"), print.Count(len(l.Files), "file"), verdict)
	return nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// refuse prints what is wrong with files: they are not used.
func (p *program) refuse(l *campaigns.Loaded) error {
	w := p.env.Stderr
	if p.out.People() {
		w = p.env.Stdout
	}
	var b strings.Builder
	if err := campaigns.PrintProblems(&b, l.Problems); err != nil {
		return err
	}
	text := strings.TrimRight(b.String(), "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	fmt.Fprintf(w, "%s%sexit %d\n", text, strings.Repeat(" ", max(2, print.Width-len(last)-len("exit 2"))), exitUsage)
	return quiet(exitUsage)
}

// places prints what is no error, with where it stands.
func (p *program) places(head string, list []campaigns.Problem) {
	if len(list) == 0 {
		return
	}
	p.out.Printf("%s\n", head)
	var b strings.Builder
	if err := campaigns.PrintPlaces(&b, list); err == nil {
		p.out.Printf("%s", b.String())
	}
}

// shorten makes file names relative to the working folder: what was typed is
// what is read.
func (p *program) shorten(l *campaigns.Loaded) {
	short := func(name *string) {
		if p.env.Dir == "" || *name == "" {
			return
		}
		if rel, err := filepath.Rel(p.env.Dir, *name); err == nil && !strings.HasPrefix(rel, "..") {
			*name = rel
		}
	}
	for i := range l.Files {
		short(&l.Files[i])
	}
	for i := range l.Problems {
		short(&l.Problems[i].File)
	}
	for i := range l.NotYet {
		short(&l.NotYet[i].File)
	}
	for i := range l.Hosts {
		short(&l.Hosts[i].Source)
	}
	for i := range l.Campaigns {
		s := &l.Campaigns[i]
		short(&s.File)
		for j := range s.Origins {
			short(&s.Origins[j].File)
		}
		for j := range s.NotYet {
			short(&s.NotYet[j].File)
		}
	}
}

// some lists the first words of many.
func some(words []string) string {
	if len(words) > 8 {
		return strings.Join(words[:8], ", ") + fmt.Sprintf(" and %d more", len(words)-8)
	}
	return strings.Join(words, ", ")
}
