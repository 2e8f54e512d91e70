package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func newFailures(p *program) *cobra.Command {
	return group("failures", "Records that could not be read, with their bytes",
		"A record that cannot be parsed is put aside with its bytes and the reason; the\nrun goes on. These commands show what was put aside.",
		"  starter failures list --campaign news",
		newFailuresList(p), newFailuresShow(p))
}

type failuresList struct {
	*program
	campaign string
	run      string
	item     string
	limit    int
}

func newFailuresList(p *program) *cobra.Command {
	c := &failuresList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List records that could not be read, the newest first",
		Long:    "List records that could not be read, the newest first.",
		Example: "  starter failures list --run news",
		Args:    cobra.NoArgs, RunE: c.list,
	}
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "", "only of this campaign")
	f.StringVar(&c.run, "run", "", "only of this run")
	f.StringVar(&c.item, "item", "", "only of the item with this key")
	f.IntVar(&c.limit, "limit", 50, "at most so many; 0: all")
	p.completeFlag(cmd, "campaign", p.completeCampaigns)
	p.completeFlag(cmd, "run", p.completeRuns)
	return cmd
}

func (c *failuresList) list(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	filter := rows.FailureFilter{Campaign: c.campaign, Key: c.item, Limit: c.limit}
	if c.run != "" {
		r, err := c.findRun(ctx, s, c.run)
		if err != nil {
			return err
		}
		filter.Run = r.ID
	}
	found, err := s.Failures(ctx, filter)
	if err != nil {
		return err
	}
	list := c.out.List()
	table := print.NewTable(print.Left("FAILURE"), print.Flex("ITEM"), print.Left("AT "+c.clock.ZoneName()), print.Right("SIZE"), print.Flex("REASON"))
	for _, f := range found {
		f.Bytes = nil
		list.Add(f)
		table.Row(failureRef(f.ID), f.Item.Campaign+" "+f.Item.Key, c.clock.Near(f.At), print.Bytes(f.Size), f.Reason)
	}
	list.End()
	c.out.Table(table)
	if len(found) == 0 {
		c.out.Printf("(none)\n")
		return c.elsewhere(cmd.Context(), s)
	}
	return nil
}

type failuresShow struct {
	*program
	body bool
}

func newFailuresShow(p *program) *cobra.Command {
	c := &failuresShow{program: p}
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show a record that could not be read",
		Long:    "Show a record that could not be read: where it came from, why, and its first\nbytes. With --body its bytes go to standard output as they came.",
		Example: "  starter failures show q-81 --body > record.xml",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	cmd.Flags().BoolVar(&c.body, "body", false, "write the bytes themselves and nothing else")
	return cmd
}

func (c *failuresShow) run(cmd *cobra.Command, args []string) error {
	id, err := strconv.ParseInt(strings.TrimPrefix(args[0], "q-"), 10, 64)
	if err != nil {
		return usage("failures show %s: a failure is written q-81", args[0])
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	f, err := s.Failure(cmd.Context(), id)
	if err != nil {
		return fmt.Errorf("failure %s: %w; see `starter failures list`", failureRef(id), err)
	}
	if c.body {
		_, err := c.env.Stdout.Write(f.Bytes)
		return err
	}
	c.out.Value(f)
	c.out.Printf("%s", failureScreen(f, c.clock))
	return nil
}

func failureScreen(f rows.Failure, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(pad(name, 12) + print.Wrap(text, 12, 12) + "\n")
		}
	}
	line("failure", failureRef(f.ID))
	line("item", f.Item.String())
	line("record", f.Record)
	line("reason", f.Reason)
	line("kind", string(f.Kind))
	line("run", fmt.Sprintf("%s, page %d, %s", f.Run, f.Seq, c.Full(f.At)))
	if !f.Accepted.IsZero() {
		line("accepted", c.Full(f.Accepted))
	}
	size := print.Bytes(f.Size)
	if int64(len(f.Bytes)) < f.Size {
		size += ", the first " + print.Bytes(int64(len(f.Bytes))) + " kept"
	}
	line("size", size)
	b.WriteString("\n" + preview(f.Bytes) + "\n")
	return b.String()
}

// preview is the beginning of bytes, made safe for a terminal.
func preview(raw []byte) string {
	const most = 1200
	if !utf8.Valid(raw[:validCut(raw, most)]) {
		return fmt.Sprintf("(not text; %s --body writes it)", "starter failures show")
	}
	text := string(raw[:validCut(raw, most)])
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, print.End(print.Clean(strings.TrimRight(l, "\r\n")), print.Width))
	}
	if len(raw) > most {
		lines = append(lines, "…")
	}
	return strings.Join(lines, "\n")
}

// validCut shortens bytes to at most n without cutting a letter.
func validCut(raw []byte, n int) int {
	if len(raw) <= n {
		return len(raw)
	}
	for n > 0 && !utf8.RuneStart(raw[n]) {
		n--
	}
	return n
}
