package documents

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

type documentsGet struct {
	oneDocument
	which versionFlags
	body  bool
	field string
	raw   bool
}

func newDocumentsGet(p *program.Program) *cobra.Command {
	c := &documentsGet{oneDocument: oneDocument{Program: p}}
	cmd := &cobra.Command{
		Use: "get ID", Short: "Show one document",
		Long:    "Show one document with all that is known of it. With --body its body goes to\nstandard output as it is kept, with --field one of its fields, with --raw the\npage it was read from as it came.",
		Example: "  starter documents get oai:repo.example.org:17 --body > record.xml",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.add(cmd)
	cmd.Flags().BoolVar(&c.body, "body", false, "write the body itself and nothing else")
	cmd.Flags().StringVar(&c.field, "field", "", "write this field and nothing else")
	cmd.Flags().BoolVar(&c.raw, "raw", false, "write the page it was read from and nothing else, where pages are kept")
	c.which.add(cmd)
	return cmd
}

func (c *documentsGet) run(cmd *cobra.Command, args []string) error {
	if c.body && c.raw || c.field != "" && (c.body || c.raw) {
		return program.Usage("--body, --field and --raw: only one of them")
	}
	ctx := cmd.Context()
	s, collection, err := c.find(ctx, args[0])
	if err != nil {
		return err
	}
	d, err := c.version(ctx, s, collection, args[0])
	if err != nil {
		return err
	}
	if c.raw {
		return c.writeRaw(cmd, s, d)
	}
	if c.body {
		return c.writeBody(cmd, s, d)
	}
	if c.field != "" {
		text, err := FieldOf(d, c.field)
		fmt.Fprint(c.Env.Stdout, text)
		return err
	}
	c.Out.Value(d)
	c.Out.Printf("%s", documentScreen(d, c.Clock))
	return nil
}

// version reads the one that was asked for, the current one by default.
func (c *documentsGet) version(ctx context.Context, s program.Store, collection, id string) (rows.Document, error) {
	if !c.which.chosen() {
		return s.Document(ctx, collection, id)
	}
	versions, err := s.History(ctx, collection, id, true)
	if err != nil {
		return rows.Document{}, err
	}
	return c.which.pick(c.Program, id, versions)
}

func (c *documentsGet) writeBody(cmd *cobra.Command, s program.Store, d rows.Document) error {
	body, err := bodyOf(cmd.Context(), s, d)
	if err != nil {
		return err
	}
	_, err = c.Env.Stdout.Write(body)
	return err
}

func documentScreen(d rows.Document, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" && text != "-" {
			b.WriteString(print.Pad(name, 12) + paragraphs(text, 12) + "\n")
		}
	}
	l := d.Line
	line("document", l.ID)
	line("title", l.Title)
	line("url", l.URL)
	line("kind", kindOf(d))
	line("published", c.Full(l.Published))
	line("parent", l.Parent)
	line("collection", d.Collection)
	line("item", fmt.Sprintf("%s / %s / %s", d.Campaign, d.Entry, d.Key))
	line("version", fmt.Sprintf("%d, change %s, by %s", d.Version, print.Number(d.Change), d.Run))
	line("first seen", c.Full(d.FirstSeen))
	line("changed", c.Full(d.ChangedAt))
	line("hash", print.Middle(l.Hash, print.Width-12))
	for _, name := range slices.Sorted(maps.Keys(l.Fields)) {
		line(name, cutLong(fieldText(l.Fields[name]), name))
	}
	if l.Body != "" {
		b.WriteString("\n" + print.Preview([]byte(l.Body)) + "\n")
	} else if l.BodyRef != "" {
		line("body", print.Middle(l.BodyRef, 40)+"; --body writes it")
	}
	return b.String()
}
