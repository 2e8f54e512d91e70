package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// New makes `starter outbox`.
func New(p *program.Program) *cobra.Command {
	return program.Group("outbox", "Notifications, and those that could not be sent",
		"What notify rules have to say is kept until it is sent. What cannot be sent is\ntried for some hours, or given up at once where trying again is no use.",
		"  starter outbox list",
		newOutboxList(p), newOutboxSettle(p, outboxRetry), newOutboxSettle(p, outboxDrop))
}

type outboxList struct {
	*program.Program
	campaign string
	all      bool
	limit    int
}

func newOutboxList(p *program.Program) *cobra.Command {
	c := &outboxList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List notifications that were not sent, the newest first",
		Long:    "List notifications that were not sent, with the reason, the newest first; with\n--all also those that were.",
		Example: "  starter outbox list --campaign news",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "", "only of this campaign")
	f.BoolVarP(&c.all, "all", "a", false, "also those that were sent")
	f.IntVar(&c.limit, "limit", 50, "at most so many; 0: all")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	return cmd
}

func (c *outboxList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	found, err := s.Messages(cmd.Context(), rows.MessageFilter{Campaign: c.campaign, Unsent: !c.all, Limit: c.limit})
	if err != nil {
		return err
	}
	list := c.Out.List()
	table := print.NewTable(print.Left("MESSAGE"), print.Flex("CAMPAIGN"), print.Left("EVENT"), print.Left("SINCE "+c.Clock.ZoneName()),
		print.Left("STATE"), print.Right("TRIES"), print.Flex("REASON"))
	for _, m := range found {
		list.Add(m)
		table.Row(messageRef(m.ID), m.Campaign, eventOf(m), c.Clock.Near(m.Created), m.State(), print.Number(m.Attempts), print.Dash(m.Error))
	}
	list.End()
	c.Out.Table(table)
	if len(found) == 0 {
		c.Out.Printf("%s\n", map[bool]string{false: "No unsent notifications; all: starter outbox list --all", true: "No notifications."}[c.all])
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

func messageRef(id int64) string { return fmt.Sprintf("m-%d", id) }

// eventOf is what a notification announces.
func eventOf(m rows.Message) string {
	var payload struct{ Event string }
	if json.Unmarshal(m.Payload, &payload) != nil {
		return "-"
	}
	return print.Dash(payload.Event)
}

// outboxVerb is a command that settles messages.
type outboxVerb struct {
	use, short, long, done string
	do                     func(context.Context, program.Store, ...int64) error
}

var outboxRetry = outboxVerb{
	use: "retry", short: "Send notifications again that were given up",
	long: "Make notifications due at once that were not sent, with all their attempts\nbefore them. Housekeeping sends them, within five minutes.",
	done: "due now; a worker sends within five minutes",
	do: func(ctx context.Context, s program.Store, ids ...int64) error {
		return s.RetryMessages(ctx, ids...)
	},
}

var outboxDrop = outboxVerb{
	use: "drop", short: "Remove notifications that were not sent",
	long: "Remove notifications that were not sent. What they announce counts as never\ntold: where it still holds, the next run tells it again.",
	done: "dropped",
	do: func(ctx context.Context, s program.Store, ids ...int64) error {
		return s.DropMessages(ctx, ids...)
	},
}

type outboxSettle struct {
	*program.Program
	outboxVerb
	campaign string
}

func newOutboxSettle(p *program.Program, verb outboxVerb) *cobra.Command {
	c := &outboxSettle{Program: p, outboxVerb: verb}
	cmd := &cobra.Command{
		Use: verb.use + " [ID...]", Short: verb.short, Long: verb.long,
		Example: "  starter outbox " + verb.use + " --campaign news",
		RunE:    c.run,
	}
	cmd.Flags().StringVar(&c.campaign, "campaign", "", "all that is unsent of this campaign")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	return cmd
}

func (c *outboxSettle) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	ids, err := c.which(ctx, s, args)
	if err != nil {
		return err
	}
	if err := c.do(ctx, s, ids...); err != nil {
		return fmt.Errorf("outbox %s: %w; see `starter outbox list --all`", c.use, err)
	}
	err = s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: "outbox " + c.use, On: "outbox", Note: strings.Join(args, " ") + c.campaign})
	c.Out.Value(ids)
	c.Out.Printf("%s: %s\n", print.Count(len(ids), "message"), c.done)
	return err
}

// which are the messages that are named, else all of the campaign that are unsent.
func (c *outboxSettle) which(ctx context.Context, s program.Store, args []string) ([]int64, error) {
	var ids []int64
	for _, ref := range args {
		id, err := strconv.ParseInt(strings.TrimPrefix(ref, "m-"), 10, 64)
		if err != nil {
			return nil, program.Usage("outbox %s %s: a message is written m-12", c.use, ref)
		}
		ids = append(ids, id)
	}
	if (len(args) == 0) == (c.campaign == "") {
		return nil, program.Usage("outbox %s: say which: ids (m-12) or --campaign; see `starter outbox list`", c.use)
	}
	if c.campaign == "" {
		return ids, nil
	}
	found, err := s.Messages(ctx, rows.MessageFilter{Campaign: c.campaign, Unsent: true})
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	if err == nil && len(ids) == 0 {
		err = program.Usage("outbox %s: nothing is unsent of campaign %s", c.use, c.campaign)
	}
	return ids, err
}
