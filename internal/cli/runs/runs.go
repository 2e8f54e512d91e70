package runs

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
)

const runRefs = `A run is named by its id, or by its campaign: news is the last run, news~1 the
one before, news@2026-05-03 the last of that day.`

// New makes `starter runs`.
func New(p *program.Program) *cobra.Command {
	return program.Group("runs", "What ran, what came of it, and what is running",
		"Look at runs and tell running ones what to do.\n\n"+runRefs,
		"  starter runs show news",
		newRunsList(p), newRunsShow(p), newRunsWatch(p), newRunsWait(p),
		newRunsPause(p), newRunsResume(p), newRunsSet(p), newRunsSkip(p), newRunsCancel(p), newRunsRetry(p), newRunsPlanned(p), newRunsLogs(p))
}

type runsList struct {
	*program.Program
	campaign string
	outcomes []string
	since    string
	until    string
	limit    int
	open     bool
	web      bool
	more     moreFilters
}

func newRunsList(p *program.Program) *cobra.Command {
	c := &runsList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List runs, the newest first",
		Long: `List runs, the newest first. Runs are queued (they wait for the one before them,
or are opening), running or archived (they have ended). --state scheduled lists
what is to come instead: the next run of each schedule, and how late one is.`,
		Example: "  starter runs list --campaign news --outcome failed --since 7d",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "", "only of this campaign")
	f.StringArrayVar(&c.outcomes, "outcome", nil, "only with this outcome; may be repeated")
	f.StringVar(&c.since, "since", "", "only started since this time")
	f.StringVar(&c.until, "until", "", "only started before this time")
	f.IntVar(&c.limit, "limit", 20, "at most so many; 0: all")
	f.BoolVar(&c.open, "open", false, "only those that have not ended")
	f.BoolVar(&c.web, "web", false, "print the address of this list in the Web UI instead")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	program.Complete(cmd, "outcome", program.OutcomeNames()...)
	c.more.add(cmd)
	return cmd
}

func (c *runsList) run(cmd *cobra.Command, _ []string) error {
	filter, err := c.filter()
	if err != nil {
		return err
	}
	if c.web {
		if err := c.more.onlyHere(cmd.Flags()); err != nil {
			return err
		}
		return c.link(filter)
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	if err := scope.CheckCampaign(cmd.Context(), c.Program, s, c.campaign); err != nil {
		return err
	}
	if filter.Campaigns, err = scope.Tagged(cmd.Context(), s, c.more.tags); err != nil {
		return err
	}
	if c.more.scheduled() {
		return c.listScheduled(cmd.Context(), s, filter)
	}
	runs, err := s.Runs(cmd.Context(), filter)
	if err != nil {
		return err
	}
	gone := c.endedThere(cmd.Context(), runs)
	list := c.Out.List()
	table := print.NewTable(print.Column{Head: "RUN", Flex: true, Key: true, Min: 24}, print.Word("OUTCOME"), print.Right("ITEMS"),
		print.Right("NEW"), print.Right("CHANGED"), print.Right("STARTED "+c.Clock.ZoneName()), print.Right("TOOK"))
	for _, r := range runs {
		list.Add(listedRun{r, gone[r.ID]})
		table.Row(r.WorkflowID, cmp.Or(strings.ToLower(gone[r.ID]), watch.RunWord(r)), print.Number(r.Items), print.Number(r.Tally.New), print.Number(r.Tally.Changed),
			c.Clock.Day(r.StartedAt), took(c.Program, r))
	}
	list.End()
	c.Out.Table(table.Spare("STARTED "+c.Clock.ZoneName(), "TOOK")) // the id has the moment too
	if len(runs) == 0 {
		c.Out.Printf("%s", "No runs match.\n")
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

// listedRun is a run as `runs list` tells it.
type listedRun struct {
	rows.Run
	// EndedThere is how the workflow of an open run has ended in Temporal.
	EndedThere string `json:"ended_in_temporal,omitempty"`
}

// maxAsked bounds how many runs Temporal is asked about, and askWithin how long.
const (
	maxAsked  = 100
	askWithin = 2 * time.Second
)

// endedThere says of runs that are open in the store how they have ended in
// Temporal, by the store's number; where Temporal does not answer at once, nothing.
func (c *runsList) endedThere(ctx context.Context, runs []rows.Run) map[int64]string {
	open := slices.DeleteFunc(slices.Clone(runs), func(r rows.Run) bool { return r.State == rows.RunClosed })
	if len(open) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	e, err := c.Engine(ctx)
	if err != nil {
		return nil
	}
	gone := map[int64]string{}
	for _, r := range open[:min(len(open), maxAsked)] {
		if how := watch.EndedThere(ctx, e, r); how != "Completed" { // it ends just now
			gone[r.ID] = how
		}
	}
	return gone
}

func (c *runsList) filter() (f rows.RunFilter, err error) {
	f = rows.RunFilter{Campaign: c.campaign, Limit: c.limit}
	if f.Outcomes, err = program.Outcomes(c.outcomes); err != nil {
		return f, err
	}
	if f.Since, err = c.Moment("since", c.since); err != nil {
		return f, err
	}
	if f.Until, err = c.Moment("until", c.until); err != nil {
		return f, err
	}
	if c.open {
		f.States = []rows.RunState{rows.RunWaiting, rows.RunOpening, rows.RunOpen}
	}
	return c.more.into(f)
}

// link is the list as a query of the Web UI: a link can be sent, a saved view
// lives in one browser.
func (c *runsList) link(f rows.RunFilter) error {
	t, err := c.Target()
	if err != nil {
		return err
	}
	var parts []string
	if f.Campaign != "" {
		parts = append(parts, fmt.Sprintf("Campaign = %q", f.Campaign))
	}
	if len(f.Outcomes) > 0 {
		parts = append(parts, "Outcome in ("+quotedWords(f.Outcomes)+")")
	}
	for _, tag := range c.more.tags {
		parts = append(parts, fmt.Sprintf("Tags = %q", tag))
	}
	if len(f.Triggers) > 0 {
		parts = append(parts, "Trigger in ("+quotedWords(f.Triggers)+")")
	}
	if !f.Since.IsZero() {
		parts = append(parts, fmt.Sprintf("StartTime >= %q", f.Since.UTC().Format(time.RFC3339)))
	}
	if !f.Until.IsZero() {
		parts = append(parts, fmt.Sprintf("StartTime < %q", f.Until.UTC().Format(time.RFC3339)))
	}
	if running := c.running(); running != "" {
		parts = append(parts, running)
	}
	if webUI(c.Program, t) == "" {
		return fmt.Errorf("the Web UI of %s is not known here; only that of a development server is", t.Address)
	}
	link := webUI(c.Program, t) + "/workflows"
	if len(parts) > 0 {
		link += "?query=" + url.QueryEscape(strings.Join(parts, " AND "))
	}
	c.Out.Value(map[string]string{"web": link})
	c.Out.Printf("%s\n", link)
	return nil
}

func quotedWords[T ~string](list []T) string {
	var words []string
	for _, w := range list {
		words = append(words, fmt.Sprintf("%q", string(w)))
	}
	return strings.Join(words, ",")
}

// running is what Temporal knows of the states: running or not.
func (c *runsList) running() string {
	switch archived := len(c.more.states) > 0; { // --web takes no other state
	case c.open && !archived:
		return `ExecutionStatus = "Running"`
	case archived && !c.open:
		return `ExecutionStatus != "Running"`
	default:
		return ""
	}
}

func took(p *program.Program, r rows.Run) string {
	if neverRan(r) {
		return "-"
	}
	end := r.ClosedAt
	if end.IsZero() {
		end = p.Env.Now()
	}
	return print.Duration(max(0, end.Sub(r.StartedAt)).Truncate(time.Second))
}

// webUI is the address of a namespace in the Web UI, or empty.
func webUI(p *program.Program, t engine.Target) string {
	base := p.WebUIBase(t)
	if base == "" {
		return ""
	}
	return base + "/namespaces/" + url.PathEscape(t.Namespace)
}
