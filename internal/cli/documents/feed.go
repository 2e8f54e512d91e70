package documents

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

type documentsExport struct {
	*program.Program
	documentFlags
	filesFlags
	limit int
}

func newDocumentsExport(p *program.Program) *cobra.Command {
	c := &documentsExport{Program: p}
	cmd := &cobra.Command{
		Use: "export", Short: "Write documents, one per line as JSON, or as files",
		Long: `Write documents with their bodies, one per line as JSON, in the form of
` + "`fetchers try`" + `. For what is new only, follow ` + "`documents changes`" + `.

With --as files: a file for each record, named after its id, and NAME.delete for
one that was deleted. --batch N puts N records into one file: XML into an
element collection, anything else into lines of JSON. The folder remembers how
far it is: the next call writes what changed since, whatever happened to this
one. Take files away when you have read them, or leave them there.`,
		Example: "  starter documents export --campaign repositories --as files --to /srv/import",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.documentFlags.add(p, cmd)
	c.filesFlags.add(cmd)
	cmd.Flags().IntVar(&c.limit, "limit", 0, "at most so many; 0: all")
	return cmd
}

func (c *documentsExport) run(cmd *cobra.Command, _ []string) error {
	if files, err := c.files(cmd); files || err != nil {
		if err != nil {
			return err
		}
		return c.writeFiles(cmd.Context())
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	filter, err := c.filter(cmd.Context(), c.Program, s)
	if err != nil {
		return err
	}
	filter.Bodies, filter.Limit, filter.Whole = true, c.limit, filter.Since.IsZero()
	list := c.Lines()
	defer list.End()
	for d, err := range s.Documents(cmd.Context(), filter) {
		if err != nil {
			return err
		}
		list.Add(d.Line)
		if err := c.Out.Err(); err != nil {
			return err
		}
	}
	return nil
}

type documentsChanges struct {
	*program.Program
	after      string
	campaign   string
	collection string
	bodies     bool
	follow     bool
	limit      int
}

func newDocumentsChanges(p *program.Program) *cobra.Command {
	c := &documentsChanges{Program: p}
	cmd := &cobra.Command{
		Use: "changes", Short: "Write what changed, in order, one change per line as JSON",
		Long: `Write every new, changed and deleted document once, in the order in which it was
stored, one per line as JSON. Keep the last number and ask again --after it:
nothing is skipped, nothing comes twice. The number may carry the store's id
(7f3a9c12:120), as the last line on standard error does; a number of another
store, or one this store has not reached, is a database reset: exit code 3.`,
		Example: "  starter documents changes --after 120 --campaign news",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.after, "after", "0", "only changes after this number")
	f.StringVar(&c.campaign, "campaign", "", "only of this campaign")
	f.StringVar(&c.collection, "collection", "", "only of this collection")
	f.BoolVar(&c.bodies, "bodies", false, "with the documents' bodies")
	f.BoolVar(&c.follow, "follow", false, "go on waiting for more")
	f.IntVar(&c.limit, "limit", 0, "at most so many; 0: all")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	return cmd
}

// changeLine is a line of the change feed: a document's line, and what happened
// to it.
type changeLine struct {
	Change     int64     `json:"change"`
	Op         string    `json:"op"`
	At         time.Time `json:"at"`
	Collection string    `json:"collection"`
	Campaign   string    `json:"campaign"`
	rows.Line
}

func (c *documentsChanges) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if err := scope.CheckCampaign(ctx, c.Program, s, c.campaign); err != nil {
		return err
	}
	if err := checkCollection(ctx, c.Program, s, c.collection); err != nil {
		return err
	}
	feed, after, err := c.cursor(ctx, s)
	if err != nil {
		return err
	}
	list := c.Lines()
	tick := time.NewTicker(c.Pace)
	defer tick.Stop()
	for {
		if now, err := s.Feed(ctx); err == nil && now.ID != feed.ID {
			return c.reset(s, program.FeedCursor(feed, after), "was put back from a copy")
		}
		if after, err = c.write(ctx, s, list, after); err != nil && ctx.Err() == nil {
			return err
		}
		if !c.follow || c.limit > 0 && list.Len() >= c.limit || ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	list.End()
	c.Say("next: --after %s", program.FeedCursor(feed, after))
	return c.Out.Err()
}

// write writes what came after a number and returns the last one written.
func (c *documentsChanges) write(ctx context.Context, s program.Store, list *print.List, after int64) (int64, error) {
	filter := rows.ChangeFilter{After: after, Campaign: c.campaign, Collection: c.collection, Bodies: c.bodies, Whole: after == 0}
	if c.limit > 0 {
		filter.Limit = c.limit - list.Len()
	}
	for ch, err := range s.Changes(ctx, filter) {
		if err != nil {
			return after, err
		}
		d := ch.Document
		list.Add(changeLine{Change: ch.Number, Op: ch.Op, At: ch.At, Collection: d.Collection, Campaign: d.Campaign, Line: d.Line})
		if err := c.Out.Err(); err != nil {
			return after, err
		}
		after = ch.Number
	}
	return after, nil
}

// cursor reads --after and refuses a number that cannot be of this line.
func (c *documentsChanges) cursor(ctx context.Context, s program.Store) (feed rows.Feed, n int64, err error) {
	id, number, ok := strings.Cut(c.after, ":")
	if !ok {
		id, number = "", c.after
	}
	if n, err = strconv.ParseInt(number, 10, 64); err != nil || n < 0 {
		return feed, 0, program.Usage("--after %s: a number of a change, or STORE:NUMBER", c.after)
	}
	if feed, err = s.Feed(ctx); err != nil {
		return feed, 0, err
	}
	last, err := s.LastChange(ctx)
	switch {
	case err != nil:
		return feed, 0, err
	case id != "" && id != feed.ID || n > last:
		err = c.reset(s, c.after, fmt.Sprintf("has %s as its last change", program.FeedCursor(feed, last)))
	case id == "" && feed.Common >= 0 && n > feed.Common:
		err = c.reset(s, c.after, fmt.Sprintf("was put back from a copy at change %d: say which line the number is of, %s", feed.Common, program.FeedCursor(feed, n)))
	}
	return feed, n, err
}

func (c *documentsChanges) reset(s program.Store, after, why string) error {
	return &program.ExitCode{Code: program.ExitRunFailed, Err: fmt.Errorf("database reset: --after %s: %s %s; read everything again with --after 0", after, c.StoreName(s), why)}
}
