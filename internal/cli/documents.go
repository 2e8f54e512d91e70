package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func newDocuments(p *program) *cobra.Command {
	return group("documents", "What was collected",
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
	since      string
	deleted    bool
}

func (d *documentFlags) add(p *program, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.campaign, "campaign", "", "only of this campaign")
	f.StringVar(&d.collection, "collection", "", "only of this collection; by default a campaign has its own")
	f.StringVar(&d.entry, "entry", "", "only of this entry of a campaign")
	f.StringVar(&d.item, "item", "", "only of the item with this key")
	f.StringVar(&d.since, "since", "", "only what changed since this time")
	f.BoolVar(&d.deleted, "deleted", false, "only what the source has deleted")
	p.completeFlag(cmd, "campaign", p.completeCampaigns)
}

func (d *documentFlags) filter(p *program) (rows.DocumentFilter, error) {
	f := rows.DocumentFilter{Collection: d.collection, Campaign: d.campaign, Entry: d.entry, Key: d.item}
	if d.deleted {
		f.Deleted = &d.deleted
	}
	var err error
	f.Since, err = p.moment("since", d.since)
	return f, err
}

type documentsList struct {
	*program
	documentFlags
	limit int
}

func newDocumentsList(p *program) *cobra.Command {
	c := &documentsList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List documents, the last changed first",
		Long:    "List documents, the last changed first.",
		Example: "  starter documents list --campaign gu-concorsi --since yesterday",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	cmd.Flags().IntVar(&c.limit, "limit", 20, "at most so many; 0: all")
	return cmd
}

func (c *documentsList) run(cmd *cobra.Command, _ []string) error {
	filter, err := c.filter(c.program)
	if err != nil {
		return err
	}
	filter.Limit = c.limit
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	list := c.out.List()
	table := print.NewTable(print.Flex("DOCUMENT"), print.Left("KIND"), print.Left("PUBLISHED"),
		print.Left("CHANGED "+c.clock.ZoneName()), print.Flex("TITLE"))
	for d, err := range s.Documents(cmd.Context(), filter) {
		if err != nil {
			return err
		}
		list.Add(d)
		if c.out.People() {
			table.Row(d.Line.ID, kindOf(d), c.day(d), c.clock.Near(d.ChangedAt), d.Line.Title)
		}
	}
	list.End()
	c.out.Table(table)
	if list.Len() == 0 {
		c.out.Printf("(none)\n")
		return c.elsewhere(cmd.Context(), s)
	}
	return nil
}

func kindOf(d rows.Document) string {
	if d.Line.Deleted {
		return "deleted"
	}
	return print.Dash(d.Line.Kind)
}

func (p *program) day(d rows.Document) string {
	if d.Line.Published.IsZero() {
		return "-"
	}
	return p.clock.In(d.Line.Published).Format("2006-01-02")
}

type documentsGet struct {
	oneDocument
	which versionFlags
	body  bool
}

func newDocumentsGet(p *program) *cobra.Command {
	c := &documentsGet{oneDocument: oneDocument{program: p}}
	cmd := &cobra.Command{
		Use: "get ID", Short: "Show one document",
		Long:    "Show one document with all that is known of it. With --body its body goes to\nstandard output as it is kept.",
		Example: "  starter documents get oai:repo.example.org:17 --body > record.xml",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.add(cmd)
	cmd.Flags().BoolVar(&c.body, "body", false, "write the body itself and nothing else")
	c.which.add(cmd)
	return cmd
}

func (c *documentsGet) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, collection, err := c.find(ctx, args[0])
	if err != nil {
		return err
	}
	d, err := c.version(ctx, s, collection, args[0])
	if err != nil {
		return err
	}
	if c.body {
		return c.writeBody(cmd, s, d)
	}
	c.out.Value(d)
	c.out.Printf("%s", documentScreen(d, c.clock))
	return nil
}

// version reads the one that was asked for, the current one by default.
func (c *documentsGet) version(ctx context.Context, s Store, collection, id string) (rows.Document, error) {
	if !c.which.chosen() {
		return s.Document(ctx, collection, id)
	}
	versions, err := s.History(ctx, collection, id, true)
	if err != nil {
		return rows.Document{}, err
	}
	return c.which.pick(c.program, id, versions)
}

func (c *documentsGet) writeBody(cmd *cobra.Command, s Store, d rows.Document) error {
	body, err := bodyOf(cmd.Context(), s, d)
	if err != nil {
		return err
	}
	_, err = c.env.Stdout.Write(body)
	return err
}

func documentScreen(d rows.Document, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" && text != "-" {
			b.WriteString(pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
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
		line(name, print.End(fmt.Sprint(l.Fields[name]), 600))
	}
	if l.Body != "" {
		b.WriteString("\n" + preview([]byte(l.Body)) + "\n")
	} else if l.BodyRef != "" {
		line("body", print.Middle(l.BodyRef, 40)+"; --body writes it")
	}
	return b.String()
}

type documentsCount struct {
	*program
	documentFlags
	by string
}

func newDocumentsCount(p *program) *cobra.Command {
	c := &documentsCount{program: p}
	cmd := &cobra.Command{
		Use: "count", Short: "Count documents",
		Long:    "Count documents; those the source has deleted are counted with --deleted only.",
		Example: "  starter documents count --by campaign",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	cmd.Flags().StringVar(&c.by, "by", "", "one count for each: collection, campaign, kind or item")
	complete(cmd, "by", "collection", "campaign", "kind", "item")
	return cmd
}

func (c *documentsCount) run(cmd *cobra.Command, _ []string) error {
	if !slices.Contains([]string{"", "collection", "campaign", "kind", "item"}, c.by) {
		return usage("--by %s: one of collection, campaign, kind, item", c.by)
	}
	filter, err := c.filter(c.program)
	if err != nil {
		return err
	}
	if filter.Deleted == nil {
		alive := false
		filter.Deleted = &alive
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	counts, err := s.CountDocuments(cmd.Context(), filter, c.by)
	if err != nil {
		return err
	}
	if c.by == "" {
		counts = map[string]int64{"": counts[""]}
	}
	c.out.Value(counts)
	if c.by == "" {
		c.out.Printf("%s\n", print.Number(counts[""]))
	} else {
		c.table(counts)
	}
	if len(counts) == 0 || c.by == "" && counts[""] == 0 {
		return c.elsewhere(cmd.Context(), s)
	}
	return nil
}

func (c *documentsCount) table(counts map[string]int64) {
	table := print.NewTable(print.Flex(strings.ToUpper(c.by)), print.Right("DOCUMENTS"))
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		table.Row(print.Dash(name), print.Number(counts[name]))
	}
	c.out.Table(table)
}
