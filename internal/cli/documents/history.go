package documents

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// oneDocument is a command about one document.
type oneDocument struct {
	*program.Program
	collection string
}

func (d *oneDocument) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.collection, "collection", "", "its collection, where several have this id")
}

// find opens the store and finds the one collection that has the document.
func (d *oneDocument) find(ctx context.Context, id string) (s program.Store, collection string, err error) {
	if s, err = d.Store(ctx); err != nil {
		return nil, "", err
	}
	collection, err = d.collectionOf(ctx, s, id)
	return s, collection, err
}

// history reads all kept versions of the document, the newest first.
func (d *oneDocument) history(ctx context.Context, id string, bodies bool) (program.Store, []rows.Change, error) {
	s, collection, err := d.find(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	versions, err := s.History(ctx, collection, id, bodies)
	return s, versions, err
}

type documentsHistory struct{ oneDocument }

func newDocumentsHistory(p *program.Program) *cobra.Command {
	c := &documentsHistory{oneDocument{Program: p}}
	cmd := &cobra.Command{
		Use: "history ID", Short: "List the versions of one document",
		Long:    "List the kept versions of one document, the newest first, with the run that\nbrought each.",
		Example: "  starter documents history eli:2026/05/03/26A02808/sg",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.add(cmd)
	return cmd
}

func (c *documentsHistory) run(cmd *cobra.Command, args []string) error {
	_, versions, err := c.history(cmd.Context(), args[0], false)
	if err != nil {
		return err
	}
	list := c.Out.List()
	table := print.NewTable(print.Right("VERSION"), print.Left("WHAT"), print.Left("WHEN "+c.Clock.ZoneName()), print.Right("SIZE"), print.Flex("TITLE"), print.Key("RUN"))
	for _, v := range versions {
		list.Add(v)
		table.Row(print.Number(v.Document.Version), v.Op, c.Clock.Near(v.At), print.Number(v.Document.Size), v.Document.Line.Title, v.Document.Run)
	}
	list.End()
	c.Out.Table(table)
	return nil
}

// collectionOf finds the one collection that has a document.
func (d *oneDocument) collectionOf(ctx context.Context, s program.Store, id string) (string, error) {
	collections := map[string]bool{}
	for found, err := range s.Documents(ctx, rows.DocumentFilter{ID: id, Collection: d.collection}) {
		if err != nil {
			return "", err
		}
		collections[found.Collection] = true
	}
	names := slices.Sorted(maps.Keys(collections))
	switch len(names) {
	case 1:
		return names[0], nil
	case 0:
		return "", fmt.Errorf("document %s: not found in %s; see `starter documents list`", id, d.StoreName(s))
	default:
		return "", program.Usage("document %s is in several collections; say --collection, one of %s", id, print.Some(names))
	}
}

// versionFlags choose one version of a document.
type versionFlags struct {
	at      string
	version int
}

func (f *versionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.at, "at", "", "as it was at this time")
	cmd.Flags().IntVar(&f.version, "version", 0, "this version of it; 1 is the first")
}

func (f *versionFlags) chosen() bool { return f.at != "" || f.version != 0 }

// pick returns the version that was asked for, of versions newest first.
func (f *versionFlags) pick(p *program.Program, id string, versions []rows.Change) (rows.Document, error) {
	at, err := p.Moment("at", f.at)
	if err != nil {
		return rows.Document{}, err
	}
	if f.at != "" && f.version != 0 {
		return rows.Document{}, program.Usage("say either --at or --version")
	}
	for _, v := range versions {
		if f.version == v.Document.Version || f.version == 0 && !v.At.After(at) {
			return v.Document, nil
		}
	}
	return rows.Document{}, fmt.Errorf("document %s: no such version is kept; see `starter documents history`", id)
}
