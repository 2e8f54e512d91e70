package stats

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/times"
)

// New makes `starter stats`.
func New(p *program.Program) *cobra.Command {
	return program.Group("stats", "How much there is to do, and how it went",
		"Count what waits, what is in work, what was done and what it used of budgets.",
		"  starter stats queue",
		newQueue(p), newItems(p), newBudget(p))
}

type itemStats struct {
	*program.Program
	campaign, queue, since string
	tags                   []string
	delayed, slow          program.SpanValue
	attempts, hosts        int
}

func newItems(p *program.Program) *cobra.Command {
	c := &itemStats{Program: p, delayed: program.SpanValue(time.Minute), slow: program.SpanValue(5 * time.Minute)}
	cmd := &cobra.Command{
		Use: "items", Short: "How items went: throughput, latency, execution, hosts, cost",
		Long: `Sum up the items that ended since a time and are still kept: how many a minute,
how long from the moment their run was due to their first attempt (latency), how
long from there to their end with all waits (execution), and what a document
cost. What is queued, postponed, running and stuck is of now; stuck are items
under which workers died since their last page.`,
		Example: "  starter stats items --since 7d --tag library",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "", "only of this campaign")
	f.StringVar(&c.queue, "queue", "", "only of this task queue")
	f.StringSliceVar(&c.tags, "tag", nil, "only of campaigns with this tag; several: with all of them")
	f.StringVar(&c.since, "since", "24h", "only what ended since this time")
	f.Var(&c.delayed, "delayed", "from how long a latency on an item counts as delayed")
	f.Var(&c.slow, "slow", "from how long an execution on an item counts as slow")
	f.IntVar(&c.attempts, "attempts", 3, "from how many attempts on they count as many")
	f.IntVar(&c.hosts, "hosts", 10, "at most so many hosts; 0: all")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	return cmd
}

// statsView is what `stats items` tells.
type statsView struct {
	rows.Stats
	Since time.Time `json:"since"`
	// PerMinute is how many items ended a minute.
	PerMinute           float64 `json:"per_minute"`
	RequestsPerDocument float64 `json:"requests_per_document"`
	BytesPerDocument    float64 `json:"bytes_per_document"`
}

func (c *itemStats) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	f, err := c.filter(cmd, s)
	if err != nil {
		return err
	}
	st, err := s.Stats(cmd.Context(), f)
	if err != nil {
		return err
	}
	v := statsView{Stats: st, Since: f.Since}
	if minutes := f.Now.Sub(f.Since).Minutes(); minutes > 0 {
		v.PerMinute = float64(st.Ended) / minutes
	}
	if st.Documents > 0 {
		v.RequestsPerDocument, v.BytesPerDocument = float64(st.Requests)/float64(st.Documents), float64(st.Bytes)/float64(st.Documents)
	}
	c.Out.Value(v)
	c.Out.Printf("%s", c.screen(v))
	if c.Out.People() {
		c.Out.Table(hostTable(st.Hosts))
	}
	return nil
}

func (c *itemStats) filter(cmd *cobra.Command, s program.Store) (f rows.StatsFilter, err error) {
	ctx := cmd.Context()
	f = rows.StatsFilter{Campaign: c.campaign, Queue: c.queue, Now: c.Env.Now(), Delayed: time.Duration(c.delayed), Slow: time.Duration(c.slow), Many: c.attempts, Hosts: c.hosts}
	if err := scope.CheckCampaign(ctx, c.Program, s, c.campaign); err != nil {
		return f, err
	}
	if f.Campaigns, err = scope.Tagged(ctx, s, c.tags); err != nil {
		return f, err
	}
	if c.queue != "" {
		all, err := queues(ctx, c.Program, s, f.Now)
		if err != nil {
			return f, err
		}
		if _, err := only(all, []string{c.queue}); err != nil {
			return f, err
		}
	}
	f.Since, err = c.Moment("since", c.since)
	return f, err
}

func (c *itemStats) screen(v statsView) string {
	var b strings.Builder
	line := func(name, text string) { b.WriteString(print.Pad(name, 12) + print.Wrap(text, 12, 12) + "\n") }
	line("now", fmt.Sprintf("%s queued · %s postponed · %s running · %s stuck", print.Number(v.Queued), print.Number(v.Postponed), print.Number(v.Running), print.Number(v.Stuck)))
	line("ended", fmt.Sprintf("%s since %s, %.1f a minute", print.Count(v.Ended, "item"), c.Clock.Full(v.Since), v.PerMinute))
	line("latency", spreadText(v.Latency)+fmt.Sprintf(" · %s delayed by %s", print.Number(v.Delayed), print.Duration(time.Duration(c.delayed))))
	line("execution", spreadText(v.Execution)+fmt.Sprintf(" · %s took %s", print.Number(v.Slow), print.Duration(time.Duration(c.slow))))
	line("attempts", fmt.Sprintf("%s took %s or more", print.Count(v.Many, "item"), print.Number(c.attempts)))
	line("cost", fmt.Sprintf("%s, %s for %s", print.Count(v.Requests, "request"), print.Bytes(v.Bytes), print.Count(v.Documents, "document")))
	if v.Documents > 0 {
		line("a document", fmt.Sprintf("%.2f requests, %s", v.RequestsPerDocument, print.Bytes(int64(v.BytesPerDocument))))
	}
	return b.String()
}

func spreadText(s rows.Spread) string {
	return fmt.Sprintf("average %s · half within %s · 95%% within %s", short(s.Average), short(s.Median), short(s.P95))
}

// short is a duration to the tenth of a second, or as people say longer ones.
func short(d time.Duration) string {
	if d < time.Minute {
		return times.FormatDuration(d.Round(100 * time.Millisecond))
	}
	return print.Duration(d.Round(time.Second))
}

func hostTable(hosts []rows.HostCost) *print.Table {
	table := print.NewTable(print.Key("HOST"), print.Right("REQUESTS"), print.Right("BYTES"), print.Right("TOOK"), print.Right("WAITED"))
	for _, h := range hosts {
		table.Row(h.Host, print.Number(h.Requests), print.Bytes(h.Bytes), short(h.Took), short(h.Waited))
	}
	return table
}
