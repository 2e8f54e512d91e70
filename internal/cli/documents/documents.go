package documents

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

// New makes `starter documents`.
func New(p *program.Program) *cobra.Command {
	return program.Group("documents", "What was collected",
		"Documents as they are stored, and the feed of their changes.",
		"  starter documents list --campaign news --limit 5",
		newDocumentsList(p), newDocumentsGet(p), newDocumentsCount(p), newDocumentsChanges(p), newDocumentsHistory(p), newDocumentsDiff(p), newDocumentsExport(p))
}

// documentFlags select documents.
type documentFlags struct {
	campaign   string
	collection string
	entry      string
	item       string
	kind       string
	since      string
	until      string
	tags       []string
	deleted    bool
}

func (d *documentFlags) add(p *program.Program, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.campaign, "campaign", "", "only of this campaign")
	f.StringVar(&d.collection, "collection", "", "only of this collection; by default a campaign has its own")
	f.StringVar(&d.entry, "entry", "", "only of this entry of a campaign")
	f.StringVar(&d.item, "item", "", "only of the item with this key")
	f.StringVar(&d.since, "since", "", "only what changed since this time")
	f.BoolVar(&d.deleted, "deleted", false, "only what the source has deleted")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
}

// addKind is for commands over the documents there are: the feed of changes knows
// no kinds.
func (d *documentFlags) addKind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.until, "until", "", "only what changed before this time")
	cmd.Flags().StringSliceVar(&d.tags, "tag", nil, "only of campaigns with this tag; several: with all of them")
	cmd.Flags().StringVar(&d.kind, "kind", "", "only of this kind, as its fetcher calls them: entry, act, page …")
}

// filter resolves names; one that nothing has is a usage error.
func (d *documentFlags) filter(ctx context.Context, p *program.Program, s program.Store) (rows.DocumentFilter, error) {
	f := rows.DocumentFilter{Collection: d.collection, Kind: d.kind}
	if d.deleted {
		f.Deleted = &d.deleted
	}
	of, key, err := scope.Narrow(ctx, p, s, scope.ItemFlags{Campaign: d.campaign, Entry: d.entry}, d.item)
	if err != nil {
		return f, err
	}
	f.Campaign, f.Entry, f.Key = of.Campaign, of.Entry, key
	if err := checkCollection(ctx, p, s, d.collection); err != nil {
		return f, err
	}
	if f.Campaigns, err = scope.Tagged(ctx, s, d.tags); err != nil {
		return f, err
	}
	if f.Since, err = p.Moment("since", d.since); err != nil {
		return f, err
	}
	f.Until, err = p.Moment("until", d.until)
	return f, err
}

type documentsList struct {
	*program.Program
	documentFlags
	limit int
}

func newDocumentsList(p *program.Program) *cobra.Command {
	c := &documentsList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List documents, the last changed first",
		Long: `List documents, the last changed first. Titles and days of publication give
way to ids; of one too long even so the middle is left out; -o json has all.`,
		Example: "  starter documents list --campaign gu-concorsi --kind act --since yesterday",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	c.addKind(cmd)
	cmd.Flags().IntVar(&c.limit, "limit", 20, "at most so many; 0: all")
	return cmd
}

func (c *documentsList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	filter, err := c.filter(cmd.Context(), c.Program, s)
	if err != nil {
		return err
	}
	filter.Limit = c.limit
	list := c.Out.List()
	table := print.NewTable(print.Key("DOCUMENT"), print.Left("KIND"), print.Left("PUBLISHED"),
		print.Left("CHANGED "+c.Clock.ZoneName()), print.Flex("TITLE"))
	for d, err := range s.Documents(cmd.Context(), filter) {
		if err != nil {
			return err
		}
		list.Add(d)
		if c.Out.People() {
			table.Row(d.Line.ID, kindOf(d), day(c.Program, d), c.Clock.Near(d.ChangedAt), d.Line.Title)
		}
	}
	if list.Len() == 0 {
		if err := checkKind(cmd.Context(), c.Program, s, filter); err != nil {
			return err
		}
	}
	list.End()
	c.Out.Table(table.Spare("PUBLISHED"))
	if list.Len() == 0 {
		c.Out.Printf("No documents match.\n")
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

func kindOf(d rows.Document) string {
	if d.Line.Deleted {
		return "deleted"
	}
	return print.Dash(d.Line.Kind)
}

func day(p *program.Program, d rows.Document) string {
	if d.Line.Published.IsZero() {
		return "-"
	}
	return p.Clock.In(d.Line.Published).Format("2006-01-02")
}
