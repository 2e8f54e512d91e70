package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const runRefs = `A run is named by its id, or by its campaign: news is the last run, news~1 the
one before, news@2026-05-03 the last of that day.`

func newRuns(p *program) *cobra.Command {
	return group("runs", "What ran, what came of it, and what is running",
		"Look at runs and tell running ones what to do.\n\n"+runRefs,
		"  starter runs show news",
		newRunsList(p), newRunsShow(p), newRunsWatch(p), newRunsWait(p),
		newRunsPause(p), newRunsResume(p), newRunsSet(p), newRunsSkip(p), newRunsCancel(p), newRunsRetry(p))
}

type runsList struct {
	*program
	campaign string
	outcomes []string
	since    string
	until    string
	limit    int
	open     bool
	web      bool
}

func newRunsList(p *program) *cobra.Command {
	c := &runsList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List runs, the newest first",
		Long:    "List runs, the newest first.",
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
	p.completeFlag(cmd, "campaign", p.completeCampaigns)
	complete(cmd, "outcome", outcomeNames()...)
	return cmd
}

func (c *runsList) run(cmd *cobra.Command, _ []string) error {
	filter, err := c.filter()
	if err != nil {
		return err
	}
	if c.web {
		return c.link(filter)
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	if err := c.checkCampaign(cmd.Context(), s, c.campaign); err != nil {
		return err
	}
	runs, err := s.Runs(cmd.Context(), filter)
	if err != nil {
		return err
	}
	gone := c.endedThere(cmd.Context(), runs)
	list := c.out.List()
	table := print.NewTable(print.Column{Head: "RUN", Flex: true, Key: true, Min: 24}, print.Word("OUTCOME"), print.Right("ITEMS"),
		print.Right("NEW"), print.Right("CHANGED"), print.Right("STARTED "+c.clock.ZoneName()), print.Right("TOOK"))
	for _, r := range runs {
		list.Add(listedRun{r, gone[r.ID]})
		table.Row(r.WorkflowID, cmp.Or(strings.ToLower(gone[r.ID]), runWord(r)), print.Number(r.Items), print.Number(r.Tally.New), print.Number(r.Tally.Changed),
			c.clock.Day(r.StartedAt), c.took(r))
	}
	list.End()
	c.out.Table(table.Spare("STARTED "+c.clock.ZoneName(), "TOOK")) // the id has the moment too
	if len(runs) == 0 {
		c.out.Printf("%s", "(no such run)\n")
		return c.elsewhere(cmd.Context(), s)
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
		if how := endedThere(ctx, e, r); how != "Completed" { // it ends just now
			gone[r.ID] = how
		}
	}
	return gone
}

func (c *runsList) filter() (f rows.RunFilter, err error) {
	f = rows.RunFilter{Campaign: c.campaign, Limit: c.limit}
	if f.Outcomes, err = parseOutcomes(c.outcomes); err != nil {
		return f, err
	}
	if f.Since, err = c.moment("since", c.since); err != nil {
		return f, err
	}
	if f.Until, err = c.moment("until", c.until); err != nil {
		return f, err
	}
	if c.open {
		f.States = []rows.RunState{rows.RunWaiting, rows.RunOpening, rows.RunOpen}
	}
	return f, nil
}

// link is the list as a query of the Web UI: a link can be sent, a saved view
// lives in one browser.
func (c *runsList) link(f rows.RunFilter) error {
	t, err := c.target()
	if err != nil {
		return err
	}
	var parts []string
	if f.Campaign != "" {
		parts = append(parts, fmt.Sprintf("Campaign = %q", f.Campaign))
	}
	if len(f.Outcomes) > 0 {
		var words []string
		for _, o := range f.Outcomes {
			words = append(words, fmt.Sprintf("%q", string(o)))
		}
		parts = append(parts, "Outcome in ("+strings.Join(words, ",")+")")
	}
	if c.open {
		parts = append(parts, `ExecutionStatus = "Running"`)
	}
	if c.webUI(t) == "" {
		return fmt.Errorf("the Web UI of %s is not known here; only that of a development server is", t.Address)
	}
	link := c.webUI(t) + "/workflows"
	if len(parts) > 0 {
		link += "?query=" + url.QueryEscape(strings.Join(parts, " AND "))
	}
	c.out.Value(map[string]string{"web": link})
	c.out.Printf("%s\n", link)
	return nil
}

func parseOutcomes(words []string) ([]harvest.Outcome, error) {
	var out []harvest.Outcome
	for _, list := range words {
		for w := range strings.SplitSeq(list, ",") {
			o := harvest.Outcome(w)
			if !o.Valid() {
				near := harvest.Nearest(w, outcomeNames())
				if near != "" {
					return nil, usage("--outcome %s: no such outcome; did you mean %s?", w, near)
				}
				return nil, usage("--outcome %s: one of %s", w, strings.Join(outcomeNames(), ", "))
			}
			out = append(out, o)
		}
	}
	return out, nil
}

// runWord is a run's outcome, or where it is.
func runWord(r rows.Run) string {
	switch {
	case r.State == rows.RunClosed:
		return string(r.Outcome)
	case r.Paused != "":
		return "paused"
	case r.Stop != "":
		return "stopping"
	case r.State == rows.RunOpen:
		return "running"
	default:
		return string(r.State)
	}
}

func (p *program) took(r rows.Run) string {
	if neverRan(r) {
		return "-"
	}
	end := r.ClosedAt
	if end.IsZero() {
		end = p.env.Now()
	}
	return print.Duration(max(0, end.Sub(r.StartedAt)).Truncate(time.Second))
}

// namedRun opens the store and finds the run that is meant.
func (p *program) namedRun(ctx context.Context, ref string) (Store, rows.Run, error) {
	s, err := p.Store(ctx)
	if err != nil {
		return nil, rows.Run{}, err
	}
	r, err := p.findRun(ctx, s, ref)
	return s, r, err
}

// findRun resolves what people call a run; an absent one is explained.
func (p *program) findRun(ctx context.Context, s Store, ref string) (rows.Run, error) {
	r, err := s.FindRun(ctx, ref)
	if !errors.Is(err, rows.ErrNotFound) {
		return r, err
	}
	if c, cerr := s.Campaign(ctx, ref); cerr == nil {
		return r, fmt.Errorf("run %s: this campaign has not run yet; `starter why %s` says why, `starter trigger --campaign %s` starts one", ref, c.Name, c.Name)
	}
	return r, usage("run %s: there is no such run in %s%s; see `starter runs list`", ref, p.storeName(s), p.nearCampaign(ctx, s, ref))
}

func (p *program) nearCampaign(ctx context.Context, s Store, word string) string {
	list, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return ""
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if near := harvest.Nearest(strings.FieldsFunc(word+" ", func(r rune) bool { return strings.ContainsRune("~@ ", r) })[0], names); near != "" && !slices.Contains(names, word) {
		return ", did you mean " + near + "?"
	}
	return ""
}

// runExit is the exit code a run's end stands for. An expectation with else:
// fail makes a failure of an outcome that is only a warning by itself.
func runExit(sum steps.Summary, strict bool) int {
	switch s := sum.Outcome.Severity(); {
	case s == harvest.Bad || sum.Failed != "":
		return exitRunFailed
	case s == harvest.Warn && strict:
		return exitWarnings
	default:
		return exitOK
	}
}

// webUI is the address of a namespace in the Web UI, or empty.
func (p *program) webUI(t engine.Target) string {
	base := p.webUIBase(t)
	if base == "" {
		return ""
	}
	return base + "/namespaces/" + url.PathEscape(t.Namespace)
}
